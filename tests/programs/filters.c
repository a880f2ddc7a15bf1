/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * filters KIND: a program that has its system calls judged by seccomp, and prints the results and
 * signals. Each kind is the name of a function below.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define ON(number, action) IF(number, 0, 1), RETURN(action)
#define LENGTH(a) (sizeof(a) / sizeof(*(a)))

/* Makes a system call at a place of its own; returns the kernel's result. */
long raw(long number, long a, long b, long c);
extern char raw_behind[];
__asm__(".globl raw, raw_behind\n"
	"raw: mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi; mov %rcx, %rdx\n"
	"syscall\n"
	"raw_behind: ret\n");

static long install(struct sock_filter *filter, size_t n, unsigned flags)
{
	struct sock_fprog program = { (unsigned short)n, filter }, before = program;
	struct sock_filter *copy = malloc(n * sizeof(*filter));
	long result;

	memcpy(copy, filter, n * sizeof(*filter));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (memcmp(&program, &before, sizeof(program)) || memcmp(copy, filter, n * sizeof(*filter)))
		puts("the filter has changed");
	free(copy);
	return result < 0 ? -errno : result;
}

/* Executes new code, and other things for which the recorder may need system calls. */
static void go_on(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN };
	int numbers[25];
	char *memory;

	for (int i = 0; i < 25; i++)
		numbers[i] = i * 19 % 25;
	qsort(numbers, 25, sizeof(int), (int (*)(const void *, const void *))strcmp);
	sigaction(SIGSEGV, &action, NULL);
	memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 1, 1 << 20);
	munmap(memory, 1 << 20);
	action.sa_handler = SIG_DFL;
	sigaction(SIGSEGV, &action, NULL);
}

static void *add(void *sum)
{
	for (unsigned i = 0; i < 1000; i++)
		*(unsigned *)sum += i;
	return NULL;
}

static void with_thread(void)
{
	pthread_t thread;
	unsigned sum = 0;

	pthread_create(&thread, NULL, add, &sum);
	pthread_join(thread, NULL);
	printf("sum %u\n", sum);
}

static volatile int trapped_number, trapped_here, trapped_errno;

static void trapped(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	trapped_number = info->si_syscall;
	trapped_here = info->si_call_addr == (void *)raw_behind;
	trapped_errno = info->si_errno;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4242;
}

static void errno_(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_ERRNO | 77),
		ON(SYS_mprotect, SECCOMP_RET_ERRNO | 0), RETURN(SECCOMP_RET_ALLOW) };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, "\xb8\x07\0\0\0\xc3", 6);
	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	printf("getppid %ld\n", raw(SYS_getppid, 0, 0, 0));
	/* the filter reports success without a call */
	printf("mprotect %ld\n", raw(SYS_mprotect, (long)page, 4096, PROT_NONE));
	printf("runs %d\n", ((int (*)(void))page)());
	go_on();
}

static void trap(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_TRAP | 5),
		ON(SYS_munmap, SECCOMP_RET_TRAP | 6), RETURN(SECCOMP_RET_ALLOW) };
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
	printf("install %ld\n", install(filter, LENGTH(filter), SECCOMP_FILTER_FLAG_LOG));
	for (int i = 0; i < 3; i++) {
		long result = raw(SYS_getppid, 0, 0, 0);

		printf("getppid %ld nr %d errno %d here %d\n", result, trapped_number,
		       trapped_errno, trapped_here);
	}
	printf("munmap %ld", raw(SYS_munmap, (long)trap & -4096, 4096, 0));
	printf(" nr %d\n", trapped_number);
	go_on();
}

static void kill_(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW) };

	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	go_on();
	fflush(stdout);
	raw(SYS_getppid, 0, 0, 0);
}

static void *ask_parent(void *arg)
{
	(void)arg;
	raw(SYS_getppid, 0, 0, 0);
	return NULL;
}

static void kill_thread(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_KILL_THREAD),
		RETURN(SECCOMP_RET_ALLOW) };
	pthread_t thread;

	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	pthread_create(&thread, NULL, ask_parent, NULL);
	pthread_join(thread, NULL);
	puts("one thread less");
}

/* Installs a filter that kills at any other call: the recorder's code must not depend on one. */
static void only(void)
{
	static const int allowed[] = { SYS_write, SYS_exit_group, SYS_fstat, SYS_newfstatat,
				       SYS_brk, SYS_mmap, SYS_munmap, SYS_rt_sigaction,
				       SYS_getpid };
	struct sock_filter filter[64] = { LOAD(nr) };
	size_t n = 1;

	for (unsigned i = 0; i < LENGTH(allowed); i++) {
		filter[n++] = (struct sock_filter)IF((unsigned)allowed[i], 0, 1);
		filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	}
	filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
	printf("install %ld\n", install(filter, n, 0));
	go_on();
	printf("pid %d\n", raw(SYS_getpid, 0, 0, 0) > 0);
}

/* Calls are allowed at raw(), and refused elsewhere. */
static void place(void)
{
	struct sock_filter filter[] = { LOAD(nr), IF(SYS_getppid, 0, 4), LOAD(instruction_pointer),
		IF((uint32_t)(uintptr_t)raw_behind, 1, 0), RETURN(SECCOMP_RET_ERRNO | 78),
		RETURN(SECCOMP_RET_ERRNO | 79), RETURN(SECCOMP_RET_ALLOW) };

	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	for (int i = 0; i < 3; i++) {
		printf("at raw %ld", raw(SYS_getppid, 0, 0, 0));
		printf(" elsewhere %ld %d\n", syscall(SYS_getppid), errno);
	}
}

static void trace(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_TRACE | 1),
		RETURN(SECCOMP_RET_ALLOW) };

	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	printf("getppid %ld\n", raw(SYS_getppid, 0, 0, 0));
}

static volatile int go, done;

static void *ask_often(void *arg)
{
	long *results = arg;

	for (int i = 0; !go; i++)
		results[0] = raw(SYS_getppid, 0, 0, 0) > 0;
	results[1] = raw(SYS_getppid, 0, 0, 0);
	results[2] = syscall(SYS_getppid) < 0 ? -errno : 0;
	return NULL;
}

static void tsync(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_ERRNO | 80),
		RETURN(SECCOMP_RET_ALLOW) };
	pthread_t threads[2];
	long results[2][3] = { { 0 } };

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, ask_often, results[i]);
	usleep(2000);
	printf("install %ld\n", install(filter, LENGTH(filter), SECCOMP_FILTER_FLAG_TSYNC));
	go = 1;
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		printf("%ld %ld\n", results[i][1], results[i][2]);
	}
	with_thread();
}

static void *supervise(void *arg)
{
	int fd = (int)(intptr_t)arg;
	struct seccomp_notif request;
	struct seccomp_notif_resp response;

	for (int i = 0; i < 2; i++) {
		memset(&request, 0, sizeof(request));
		memset(&response, 0, sizeof(response));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
			return NULL;
		printf("asked for %d at raw %d\n", request.data.nr,
		       request.data.instruction_pointer == (uintptr_t)raw_behind);
		response.id = request.id;
		response.val = i ? 0 : 555;
		response.flags = i ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
	return NULL;
}

static void notify(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_USER_NOTIF),
		RETURN(SECCOMP_RET_ALLOW) };
	long fd = install(filter, LENGTH(filter), SECCOMP_FILTER_FLAG_NEW_LISTENER);
	pthread_t thread;

	printf("install %d\n", fd >= 0);
	pthread_create(&thread, NULL, supervise, (void *)(intptr_t)fd);
	printf("getppid %ld\n", raw(SYS_getppid, 0, 0, 0));
	printf("getppid %d\n", raw(SYS_getppid, 0, 0, 0) > 0);
	pthread_join(thread, NULL);
}

/* Installs a filter of the greatest length, of which no instruction looks superfluous. */
static void longest(void)
{
	static struct sock_filter filter[BPF_MAXINSNS + 1];
	size_t n = 0;

	filter[n++] = (struct sock_filter)LOAD(nr);
	while (n < BPF_MAXINSNS - 3) {
		filter[n] = (struct sock_filter)IF((uint32_t)(10000 + n), 0, 1);
		filter[n + 1] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
		n += 2;
	}
	filter[n++] = (struct sock_filter)IF(SYS_getppid, 0, 1);
	filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | 81);
	while (n < BPF_MAXINSNS)
		filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	printf("install %ld\n", install(filter, n, 0));
	printf("getppid %ld\n", raw(SYS_getppid, 0, 0, 0));
	printf("too long %ld\n", install(filter, BPF_MAXINSNS + 1, 0));
	printf("none %ld\n", install(filter, 0, 0));
	go_on();
}

/* Tries filters that the kernel refuses without a recorder. */
static void wrong(void)
{
	struct sock_filter bad[] = { { 0xffff, 0, 0, 0 }, RETURN(SECCOMP_RET_ALLOW) };
	struct sock_filter open[] = { LOAD(nr) };
	struct sock_filter good[] = { RETURN(SECCOMP_RET_ALLOW) };
	struct sock_fprog lost = { 1, (struct sock_filter *)8 };

	printf("bad %ld open %ld", install(bad, 2, 0), install(open, 1, 0));
	printf(" flags %ld", install(good, 1, 1u << 30));
	printf(" lost %ld", raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&lost));
	printf(" null %ld\n", raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 0));
	printf("mode %d\n", prctl(PR_GET_SECCOMP));
	for (int i = 0; i < 20; i++)
		if (install(good, 1, 0))
			puts("not installed");
	printf("mode %d\n", prctl(PR_GET_SECCOMP));
	printf("strict %ld\n", raw(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0));
}

/* An accumulator that a filter has not loaded is 0. */
static void unloaded(void)
{
	struct sock_filter filter[] = { IF(0, 0, 3), LOAD(nr), ON(SYS_getppid, SECCOMP_RET_ERRNO | 82),
		RETURN(SECCOMP_RET_ALLOW) };

	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	printf("getppid %ld\n", raw(SYS_getppid, 0, 0, 0));
}

static void children(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getppid, SECCOMP_RET_ERRNO | 83),
		RETURN(SECCOMP_RET_ALLOW) };
	int status;

	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	fflush(stdout);
	if (fork() == 0) {
		go_on();
		printf("child %ld\n", raw(SYS_getppid, 0, 0, 0));
		fflush(stdout);
		execl("/proc/self/exe", "filters", "again", NULL);
	}
	wait(&status);
	printf("status %x\n", status);
	with_thread();
}

static void again(void)
{
	struct sock_filter filter[] = { LOAD(nr), ON(SYS_getuid, SECCOMP_RET_ERRNO | 84),
		RETURN(SECCOMP_RET_ALLOW) };

	printf("getppid %ld\n", raw(SYS_getppid, 0, 0, 0));
	printf("install %ld\n", install(filter, LENGTH(filter), 0));
	printf("getuid %ld getppid %ld\n", raw(SYS_getuid, 0, 0, 0), raw(SYS_getppid, 0, 0, 0));
	with_thread();
}

static void strict(void)
{
	char text[] = "strictly\n";

	go_on();
	printf("strict %d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		raw(SYS_write, 1, (long)text, sizeof(text) - 1);
	raw(SYS_exit, 5, 0, 0);
}

static void strict_breach(void)
{
	printf("strict %ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL));
	fflush(stdout);
	go_on();
}

static void *be_strict(void *arg)
{
	(void)arg;
	raw(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0);
	raw(SYS_getppid, 0, 0, 0);
	return NULL;
}

static void strict_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, be_strict, NULL);
	usleep(10000);
	puts("goes on");
	with_thread();
}

/* Maps, protects and unmaps memory behind a filter, and computes. */
static void maps(void)
{
	struct sock_filter allow[] = { RETURN(SECCOMP_RET_ALLOW) };
	unsigned sum = 1;

	printf("installed: %ld\n", install(allow, LENGTH(allow), 0));
	for (unsigned i = 1; i <= 10; i++) {
		char *memory = mmap(NULL, i << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mprotect(memory, i << 12, PROT_READ | PROT_WRITE);
		for (unsigned k = 0; k < i << 12; k += 512)
			sum = sum * 3 + (unsigned char)(memory[k] += k >> 9);
		munmap(memory, i << 12);
	}
	printf("%u\n", sum);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } kinds[] = {
		{ "errno", errno_ }, { "trap", trap }, { "kill", kill_ },
		{ "kill-thread", kill_thread }, { "only", only }, { "place", place },
		{ "trace", trace }, { "tsync", tsync }, { "notify", notify },
		{ "longest", longest }, { "wrong", wrong }, { "unloaded", unloaded },
		{ "children", children }, { "again", again }, { "strict", strict },
		{ "strict-breach", strict_breach }, { "strict-thread", strict_thread },
		{ "maps", maps },
	};

	alarm(300);
	for (unsigned i = 0; argc > 1 && i < LENGTH(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		kinds[i].run();
		return 0;
	}
	for (unsigned i = 0; i < LENGTH(kinds); i++)
		puts(kinds[i].name);
	return 2;
}
