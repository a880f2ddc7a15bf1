/* SPDX-License-Identifier: MIT */
/*
 * The worker is not hit by killall, Ctrl-\ or a closed terminal. If the worker itself is killed
 * (by the OOM killer or `pkill -f`), the program ends with it at the next trap of the cache.
 * Another process could seize the program's threads and lead them out of the cache, but not soon
 * enough: until then traps and guard pages raise SIGTRAP and SIGSEGV, and so does a stop for one
 * of these signals when its tracer dies. A signal handler in the program would not help threads
 * that block these signals, as threads of many servers do; and it would have to be hidden from the
 * program's sigaction, its children and its stacks. A cache that survives without signals needs a
 * system call in place of each trap and a comparison in place of each guard page.
 * A thread that is single-stepped keeps the trap flag, and ends by SIGTRAP: the kernel lets it run
 * as its tracer dies, and no other process can seize a thread before that.
 */
#include "recorder/launch/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t worker;

static void hand_on(int number)
{
	int saved = errno;

	if (worker > 0)
		kill(worker, number);
	errno = saved;
}

static void hand_on_signals(void)
{
	static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = hand_on, .sa_flags = SA_RESTART }, inherited;

	for (unsigned i = 0; i < sizeof(handed_on) / sizeof(*handed_on); i++) {
		sigaction(handed_on[i], NULL, &inherited);
		/* Shells start what is in the background to ignore SIGINT. */
		if (inherited.sa_handler != SIG_IGN || handed_on[i] == SIGINT)
			sigaction(handed_on[i], &action, NULL);
	}
}

static void become_worker(pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_NAME, "tracelab-worker");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE); /* the parent ended before the signal was set up */
}

int guard_run(int (*work)(void *opaque), void *opaque, int *signal)
{
	sigset_t all, before;
	pid_t parent = getpid();
	int status;

	*signal = 0;
	/* a signal that comes at once waits for the child */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	worker = fork();
	if (worker == 0) {
		become_worker(parent);
		sigprocmask(SIG_SETMASK, &before, NULL);
		exit(work(opaque));
	}
	if (worker > 0)
		hand_on_signals();
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (worker < 0)
		return -1;
	while (waitpid(worker, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*signal = WTERMSIG(status);
	return -1;
}
