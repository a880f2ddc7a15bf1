/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Sets flags by some instructions and reads them by others. Executes string instructions upwards
 * and downwards, overlapping, of 0 elements, with 32-bit registers, and across pages that a
 * handler makes accessible. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "say.h"

static uint64_t sum = 1;
enum { DEFINED = 0x8d5 };

static void add(uint64_t x)
{
	sum = (sum ^ x) * 0x9e3779b97f4a7c15;
	sum ^= sum >> 31;
}

#define FLAGS(text, mask, x, y)                                                 \
	do {                                                                    \
		uint64_t a = (x), f;                                            \
		__asm__ volatile("sub $128, %%rsp\n\tcmp %%rax, %%rax\n\t" text \
				 "\n\tpushfq\n\tpop %1\n\tadd $128, %%rsp"      \
				 : "+a"(a), "=r"(f)                             \
				 : "c"((uint64_t)(y)), "d"((uint64_t)0)         \
				 : "cc");                                       \
		add(a);                                                         \
		add(f &(mask));                                                 \
	} while (0)

static void arithmetic(uint64_t x, uint64_t y)
{
	FLAGS("add %%rcx, %%rax", DEFINED, x, y);
	FLAGS("stc\n\tadc %%ecx, %%eax", DEFINED, x, y);
	FLAGS("sub %%cx, %%ax", DEFINED, x, y);
	FLAGS("stc\n\tsbb %%cl, %%al", DEFINED, x, y);
	FLAGS("cmp %%ch, %%ah", DEFINED, x, y);
	FLAGS("neg %%rax", DEFINED, x, y);
	FLAGS("incb %%al", DEFINED, x, y);
	FLAGS("stc\n\tdec %%eax", DEFINED, x, y);
	FLAGS("test %%rcx, %%rax", DEFINED & ~0x10, x, y);
	FLAGS("xor %%ecx, %%eax", DEFINED & ~0x10, x, y);
	FLAGS("rcl $1, %%rax", DEFINED, x, y);
	FLAGS("stc\n\trcr $1, %%eax", DEFINED, x, y);
	FLAGS("rol %%cl, %%ax", 0xd4, x, y);
	FLAGS("shl %%cl, %%rax", y & 63 ? 0xc4 : DEFINED, x, y);
	FLAGS("sar %%cl, %%eax", y & 31 ? 0xc4 : DEFINED, x, y);
	FLAGS("shld $3, %%rcx, %%rax", 0xc5, x, y);
	FLAGS("shrd %%cl, %%rdx, %%rax", y & 63 ? 0xc4 : DEFINED, x, y);
	FLAGS("bt %%rcx, %%rax", 0x41, x, y);
	FLAGS("btc $33, %%rax", 0x41, x, y);
	FLAGS("mov %%rcx, %%rdx\n\tmul %%rdx", 0x801, x, y);
	FLAGS("imul %%ecx, %%eax", 0x801, x, y);
	FLAGS("xadd %%al, %%al", DEFINED, x, y);
	FLAGS("cmpxchg %%rcx, %%rax", DEFINED, x, y);
	FLAGS("sahf\n\tlahf", 0xd5, x, y);
	FLAGS("cmc\n\tsetc %%al\n\tsetle %%ah", DEFINED, x, y);
	FLAGS("cmp %%rcx, %%rax\n\tcmovl %%rcx, %%rax\n\tcmovnp %%rdx, %%rax", DEFINED, x, y);
	FLAGS("bswap %%rax\n\tmovsbl %%al, %%ecx\n\tcltq\n\tcqto\n\tadd %%rdx, %%rax", DEFINED, x,
	      y);
}

static void popf_of(uint64_t image)
{
	uint64_t f;

	__asm__ volatile(
		"sub $128, %%rsp\n\tpush %1\n\tpopfq\n\tpushfq\n\tpop %0\n\tpushq $0x202\n\tpopfq\n\tadd $128, %%rsp"
		: "=&r"(f)
		: "r"(image)
		: "cc", "memory");
	add(f);
}

static uint8_t area[8192] __attribute__((aligned(4096)));

#define STRING(text, from, to, n)                                                                 \
	do {                                                                                      \
		uint64_t s = (uint64_t)(from), d = (uint64_t)(to), c = (uint64_t)(n), a = 'x', z; \
		__asm__ volatile("cmp %%rsp, %%rsp\n\t" text                                      \
				 "\n\tsetz %%bl\n\tmovzx %%bl, %%ebx\n\tcld"                      \
				 : "+S"(s), "+D"(d), "+c"(c), "+a"(a), "=b"(z)::"cc", "memory");  \
		add(s - (uint64_t)area);                                                          \
		add(d - (uint64_t)area);                                                          \
		add(c + a + z);                                                                   \
	} while (0)

static void strings(void)
{
	for (unsigned i = 0; i < sizeof(area); i++)
		area[i] = (uint8_t)(i * 13 ^ i >> 5);
	for (unsigned n = 0; n < 20; n++) {
		STRING("rep movsb", area + n, area + n + 1, 50);
		STRING("std\n\trep movsb", area + 200, area + 199 + n, n);
		STRING("rep movsq", area + 300, area + 304, n);
		STRING("std\n\trep movsw", area + 700, area + 702, n);
		STRING("rep stosl", area, area + 900, n);
		STRING("std\n\trep stosq", area, area + 1500, n);
		STRING("repe cmpsb", area + 100, area + 101 + n % 3, n);
		STRING("repne scasb", area, area + 1000, 300);
		STRING("std\n\trepne scasw", area, area + 1100, n);
		STRING("rep lodsb", area + n, area, n);
		STRING("repne movsb", area + 3000, area + 3100, n);
		STRING("lodsw\n\tstosb\n\tscasl\n\tcmpsq\n\tmovsb", area + n, area + 2000, n);
	}
	for (unsigned i = 0; i < sizeof(area); i += 8)
		add(*(uint64_t *)(area + i));
}

static uint8_t *guarded;
static unsigned faults;

static void on_fault(int number, siginfo_t *info, void *context)
{
	uint8_t *at = (uint8_t *)((uint64_t)info->si_addr & ~UINT64_C(4095));

	(void)number;
	(void)context;
	faults++;
	mprotect(at, 4096, PROT_READ | PROT_WRITE);
}

static void through_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	uint8_t *low;

	sigaction(SIGSEGV, &action, NULL);
	guarded = mmap(NULL, 16 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
	memset(guarded, 'q', 4096);
	STRING("rep movsb", guarded, guarded + 4096 - 100, 3000);
	STRING("rep stosq", guarded, guarded + 5000, 2000);
	STRING("std\n\trep movsq", guarded + 4000, guarded + 15 * 4096 + 8, 400);
	mprotect(guarded, 16 * 4096, PROT_NONE);
	STRING("repe cmpsb", guarded, guarded + 4096, 4096 * 2);
	mprotect(guarded, 16 * 4096, PROT_NONE);
	STRING("repne scasb", guarded, guarded + 10, 4096 * 15);
	say("faults %u\n", faults);
	low = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
		   0);
	if (low == MAP_FAILED)
		return;
	STRING("addr32 rep stosb", low, low, 0xffffffff00000010);
	STRING("movabs $0x700000000, %%rbx\n\tor %%rbx, %%rdi\n\taddr32 rep movsb", low + 4,
	       low + 100, 20);
}

int main(void)
{
	static const uint64_t values[] = { 0,
					   1,
					   2,
					   0x7f,
					   0x80,
					   0xff,
					   0x7fff,
					   0x8000,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   0x7fffffffffffffff,
					   0x8000000000000000,
					   UINT64_MAX,
					   0x123456789abcdef };
	enum { N = sizeof(values) / sizeof(*values) };

	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < N; k++)
			arithmetic(values[i], values[k]);
	say("arithmetic %lx\n", (unsigned long)sum);
	for (uint64_t image = 0; image < 0x1000; image += 0x55)
		popf_of((image & 0xcd5) | 0x202);
	popf_of(0x200202);
	say("popf %lx\n", (unsigned long)sum);
	sum = 1;
	strings();
	say("strings %lx\n", (unsigned long)sum);
	through_faults();
	return 0;
}
