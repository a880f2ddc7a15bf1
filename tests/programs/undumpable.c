/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Makes itself undumpable, then executes code that has not run before: the C library's, a child's, code
 * that it has just written; and again behind a filter of seccomp. Prints the kernel's answers, also
 * after exec.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int sorted(void)
{
	int numbers[25];

	for (int i = 0; i < 25; i++)
		numbers[i] = i * 19 % 25;
	qsort(numbers, 25, sizeof(*numbers), compare);
	return numbers[17];
}

static int written(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, "\xb8\x07\0\0\0\xc3", 6);	/* mov $7, %eax; ret */
	return ((int (*)(void))code)();
}

static int in_child(pid_t child)
{
	int status;

	if (!child)
		_exit(30 + prctl(PR_GET_DUMPABLE));
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

/* Sets the dumpable flag, and prints the result and the value read back. */
static void set(unsigned long dumpable)
{
	int result = prctl(PR_SET_DUMPABLE, dumpable);

	printf("%d %d\n", result, prctl(PR_GET_DUMPABLE));
}

/* Installs a filter that allows all calls. */
static int confine(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { 1, &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("%d\n", prctl(PR_GET_DUMPABLE));
	if (argc > 1)
		return 0;
	set(0);
	printf("%d %d\n", sorted(), written());
	printf("%d\n", in_child(fork()));
	printf("%d\n", in_child(vfork()));
	set(1);
	set(7);
	set(0);
	printf("%d\n", sorted());
	printf("%d\n", confine());
	printf("%d\n", prctl(PR_GET_DUMPABLE));
	set(1);
	set(0);
	printf("%d\n", in_child(fork()));
	execl(argv[0], argv[0], "again", NULL);
	return 1;
}
