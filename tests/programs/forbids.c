/* SPDX-License-Identifier: MIT */
/*
 * Forbids itself something that code around it may rely on, and goes on with calculation and system
 * calls. Prints what it sees.
 * usage: forbids time|handler|fork|alignment|code|key|writable|locked|executable
 */
#define _GNU_SOURCE
#include <signal.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static volatile sig_atomic_t caught;
static sigjmp_buf behind;

/* Sets the flag AC, which handlers inherit. */
static inline __attribute__((always_inline)) void check_alignment(int on)
{
	if (on)
		__asm__ volatile("sub $128, %%rsp; pushfq; orl $0x40000, (%%rsp); popfq; add $128, %%rsp"
				 ::: "cc", "memory");
	else
		__asm__ volatile("sub $128, %%rsp; pushfq; andl $~0x40000, (%%rsp); popfq; add $128, %%rsp"
				 ::: "cc", "memory");
}

static void on_signal(int signal)
{
	check_alignment(0);
	caught = signal;
	siglongjmp(behind, 1);
}

static void catch(int signal)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(signal, &action, NULL);
}

enum { CALLS = 50 };

/* Makes system calls one behind the other. */
static long work(void)
{
	long sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += syscall(SYS_getppid) > 0;
	return sum;
}

static void say(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	fflush(stdout);
}

static int may_read_time(void)
{
	if (sigsetjmp(behind, 1))
		return 0;
	__builtin_ia32_rdtsc();
	return 1;
}

static void forbid_time(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	say("calls", work());
}

static void forbid_and_catch(void)
{
	catch(SIGSEGV);
	forbid_time();
	say("reads", may_read_time());
	say("caught", caught);
	say("calls", work());
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	say("reads", may_read_time());
	say("calls", work());
}

static void forbid_to_child(void)
{
	int status;
	pid_t child;

	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	child = fork();
	if (child == 0)
		_exit(work() == CALLS ? 7 : 8);
	waitpid(child, &status, 0);
	say("child", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static uint64_t numbers[64];

static uint64_t aligned_work(void)
{
	uint64_t sum = 0, rounds = 640;

	__asm__ volatile("1: mov %1, %%rcx; and $63, %%ecx; add %%rcx, (%2, %%rcx, 8)\n"
			 "xor $21, %%ecx; xor (%2, %%rcx, 8), %0; dec %1; jnz 1b"
			 : "+r"(sum), "+r"(rounds) : "r"(numbers) : "rcx", "cc", "memory");
	return sum;
}

static void align(void)
{
	const char *odd = (const char *)numbers + 1;
	volatile uint64_t sum = 0;
	volatile int fine = 0;

	catch(SIGBUS);
	if (sigsetjmp(behind, 1) == 0) {
		check_alignment(1);
		sum = aligned_work();
		__asm__ volatile("movq (%0), %%rax" : : "r"(odd) : "rax", "memory");
		fine = 1;
	}
	check_alignment(0);
	say("sum", (long)(sum & 0xffffff));
	say("misaligned", fine);
	say("caught", caught);
}

/* Changes code at odd addresses, and calls each version often. */
static void run_code(void)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const uint8_t add[] = { 0x90, 0x48, 0x8d, 0x47, 0x05, 0x90, 0x90, 0xc3 };
	long (*f)(long) = (long (*)(long))(uintptr_t)(code + 3);
	long sum = 0;

	memcpy(code + 3, add, sizeof(add));
	catch(SIGBUS);
	if (sigsetjmp(behind, 1) == 0) {
		check_alignment(1);
		for (long i = 0; i < 300; i++)
			sum += f(i);
	}
	check_alignment(0);
	say("sum", sum);
	say("caught", caught);
}

/* ---- protection keys ---- */

static uint32_t read_keys(void)
{
	uint32_t keys, high;

	__asm__ volatile(".byte 0x0f, 0x01, 0xee" : "=a"(keys), "=d"(high) : "c"(0));
	return keys;
}

static void write_keys(uint32_t keys)
{
	__asm__ volatile(".byte 0x0f, 0x01, 0xef" : : "a"(keys), "c"(0), "d"(0) : "memory");
}

/* Computes only in registers while protection key 0 is denied as in `keys`. */
static __attribute__((noinline)) long without_key_0(uint32_t keys, long rounds)
{
	long sum = 0;

	__asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; .byte 0x0f, 0x01, 0xef\n"
			 "1: lea 3(%0, %1), %0; test $5, %0; jz 2f; inc %0\n"
			 "2: dec %1; jnz 1b\n"
			 "xor %%eax, %%eax; xor %%ecx, %%ecx; .byte 0x0f, 0x01, 0xef"
			 : "+r"(sum), "+r"(rounds), "+a"(keys) : : "rcx", "rdx", "cc", "memory");
	return sum;
}

static void deny_key(void)
{
	enum { DENY_ACCESS = 1, DENY_WRITE = 2 };
	int key = pkey_alloc(0, 0);
	uint32_t before;

	if (key < 0) {
		say("no keys", 0);
		return;
	}
	before = read_keys();
	say("sum", without_key_0(before | DENY_ACCESS, 500));
	write_keys(before);
	say("sum", without_key_0(before | DENY_WRITE, 500));
	write_keys(before);
	say("calls", work());
	say("key 0", (long)(read_keys() & 3));
}

/* ---- memory ---- */

static void forbid_writable_code(void)
{
	void *code;

	say("mdwe", prctl(PR_SET_MDWE, 1, 0, 0, 0));
	say("calls", work());
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("mapped", code != MAP_FAILED);
	qsort(numbers, 64, sizeof(*numbers), (int (*)(const void *, const void *))memcmp);
	say("sum", (long)(aligned_work() & 0xffffff));
}

static void lock_memory(void)
{
	say("locked", mlockall(MCL_CURRENT | MCL_FUTURE));
	say("thp", prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	say("sum", (long)(aligned_work() & 0xffffff));
	say("calls", work());
}

static void read_implies_exec(void)
{
	uint8_t *code;

	personality(personality(0xffffffff) | READ_IMPLIES_EXEC);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code, "\x48\x8d\x47\x07\xc3", 5);
	for (long i = 0; i < 1000; i++)
		numbers[0] += (uint64_t)((long (*)(long))(uintptr_t)code)(i);
	say("sum", (long)numbers[0]);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{ "time", forbid_time }, { "handler", forbid_and_catch },
		{ "fork", forbid_to_child }, { "alignment", align }, { "code", run_code },
		{ "key", deny_key }, { "writable", forbid_writable_code },
		{ "locked", lock_memory }, { "executable", read_implies_exec },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run();
			return 0;
		}
	return 2;
}
