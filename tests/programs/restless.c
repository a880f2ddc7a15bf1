/* SPDX-License-Identifier: MIT */
/*
 * restless THREADS: prints its pid once its threads run; all threads only make system calls,
 * the first of the new threads creates processes. The program ends with standard input. Its status tells
 * whether a thread has found a change that neither the program nor its C library has made: memory of
 * the recorder (in a new process), or an rseq area (rseq(2)) that the kernel does not know any more (in
 * all threads, at the end).
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, FOREIGN_MEMORY = 1, LOST_RSEQ = 2, FAILED = 4 };

/* Until then no recording begins: glibc registers no area for threads that begin while recorded. */
static pthread_barrier_t begun;
static volatile int over;
static unsigned failures;

static void fail(unsigned how)
{
	__atomic_or_fetch(&failures, how, __ATOMIC_RELAXED);
}

/* The recorder's memory (SPACE_OWN in recorder/program/space.h): no file of a folder has that name. */
static int has_recorder(void)
{
	char line[8192];
	FILE *maps = fopen("/proc/self/maps", "r");
	int found = 0;

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, " /memfd:tracelab (deleted)\n") != NULL;
	if (maps)
		fclose(maps);
	return found;
}

/* The kernel keeps a CPU's number there; without a registered area the C library keeps a negative one. */
static void check_rseq(void)
{
	const struct rseq *area;

	if (!__rseq_size)
		return;
	area = (const struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	sched_yield();
	if ((int)*(const volatile unsigned *)&area->cpu_id < 0)
		fail(LOST_RSEQ);
}

static void *call(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&begun);
	while (!over)
		if (syscall(SYS_getppid) < 0)
			fail(FAILED);
	check_rseq();
	return NULL;
}

static void have_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		failures = has_recorder() ? FOREIGN_MEMORY : 0;
		check_rseq();
		_exit((int)failures);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		fail(FAILED);
	else
		fail((unsigned)WEXITSTATUS(status));
}

static void *have_children(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&begun);
	while (!over)
		have_child();
	check_rseq();
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	struct pollfd input = { .fd = STDIN_FILENO };
	pthread_t threads[MOST];

	if (n > MOST)
		return FAILED;
	alarm(300);
	pthread_barrier_init(&begun, NULL, n + 1);
	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, i ? call : have_children, NULL);
	pthread_barrier_wait(&begun);
	printf("%d\n", getpid());
	fflush(stdout);
	while (!over)
		over = poll(&input, 1, 0) != 0;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	check_rseq();
	return (int)failures;
}
