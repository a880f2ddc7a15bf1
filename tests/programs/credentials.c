/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Changes its credentials as the first argument says (+WAY: confined by seccomp), and goes on in code that
 * has not run before: the process is undumpable from then on, as by PR_SET_DUMPABLE. Prints whether the
 * call has been made, the result of PR_GET_DUMPABLE, and whether all else went well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int sorts(void)
{
	int numbers[300];

	for (int i = 0; i < 300; i++)
		numbers[i] = i * 7919 % 301;
	qsort(numbers, 300, sizeof(*numbers), by_number);
	for (int i = 1; i < 300; i++)
		if (numbers[i] < numbers[i - 1])
			return 0;
	return 1;
}

/* mov $7, %eax; ret */
static int runs_new_code(void)
{
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 0;
	memcpy(code, "\xb8\x07\0\0\0\xc3", 6);
	return ((int (*)(void))(uintptr_t)code)() == 7;
}

static int child_sorts(pid_t child)
{
	int status = -1;

	if (child == 0)
		_exit(sorts() ? 3 : 4);
	return child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3;
}

static void *in_thread(void *result)
{
	*(int *)result = sorts() && runs_new_code();
	return NULL;
}

static int thread_sorts(void)
{
	pthread_t thread;
	int result = 0;

	return pthread_create(&thread, NULL, in_thread, &result) == 0 &&
	       pthread_join(thread, NULL) == 0 && result;
}

/* Drops a capability, or adds one to the present ones. */
static int set_capabilities(int raise)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2];

	if (syscall(SYS_capget, &header, sets))
		return -1;
	sets[0].effective &= ~1u;
	if (syscall(SYS_capset, &header, sets))
		return -1;
	sets[0].effective |= raise;
	return (int)syscall(SYS_capset, &header, sets);
}

/* Installs a filter that allows everything. */
static void confine(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

__attribute__((noinline)) int change(const char *way)
{
	if (strcmp(way, "setuid") == 0)
		return setuid(NOBODY);
	if (strcmp(way, "setgid") == 0)
		return setgid(NOBODY);
	if (strcmp(way, "setreuid") == 0)
		return setreuid(-1, NOBODY);
	if (strcmp(way, "setregid") == 0)
		return setregid(-1, NOBODY);
	if (strcmp(way, "setresuid") == 0)
		return setresuid(NOBODY, NOBODY, 0);
	if (strcmp(way, "setresgid") == 0)
		return setresgid(NOBODY, NOBODY, NOBODY);
	if (strcmp(way, "raw") == 0)
		return (int)syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	if (strcmp(way, "setfsuid") == 0)
		return setfsuid(NOBODY) < 0;
	if (strcmp(way, "setfsgid") == 0)
		return setfsgid(NOBODY) < 0;
	if (strcmp(way, "setgroups") == 0)
		return setgroups(0, NULL);
	if (strcmp(way, "capset") == 0)
		return set_capabilities(0);
	if (strcmp(way, "capset.more") == 0)
		return set_capabilities(1);
	if (strcmp(way, "drop") == 0)
		return setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY);
	if (strcmp(way, "back") == 0)
		return seteuid(NOBODY) || seteuid(0);
	if (strcmp(way, "dumpable") == 0)
		return setresuid(NOBODY, NOBODY, 0) || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (strcmp(way, "vfork") == 0) {
		pid_t child = vfork();
		int status;

		if (child == 0)
			_exit(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? 1 : 0);
		return child < 0 || waitpid(child, &status, 0) != child || status;
	}
	return -1;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int status;

	if (*way == '+') {
		confine();
		way++;
	}
	status = change(way);

	printf("%d %d", status, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	printf(" %d", sorts());
	printf(" %d", runs_new_code());
	printf(" %d", child_sorts(fork()));
	printf(" %d", child_sorts(vfork()));
	printf(" %d", thread_sorts());
	printf(" %d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	fflush(stdout);
	if (argc > 2) {
		execv(argv[2], argv + 2);
		printf("%s\n", strerror(errno));
	}
	return 0;
}
