/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * provides HOW [wait]: memory whose pages a thread of the program provides by userfaultfd(2) when they are
 * first accessed; main executes code there, reads, writes, and hands it to system calls. HOW is how that
 * thread waits: read or poll; or fork: it polls, and serves a child process as well. With wait, main waits for
 * a line of input before it begins. Prints main's results and how many pages were provided; exits with
 * 77 if the kernel does not allow it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8, ACTION = 6 };

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

static int server, childs_server = -1, polls;
static atomic_uint provided, unprotected;
static unsigned char content[PAGE] __attribute__((aligned(4096)));
static unsigned long action[4]; /* for SIGTRAP, as the kernel has it */
static char *first; /* of the pages */

/* mov $NUMBER, %eax; ret at the page's begin, and a mov at its end that goes on in the next page. */
static void fill(unsigned number)
{
	static const unsigned char load = 0xb8, back = 0xc3;

	memset(content, 0x90, sizeof(content));
	content[0] = load;
	memcpy(content + 1, (const unsigned[]){ 100 + number }, 4);
	content[5] = back;
	memcpy(content + PAGE - 2, (const unsigned char[]){ load, 7 }, 2);
	if (number % 2) /* its own begin is the end of the one before */
		memcpy(content, (const unsigned char[]){ 0, 0, 0, back }, 4);
	if (number == ACTION)
		memcpy(content, action, sizeof(action));
}

/* Returns 0 or an error number. The kernel asks for a repetition while it changes the mappings. */
static int ask(int fd, unsigned long request, void *argument)
{
	while (ioctl(fd, request, argument) < 0)
		if (errno != EAGAIN)
			return errno;
	return 0;
}

/*
 * Provides a page. A thread that is interrupted while it waits asks for its page once more, so that
 * two messages can name the same page. The second one is not counted.
 */
static void serve(int fd, const struct uffd_msg *m)
{
	static bool opened[PAGES];
	unsigned long page = m->arg.pagefault.address & -(unsigned long)PAGE;
	struct uffdio_copy copy = { .dst = page, .src = (unsigned long)content, .len = PAGE };
	struct uffdio_writeprotect open = { { page, PAGE }, 0 };
	unsigned number = (unsigned)((page - (unsigned long)first) / PAGE % PAGES);
	int error;

	if (m->event == UFFD_EVENT_FORK)
		childs_server = (int)m->arg.fork.ufd;
	if (m->event != UFFD_EVENT_PAGEFAULT)
		return;
	if (m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
		unprotected += !opened[number];
		opened[number] = true;
		if (ask(server, UFFDIO_WRITEPROTECT, &open))
			_exit(4);
		return;
	}
	provided++; /* before main goes on */
	fill(number);
	error = ask(fd, UFFDIO_COPY, &copy);
	if (error && error != EEXIST)
		_exit(3);
	provided -= error == EEXIST;
}

static void *serve_all(void *opaque)
{
	struct uffd_msg m;

	for (;;) {
		struct pollfd p[] = { { server, POLLIN, 0 }, { childs_server, POLLIN, 0 } };

		if (polls)
			poll(p, 2, -1);
		if (read(server, &m, sizeof(m)) == sizeof(m))
			serve(server, &m);
		if (childs_server >= 0 && read(childs_server, &m, sizeof(m)) == sizeof(m))
			serve(childs_server, &m);
	}
	return opaque;
}

static char *map(int flags, unsigned long mode)
{
	struct uffdio_register r = { .mode = mode };
	char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, flags | MAP_ANONYMOUS, -1, 0);

	r.range.start = (unsigned long)at;
	r.range.len = PAGES * PAGE;
	if (at == MAP_FAILED || ioctl(server, UFFDIO_REGISTER, &r)) {
		printf("not allowed: userfaultfd for such memory\n");
		exit(77);
	}
	return first = at;
}

static int call(const char *at)
{
	return ((int (*)(void))(unsigned long)at)();
}

static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
	caught += signal;
}

/* The kernel reads the action from a page that is not there yet, as far as it may ask for one. */
static int handle(const char *page)
{
	struct sigaction usual = { .sa_handler = on_signal };
	long status;

	sigaction(SIGTRAP, &usual, NULL);
	syscall(SYS_rt_sigaction, SIGTRAP, NULL, action, 8);
	signal(SIGTRAP, SIG_IGN);
	status = syscall(SYS_rt_sigaction, SIGTRAP, page, NULL, 8);
	if (status)
		signal(SIGTRAP, on_signal);
	raise(SIGTRAP);
	raise(SIGTRAP);
	return caught + (int)status;
}

__attribute__((noinline)) int use(char *at);

int use(char *at)
{
	int sum = call(at);

	sum = sum * 10 + call(at + PAGE - 2); /* into the next page */
	sum = sum * 10 + call(at + 2 * PAGE);
	madvise(at, PAGE, MADV_DONTNEED); /* it comes once more */
	sum = sum * 10 + call(at);
	sum = sum * 10 + at[4 * PAGE + 1]; /* read */
	at[5 * PAGE + 17] = 1;             /* written */
	sum += at[5 * PAGE + 17];
	return sum + handle(at + ACTION * PAGE);
}

__attribute__((noinline)) void write_protected(char *at);

void write_protected(char *at)
{
	struct uffdio_writeprotect closed = { { (unsigned long)at, PAGES * PAGE }, UFFDIO_WRITEPROTECT_MODE_WP };

	memset(at, 1, PAGES * PAGE);
	if (ioctl(server, UFFDIO_WRITEPROTECT, &closed))
		return;
	for (int i = 0; i < PAGES; i++)
		at[i * PAGE] = 2;
	printf("%u unprotected\n", unprotected);
}

/* The child's memory is provided as well. */
__attribute__((noinline)) void fork_and_use(char *at);

void fork_and_use(char *at)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(call(at + 2 * PAGE));
	waitpid(pid, &status, 0);
	printf("%d of the child\n", WEXITSTATUS(status));
}

static int begin(bool forks)
{
	struct uffdio_api api = { .api = UFFD_API, .features = forks ? UFFD_FEATURE_EVENT_FORK : 0 };
	int flags = O_CLOEXEC | (polls ? O_NONBLOCK : 0);

	server = (int)syscall(SYS_userfaultfd, flags);
	if (server < 0)
		server = (int)syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY);
	return server < 0 || ioctl(server, UFFDIO_API, &api) ? -1 : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char *at;
	bool forks = argc > 1 && !strcmp(argv[1], "fork");

	polls = forks || (argc > 1 && !strcmp(argv[1], "poll"));
	if (begin(forks) < 0) {
		printf("not allowed: userfaultfd\n");
		return 77;
	}
	pthread_create(&thread, NULL, serve_all, NULL);
	at = map(MAP_PRIVATE, UFFDIO_REGISTER_MODE_MISSING);
	if (forks)
		fork_and_use(at);
	if (argc > 2) {
		printf("%d\n", getpid());
		fflush(stdout);
		getchar();
	}
	printf("%d private", use(at));
	printf(" %u provided\n", provided);
	at = map(MAP_SHARED, UFFDIO_REGISTER_MODE_MISSING);
	printf("%d shared", use(at));
	printf(" %u provided\n", provided);
	write_protected(map(MAP_PRIVATE, UFFDIO_REGISTER_MODE_WP));
	return 0;
}
