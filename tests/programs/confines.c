/* SPDX-License-Identifier: MIT */
/*
 * confines: installs a filter that kills it at some system calls that it does not need; then a thread
 * adds numbers. confines -: first prints its pid and waits for the end of its input.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORBID(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
		       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void *add(void *sum)
{
	for (unsigned i = 0; i < 1000; i++)
		*(unsigned *)sum += i;
	return NULL;
}

static int confine(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		FORBID(SYS_memfd_create), FORBID(SYS_mremap), FORBID(SYS_rt_tgsigqueueinfo),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	unsigned sum = 0;

	(void)argv;
	alarm(300);
	if (confine())
		return 1;
	if (argc > 1) {
		printf("%d\n", getpid());
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	pthread_create(&thread, NULL, add, &sum);
	pthread_join(thread, NULL);
	printf("%u\n", sum);
	return 0;
}
