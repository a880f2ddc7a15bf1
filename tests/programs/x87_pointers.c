/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Prints the x87 instruction pointer from every place where a program can find it: a line each, with the
 * name of the place and "own" (the instruction's address), "0" or "other".
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

struct area {
	uint8_t bytes[4096];
} __attribute__((aligned(64)));

static struct area area;
static double one = 1;
static uint64_t frame_pointer;
static char lines[4096], *lines_end = lines;

enum { AREA = 8, ENVIRONMENT = 12, SHORT_ENVIRONMENT = 6 };

static void tell(const char *name, uint64_t found, uint64_t pc, unsigned n_bytes)
{
	uint64_t mask = n_bytes < 8 ? (UINT64_C(1) << 8 * n_bytes) - 1 : UINT64_MAX;

	found &= mask;
	lines_end = stpcpy(stpcpy(lines_end, name), " ");
	lines_end = stpcpy(lines_end, !found ? "0\n" : found == (pc & mask) ? "own\n" : "other\n");
}

static void tell_area(const char *name, unsigned at, uint64_t pc, unsigned n_bytes)
{
	uint64_t found = 0;

	memcpy(&found, area.bytes + at, n_bytes);
	tell(name, found, pc, n_bytes);
	memset(&area, 0, sizeof(area));
}

/* An x87 instruction, others, and one that stores the pointers. */
#define TRY(name, at, n_bytes, between, store)                                                     \
	do {                                                                                       \
		uint64_t pc;                                                                       \
		__asm__ volatile("lea 1f(%%rip), %0; fninit; mov $-1, %%eax; mov $-1, %%edx\n"     \
				 "1: fldl %2\n" between "\n" store                                 \
				 : "=&r"(pc), "+m"(area)                                           \
				 : "m"(one)                                                        \
				 : "rax", "rcx", "rdx", "rdi", "rsi", "r8", "r9", "r10", "r11",    \
				   "cc", "memory");                                                \
		tell_area(name, at, pc, n_bytes);                                                  \
	} while (0)

#define SYSTEM_CALL(number) "mov $" number ", %%eax; syscall; mov $-1, %%eax; mov $-1, %%edx"
#define LOOP                "mov $9, %%ecx; 2: dec %%ecx; jnz 2b"
#define CALL                "lea 3f(%%rip), %%rcx; jmp *%%rcx; 3:"
/* mmap of a page: the recorder must see the call */
#define MAP                                                                                        \
	"xor %%edi, %%edi; mov $4096, %%esi; mov $1, %%edx; mov $0x22, %%r10d; mov $-1, %%r8;"     \
	"xor %%r9d, %%r9d;" SYSTEM_CALL("9")

static void try_stores(void)
{
	TRY("fnstenv", ENVIRONMENT, 4, "", "fnstenv %1");
	TRY("fnstenvs", SHORT_ENVIRONMENT, 2, "", "data16 fnstenv %1");
	TRY("fnsave", ENVIRONMENT, 4, "", "fnsave %1");
	TRY("fnsave.twice", ENVIRONMENT, 4, "fnsave %1", "fnsave %1");
	TRY("fxsave", AREA, 4, "", "fxsave %1");
	TRY("fxsave64", AREA, 8, "", "fxsave64 %1");
	TRY("fninit", ENVIRONMENT, 4, "fninit", "fnstenv %1");
	TRY("fnclex", ENVIRONMENT, 4, "fnclex", "fnstenv %1");
	TRY("loop", ENVIRONMENT, 4, LOOP, "fnstenv %1");
	TRY("jump", ENVIRONMENT, 4, CALL, "fnstenv %1");
	TRY("getpid", ENVIRONMENT, 4, SYSTEM_CALL("39"), "fnstenv %1");
	TRY("map", ENVIRONMENT, 4, MAP, "fnstenv %1");
	TRY("map.loop.fnsave", ENVIRONMENT, 4, MAP "\n" LOOP, "fnsave %1");
	TRY("cpuid", ENVIRONMENT, 4, "push %%rbx; cpuid; pop %%rbx", "fnstenv %1");
}

static void try_xsave(void)
{
	unsigned a, b = 0, c = 0, d, features = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	__get_cpuid_count(0xd, 1, &features, &b, &c, &d);
	TRY("xsave", AREA, 4, "", "xsave %1");
	TRY("xsave64", AREA, 8, LOOP "\nmov $-1, %%eax", "xsave64 %1");
	if (features & 1)
		TRY("xsaveopt64", AREA, 8, "", "xsaveopt64 %1");
	if (features & 2)
		TRY("xsavec64", AREA, 8, "", "xsavec64 %1");
}

static void note_frame(int signal, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)info;
	frame_pointer = u->uc_mcontext.fpregs->rip;
	if (signal == SIGFPE) {
		u->uc_mcontext.fpregs->swd = 0;
		u->uc_mcontext.fpregs->cwd = 0x37f;
	}
}

static void try_frames(void)
{
	const struct sigaction action = { .sa_sigaction = note_frame, .sa_flags = SA_SIGINFO };
	const uint16_t unmasked = 0x37b; /* division by 0 */
	uint64_t pc;

	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	__asm__ volatile("lea 1f(%%rip), %0; fninit; fldcw %1; fld1; fldz\n"
			 "1: fdivrp; fwait; fninit"
			 : "=&r"(pc)
			 : "m"(unmasked));
	tell("frame.sigfpe", frame_pointer, pc, 8);
	__asm__ volatile("lea 1f(%%rip), %0; fninit\n"
			 "1: fldl %1; mov $39, %%eax; syscall; mov %%eax, %%edi;"
			 "mov $10, %%esi; mov $62, %%eax; syscall; fninit"
			 : "=&r"(pc)
			 : "m"(one)
			 : "rax", "rcx", "rdi", "rsi", "r11", "memory");
	tell("frame.sigusr1", frame_pointer, pc, 8);
	__asm__ volatile("lea 1f(%%rip), %0; fninit; fldcw %2; fld1; fldz\n"
			 "1: fdivrp; fxsave64 %1; fninit"
			 : "=&r"(pc), "+m"(area)
			 : "m"(unmasked));
	tell_area("pending.fxsave64", AREA, pc, 8);
	__asm__ volatile("lea 1f(%%rip), %0; fninit; fldcw %2; fld1; fldz\n"
			 "1: fdivrp; fnclex; fnstenv %1; fninit"
			 : "=&r"(pc), "+m"(area)
			 : "m"(unmasked));
	tell_area("cleared.fnstenv", ENVIRONMENT, pc, 4);
}

/* Recordings may end anywhere in this function. */
__attribute__((noinline)) void detached(void)
{
	TRY("detached", ENVIRONMENT, 4, "nop; nop; nop; mov $3, %%ecx; 2: dec %%ecx; jnz 2b; nop; nop", "fnstenv %1");
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "detached") == 0) {
		detached();
		return write(1, lines, strlen(lines)) < 0;
	}
	for (int i = 0; i < 2; i++) {
		try_stores();
		try_xsave();
		try_frames();
	}
	return write(1, lines, strlen(lines)) < 0;
}
