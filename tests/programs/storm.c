/* SPDX-License-Identifier: MIT */
/*
 * storm SEED [linger]: a random mix of threads, process trees, signals, exec and files. Its
 * output and exit status depend only on the seed, unless a process is killed; then it still ends.
 * linger: the program waits for 5 minutes at its end.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 300, DEPTH = 3, ACTS = 4, THREADS = 5 };

extern char **environ;
static const char *self;
static unsigned long state;
static unsigned depth;

static unsigned draw(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* Begins a process with random numbers of its own: the parent's do not depend on the child. */
static pid_t begin(pid_t (*start)(void))
{
	unsigned long seed = state ^ draw(1u << 30);
	pid_t parent = getpid(), pid = start();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	alarm(SECONDS);
	state = seed;
	depth++;
	return 0;
}

static unsigned wait_for(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void execute(void)
{
	char seed[32], level[16];

	snprintf(seed, sizeof(seed), "%lu", state);
	snprintf(level, sizeof(level), "%u", depth);
	execl(self, self, seed, "at", level, (char *)NULL);
	_exit(127);
}

/* ---- threads ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;
static atomic_bool over;

static void *add(void *argument)
{
	unsigned long x = (unsigned long)argument;

	for (unsigned i = 0; i < 200; i++) {
		for (unsigned k = 0; k < 50; k++)
			x = x * 31 + k;
		pthread_mutex_lock(&lock);
		sum += x;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *spin(void *argument)
{
	while (!over)
		sched_yield();
	return argument;
}

static void *execute_from_thread(void *argument)
{
	execute();
	return argument;
}

static unsigned run_threads(unsigned n, void *(*function)(void *))
{
	pthread_t threads[THREADS];

	sum = 0;
	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, function, (void *)(i + 1)))
			abort();
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return sum % 251;
}

static void spin_threads(unsigned n)
{
	pthread_t thread;

	for (unsigned i = 0; i < n; i++)
		pthread_create(&thread, NULL, spin, NULL);
}

static unsigned with_threads(void)
{
	return run_threads(1 + draw(THREADS), add);
}

static void *fork_from_thread(void *argument)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(3);
	__atomic_add_fetch(&sum, wait_for(pid), __ATOMIC_RELAXED);
	return argument;
}

static unsigned with_forking_threads(void)
{
	return run_threads(1 + draw(3), fork_from_thread);
}

/* All but the first compute while one that is not the first executes. */
static unsigned with_exec_by_thread(void)
{
	unsigned others = draw(THREADS);
	pthread_t thread;
	pid_t pid = begin(fork);

	if (pid)
		return wait_for(pid);
	spin_threads(others);
	pthread_create(&thread, NULL, execute_from_thread, NULL);
	for (;;)
		getppid();
}

static unsigned with_end_among_threads(void)
{
	unsigned how = draw(3);
	pid_t pid = begin(fork);

	if (pid)
		return wait_for(pid);
	spin_threads(draw(THREADS));
	if (how == 0)
		kill(getpid(), SIGKILL);
	if (how == 1)
		raise(SIGTERM);
	_exit(5);
}

/* ---- processes ---- */

static unsigned acts(void);

static unsigned with_tree(void)
{
	unsigned n = 1 + draw(3), all = 0;
	pid_t pids[3];

	for (unsigned i = 0; i < n; i++) {
		pids[i] = begin(fork);
		if (pids[i] == 0)
			_exit((int)acts());
	}
	for (unsigned i = 0; i < n; i++)
		all = all * 3 + wait_for(pids[i]);
	return all;
}

static unsigned with_exec(void)
{
	pid_t pid = begin(fork);

	if (pid == 0)
		execute();
	return wait_for(pid);
}

static unsigned with_spawn(void)
{
	char *argv[] = { "sh", "-c", "exit 9", NULL };
	pid_t pid;

	return posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) ? 1 : wait_for(pid);
}

static unsigned with_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(4);
	return wait_for(pid);
}

/* Killed in the middle of it. */
static unsigned with_victim(void)
{
	static unsigned (*const busy[])(void) = { with_threads, with_child, with_spawn };
	unsigned which = draw(3);
	pid_t pid = begin(fork);

	if (pid == 0) {
		spin_threads(draw(3));
		for (;;)
			busy[which]();
	}
	usleep(draw(30000));
	kill(pid, SIGKILL);
	return wait_for(pid);
}

static unsigned with_stop(void)
{
	int status = 0;
	pid_t pid = begin(fork);

	if (pid == 0) {
		spin_threads(draw(3));
		raise(SIGSTOP);
		_exit(6);
	}
	waitpid(pid, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		return 1;
	kill(pid, SIGCONT);
	return wait_for(pid);
}

/* ---- signals ---- */

static volatile sig_atomic_t handled;
static sigjmp_buf back;

static void handler(int signal)
{
	handled++;
	if (signal == SIGSEGV)
		siglongjmp(back, 1);
}

static unsigned with_signals(void)
{
	unsigned n = 1 + draw(20);

	handled = 0;
	signal(SIGUSR1, handler);
	signal(SIGSEGV, handler);
	for (unsigned i = 0; i < n; i++) {
		raise(SIGUSR1);
		if (draw(2) && sigsetjmp(back, 1) == 0)
			*(volatile int *)8 = 1;
	}
	return (unsigned)handled;
}

/* ---- files ---- */

static unsigned with_files(void)
{
	const char *folder = getenv("TMPDIR");
	enum { SIZE = 512 };
	char *map, name[4096];
	unsigned all = 0;
	int fd;

	snprintf(name, sizeof(name), "%s/storm.XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(name);
	if (fd < 0 || unlink(name) < 0 || ftruncate(fd, SIZE) < 0)
		return 1;
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (unsigned i = 0; i < SIZE; i++)
		map[i] = (char)draw(256);
	for (char c; read(fd, &c, 1) == 1; )
		all = all * 3 + (unsigned char)c;
	munmap(map, SIZE);
	close(fd);
	return all % 253;
}

static unsigned with_pipe(void)
{
	unsigned n = draw(60), got = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends) < 0)
		return 1;
	pid = begin(fork);
	if (pid == 0) {
		for (unsigned i = 0; i < n; i++)
			(void)!write(ends[1], "x", 1);
		_exit(2);
	}
	close(ends[1]);
	for (char c; read(ends[0], &c, 1) == 1; )
		got++;
	close(ends[0]);
	return got + wait_for(pid);
}

/* ---- all ---- */

static unsigned acts(void)
{
	static unsigned (*const all[])(void) = {
		with_threads, with_forking_threads, with_end_among_threads, with_victim, with_stop,
		with_spawn, with_signals, with_files, with_pipe, with_tree, with_exec,
		with_exec_by_thread,
	};
	enum { N = sizeof(all) / sizeof(*all), DEEPER = 3 };
	unsigned n = 1 + draw(ACTS), result = 0;

	for (unsigned i = 0; i < n; i++)
		result = result * 7 + all[draw(depth < DEPTH ? N : N - DEEPER)]();
	return result % 97;
}

int main(int argc, char **argv)
{
	unsigned result;

	alarm(SECONDS);
	self = argv[0];
	state = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	depth = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	result = acts();
	if (depth == 0) {
		printf("%u\n", result);
		fflush(stdout);
	}
	if (argc == 3 && strcmp(argv[2], "linger") == 0)
		pause();
	return (int)result;
}
