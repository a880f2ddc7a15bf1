/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Threads that execute instructions which hide their single step, at the same time and in the same code, while the
 * alignment check is on, so that the recorder steps them. Another thread computes. */
#include <pthread.h>
#include <stdio.h>

static void *hide(void *unused)
{
	long count = 0;

	(void)unused;
	__asm__ volatile("pushf\n\torl $0x40000, (%%rsp)\n\tpopf\n\tmov $300, %%ecx\n\tmov %%ss, %%edx\n"
			 "1:\tmov %%edx, %%ss\n\tinc %0\n\tsmsw %%eax\n\tinc %0\n\tmov %%edx, %%ss\n\t"
			 "dec %%ecx\n\tjnz 1b\n\tpushf\n\tandl $~0x40000, (%%rsp)\n\tpopf"
			 : "+r"(count) :: "rax", "rcx", "rdx", "cc", "memory");
	return (void *)count;
}

static void *compute(void *unused)
{
	for (volatile long i = 0; i < 300000; i++)
		;
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	void *count;
	long sum = 0;

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i ? hide : compute, NULL);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], &count);
		sum += (long)count;
	}
	printf("%ld\n", sum);
	return 0;
}
