/* flags: -mavx512f */
/* SPDX-License-Identifier: MIT */
/* Gathers and scatters whose lanes are on pages that are not there: the kernel maps some, and the
 * handler of a signal others. Prints results, and the mask that each signal frame has. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <immintrin.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include "say.h"

enum { LANES = 16, PAGE = 4096, STATE = 0xd, MASKS = 5, HEADER = 512 };

static uint8_t *pages;

/* Returns k1 of a signal frame. */
static uint64_t mask_of(const ucontext_t *c)
{
	const uint8_t *area = (const uint8_t *)c->uc_mcontext.fpregs;
	uint64_t present, masks[2] = { 0 };
	unsigned size, offset, ecx, edx;

	__cpuid_count(STATE, MASKS, size, offset, ecx, edx);
	memcpy(&present, area + HEADER, sizeof(present));
	if (size && present >> MASKS & 1)
		memcpy(masks, area + offset, sizeof(masks));
	return masks[1];
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	size_t page = (size_t)((uint8_t *)info->si_addr - pages) / PAGE;

	say("signal %d on page %zu, k1 %lx\n", number, page, mask_of(context));
	mprotect(pages + page * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static int gather(__m512i indices, unsigned mask)
{
	__m512i values = _mm512_set1_epi32(5);

	__asm__ volatile("kmovw %1, %%k1; vpgatherdd (%2,%3), %0%{%%k1%}; kmovw %%k1, %1"
			 : "+v"(values), "+r"(mask)
			 : "r"(pages), "v"(indices)
			 : "k1", "memory");
	return _mm512_reduce_add_epi32(values) + (int)mask;
}

static unsigned scatter(__m512i values, __m512i indices, unsigned mask)
{
	__asm__ volatile("kmovw %0, %%k1; vpscatterdd %1, (%2,%3)%{%%k1%}; kmovw %%k1, %0"
			 : "+r"(mask)
			 : "v"(values), "r"(pages), "v"(indices)
			 : "k1", "memory");
	return mask;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	int places[LANES];
	__m512i indices;

	for (int i = 0; i < LANES; i++)
		places[i] = i * 7 % LANES * PAGE + 4 * i;
	indices = _mm512_loadu_si512(places);
	pages = mmap(NULL, LANES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	sigaction(SIGSEGV, &action, NULL);
	say("gather from new pages %d\n", gather(indices, 0xa5f7));
	madvise(pages, LANES * PAGE, MADV_DONTNEED);
	say("scatter to new pages %x\n", scatter(indices, indices, 0xff3f));
	mprotect(pages, LANES * PAGE, PROT_NONE);
	say("gather %d\n", gather(indices, 0xffff));
	mprotect(pages, LANES * PAGE, PROT_READ);
	say("scatter %x\n", scatter(_mm512_set1_epi32(9), indices, 0x0ff0));
	say("gather again %d\n", gather(indices, 0xffff));
	say("all lanes at one place %x\n", scatter(indices, _mm512_setzero_si512(), 0x7ff0));
	say("the last one remains: %d\n", *(int *)pages);
	return 0;
}
