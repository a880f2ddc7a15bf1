/* SPDX-License-Identifier: MIT */
/* A library for LD_PRELOAD that kills each child as soon as it exists. */
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fork(void)
{
	pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
	pid_t pid = real();
	siginfo_t info;

	if (pid > 0) {
		kill(pid, SIGKILL);
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	}
	return pid;
}
