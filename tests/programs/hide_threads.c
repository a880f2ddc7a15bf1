/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Threads that execute instructions which hide their single step, at the same time and in the same code. The code is
 * writable and the alignment check is on: the recorder, which compares such code, steps what lies at odd addresses.
 * Another thread computes. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

__attribute__((aligned(4096))) static void *hide(void *unused)
{
	long count = 0;

	(void)unused;
	__asm__ volatile("pushf\n\torl $0x40000, (%%rsp)\n\tpopf\n\tmov $300, %%ecx\n\tmov %%ss, %%edx\n"
			 ".balign 8\n\tnop\n1:\tmov %%edx, %%ss\n\tinc %0\n\tsmsw %%eax\n\tinc %0\n\tmov %%edx, %%ss\n\t"
			 "dec %%ecx\n\tjnz 1b\n\tpushf\n\tandl $~0x40000, (%%rsp)\n\tpopf"
			 : "+r"(count) :: "rax", "rcx", "rdx", "cc", "memory");
	return (void *)count;
}

__attribute__((aligned(4096))) static void *compute(void *unused)
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

	mprotect((void *)(uintptr_t)hide, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i ? hide : compute, NULL);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], &count);
		sum += (long)count;
	}
	printf("%ld\n", sum);
	return 0;
}
