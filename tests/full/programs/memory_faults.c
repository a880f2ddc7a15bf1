/* flags: -static -lm */
/* SPDX-License-Identifier: MIT */
/* Executes atomic, vector and x87 instructions that fault half-way. A handler lets them
 * continue: it maps the page, emulates the instruction or edits registers of all kinds. The
 * program also saves and loads the whole state of the processor. */
#define _GNU_SOURCE
#include <fenv.h>
#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "say.h"

enum { PAGE = 4096 };
static uint8_t *area;
static unsigned faults;

static void map_it(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	faults++;
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE,
		 PROT_READ | PROT_WRITE);
}

static void skip_it(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)info;
	faults += (unsigned)number;
	c->uc_mcontext.gregs[REG_RIP] = c->uc_mcontext.gregs[REG_R12];
	c->uc_mcontext.gregs[REG_RAX] = 0x1234;
	c->uc_mcontext.gregs[REG_EFL] |= 1;
	c->uc_mcontext.fpregs->_xmm[3].element[0] = 0xabcd;
	c->uc_mcontext.fpregs->mxcsr = 0x1f80 | 0x6000;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(number, &action, NULL);
}

static void forbid(void)
{
	mprotect(area, 4 * PAGE, PROT_NONE);
}

static void atomics(void)
{
	uint8_t *edge = area + PAGE - 4;
	uint64_t x = 5;

	handle(SIGSEGV, map_it);
	forbid();
	for (int i = 0; i < 3; i++) {
		__asm__ volatile("lock addl $3, (%0)" ::"r"(area + 64) : "memory");
		__asm__ volatile("lock xaddq %0, (%1)" : "+r"(x) : "r"(edge) : "memory");
		__asm__ volatile("xchgw %w0, (%1)" : "+r"(x) : "r"(area + 2 * PAGE - 1) : "memory");
		__asm__ volatile("lock cmpxchg8b (%0)" ::"r"(area + 128), "a"(0), "b"(7), "c"(8),
				 "d"(0)
				 : "memory", "cc");
		__asm__ volatile("lock cmpxchg16b (%0)" ::"r"(area + 3 * PAGE), "a"(0), "b"(i),
				 "c"(8), "d"(0)
				 : "memory", "cc");
		__asm__ volatile("lock btsq %1, (%0)" ::"r"(area + PAGE), "r"((int64_t)-70 + i)
				 : "memory", "cc");
		__asm__ volatile("lock notb (%0)\n\tlock negl 4(%0)\n\tlock decb 9(%0)" ::"r"(area +
											      200)
				 : "memory", "cc");
		if (i == 1)
			forbid();
	}
	for (unsigned i = 0; i < 4 * PAGE; i += 8)
		x = x * 31 + *(uint64_t *)(area + i);
	say("atomics %lx, faults %u\n", (unsigned long)x, faults);
}

__attribute__((target("avx2"))) static void vectors(void)
{
	__m256i index = _mm256_setr_epi32(0, PAGE / 4, 2 * PAGE / 4, 3 * PAGE / 4, 1, PAGE / 4 + 1,
					  2 * PAGE / 4 + 1, 3);
	__m256i mask = _mm256_setr_epi32(-1, 0, -1, 0, -1, 0, 0, -1), got;
	uint32_t out[8];

	faults = 0;
	forbid();
	got = _mm256_i32gather_epi32((const int *)area, index, 4);
	_mm256_storeu_si256((__m256i *)out, got);
	say("gather %x %x %x, faults %u\n", out[0], out[3], out[7], faults);
	forbid();
	faults = 0;
	got = _mm256_mask_i32gather_epi32(index, (const int *)area, index, mask, 4);
	_mm256_storeu_si256((__m256i *)out, got);
	say("some of them %x %x %x, faults %u\n", out[1], out[3], out[6], faults);
	mprotect(area, PAGE, PROT_READ | PROT_WRITE);
	mprotect(area + PAGE, PAGE, PROT_NONE);
	faults = 0;
	mask = _mm256_setr_epi32(-1, -1, -1, 0, 0, 0, 0, 0); /* the others are in the next page */
	_mm256_maskstore_epi32((int *)(area + PAGE - 12), mask, index);
	got = _mm256_maskload_epi32((const int *)(area + PAGE - 12), mask);
	_mm256_storeu_si256((__m256i *)out, got);
	say("masked %x %x %x, faults %u\n", out[0], out[2], out[5], faults);
	_mm256_storeu_si256((__m256i *)(area + PAGE - 12), got);
	say("across %x, faults %u\n", *(uint32_t *)(area + PAGE + 4), faults);
}

static void edited(void)
{
	uint64_t rax = 0, low = 0;
	uint8_t carry = 0;
	uint32_t mxcsr;

	faults = 0;
	handle(SIGILL, skip_it);
	handle(SIGSEGV, skip_it);
	handle(SIGTRAP, skip_it);
	for (int i = 0; i < 3; i++) {
		__asm__ volatile(
			"lea 1f(%%rip), %%r12\n\tclc\n\tud2\n\tud2\n1:\tsetc %1\n\tmovq %%xmm3, %2\n\tstmxcsr %3"
			: "+a"(rax), "=m"(carry), "=r"(low), "=m"(mxcsr)::"r12", "xmm3", "cc");
		__asm__ volatile("lea 1f(%%rip), %%r12\n\tmov 0, %%rbx\n\tud2\n1:" ::
					 : "rax", "rbx", "r12", "xmm3", "cc");
		__asm__ volatile("lea 1f(%%rip), %%r12\n\tint3\n\tud2\n1:" ::
					 : "rax", "r12", "xmm3", "cc");
		_mm_setcsr(0x1f80);
	}
	say("edited %lx %d %lx %x, faults %u\n", (unsigned long)rax, carry,
	    (unsigned long)low & 0xffffffff, mxcsr, faults);
}

static sigjmp_buf back;

static void leaves(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	siglongjmp(back, info->si_code);
}

static void floating(void)
{
	volatile double zero = 0, one = 1, huge = 1e300;
	volatile long double quotient;
	volatile float small;
	int why;

	handle(SIGFPE, leaves);
	why = sigsetjmp(back, 1);
	if (!why) {
		feenableexcept(FE_DIVBYZERO);
		one = one / zero;
	}
	say("SSE division %d\n", why);
	fesetenv(FE_DFL_ENV);
	why = sigsetjmp(back, 1);
	if (!why) {
		feenableexcept(FE_DIVBYZERO);
		quotient = 1.0L / (long double)zero;
		__asm__ volatile("fwait");
		quotient += 1;
	}
	say("x87 division %d\n", why);
	fesetenv(FE_DFL_ENV);
	why = sigsetjmp(back, 1);
	if (!why) {
		feenableexcept(FE_OVERFLOW);
		small = (float)huge;
		say("%f\n", (double)small);
	}
	say("overflow %d\n", why);
	fesetenv(FE_DFL_ENV);
	for (int mode = 0; mode < 4; mode++) {
		static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
		volatile double third;
		volatile long double long_third;
		long rounded;

		fesetround(modes[mode]);
		third = 1.0 / (zero + 3);
		long_third = 1.0L / (long double)(zero + 3);
		__asm__ volatile("fldl %1\n\tfistpll %0"
				 : "=m"(rounded)
				 : "m"((const double){ 2.5 })
				 : "st");
		say("mode %d: %a %La %ld\n", mode, third, long_third, rounded);
	}
	fesetround(FE_TONEAREST);
}

static void states(void)
{
	static uint8_t first[512] __attribute__((aligned(64))),
		second[512] __attribute__((aligned(64)));
	uint64_t sum = 0;

	__asm__ volatile(
		"fninit\n\tfldpi\n\tfldl2e\n\tfmul %%st, %%st(1)\n\tmovq %0, %%xmm5\n\tfxsave64 (%1)\n\t"
		"fninit\n\tpxor %%xmm5, %%xmm5\n\tfxrstor64 (%1)\n\tfxsave64 (%2)\n\tfninit" ::"r"(
			UINT64_C(0x1122334455667788)),
		"r"(first), "r"(second)
		: "memory", "xmm5", "st", "st(1)");
	/* without the pointers to instruction and operand, which depend on the kernel */
	for (unsigned i = 24; i < 416; i++)
		sum = sum * 31 + first[i] + (unsigned)(first[i] != second[i]);
	say("fxsave %lx, %d\n", (unsigned long)sum, first[160 + 5 * 16]);
	__asm__ volatile(
		"fninit\n\tfld1\n\tfnsave (%0)\n\tfldpi\n\tfrstor (%0)\n\tfstpl (%1)\n\tfnstenv (%0)\n\tfldenv (%0)" ::
			"r"(first),
		"r"(second)
		: "memory", "st");
	say("fsave %f tags %x\n", *(double *)second, *(uint16_t *)(first + 8));
	__asm__ volatile("movq %0, %%mm0\n\tpaddw %%mm0, %%mm0\n\tmovq %%mm0, (%1)\n\temms" ::"r"(
				 UINT64_C(0x0001000200030004)),
			 "r"(first)
			 : "mm0", "memory");
	say("MMX %lx\n", *(unsigned long *)first);
}

int main(void)
{
	area = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	atomics();
	if (__builtin_cpu_supports("avx2"))
		vectors();
	edited();
	floating();
	states();
	return 0;
}
