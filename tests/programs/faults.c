/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * faults [HOW]: signals that the recorder itself needs, SIGSEGV and SIGTRAP, blocked, ignored and
 * handled, each after enough instructions for the recorder to have raised them; faults whose handlers
 * check all state and go on behind the instruction. Prints the outcomes; the same in each run.
 * With an argument the program dies in one of these ways: ignored, blocked, reset (all three of
 * SIGSEGV), trap-ignored, trap-blocked, divide-blocked.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fill.h"

enum { PAGE = 4096, OWN = 2 };

static const int own[OWN] = { SIGSEGV, SIGTRAP };
static volatile sig_atomic_t count[65], depth;
static siginfo_t last;
static sigjmp_buf back;
static uint8_t *page, *hole;

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO };

	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(number, &action, NULL);
}

static int blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

static int pending(int number)
{
	sigset_t now;

	sigpending(&now);
	return sigismember(&now, number);
}

static void block(int how, int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(how, &set, NULL);
}

static void counts(int number, siginfo_t *info, void *context)
{
	(void)context;
	count[number]++;
	last = *info;
	fill();
}

static void told(const char *what, int number)
{
	struct sigaction is;

	sigaction(number, NULL, &is);
	printf("%d %s: %s, mask %d, flags %x, blocked %d, pending %d, handled %d\n", number, what,
	       is.sa_handler == SIG_DFL ? "default" :
	       is.sa_handler == SIG_IGN ? "ignored" :
	       is.sa_sigaction == counts ? "counts" : "wrong",
	       sigismember(&is.sa_mask, SIGHUP), is.sa_flags & ~0x4000000, blocked(number),
	       pending(number), (int)count[number]);
}

static void origin(const char *what, int number, const siginfo_t *info)
{
	printf("%d %s: number %d, code %d, by itself %d\n", number, what, info->si_signo,
	       info->si_code, info->si_pid == getpid());
}

/* Checks that dispositions and masks stay as set, and that signals arrive once they are allowed. */
static void dispositions(int number)
{
	const struct timespec none = { 0 };
	siginfo_t info;
	sigset_t set;

	signal(number, SIG_IGN);
	fill();
	told("ignored", number);
	raise(number);
	fill();
	told("raised, ignored", number);

	handle(number, counts, 0);
	block(SIG_BLOCK, number);
	fill();
	told("blocked", number);
	raise(number);
	fill();
	fill();
	told("raised, blocked", number);
	block(SIG_UNBLOCK, number);
	told("let in", number);
	origin("let in", number, &last);

	block(SIG_BLOCK, number);
	fill();
	kill(getpid(), number);
	fill();
	sigemptyset(&set);
	sigaddset(&set, number);
	memset(&info, 0, sizeof(info));
	sigtimedwait(&set, &info, &none);
	origin("fetched", number, &info);
	raise(number);
	fill();
	memset(&info, 0, sizeof(info));
	sigtimedwait(&set, &info, &none);
	origin("fetched", number, &info);
	told("fetched", number);

	raise(number);
	fill();
	sigemptyset(&set);
	printf("suspended: %d, ", sigsuspend(&set));
	told("suspended", number);
	signal(number, SIG_DFL);
	fill();
	told("blocked, default", number);
	signal(number, SIG_IGN);
	fill();
	raise(number);
	fill();
	told("blocked, ignored", number);
	block(SIG_UNBLOCK, number);

	handle(number, counts, SA_RESETHAND);
	raise(number);
	fill();
	told("once", number);
	block(SIG_BLOCK, number);
	fill();
	block(SIG_UNBLOCK, number);
	fill();
	told("once and for all", number);
}

/* The instructions that fault are named; a handler tells which it was and goes on behind it. */
extern const char before_load[], before_store[], before_high[], before_divide[], before_beyond[],
	before_illegal[], before_trap[], behind_load[], behind_store[], behind_high[],
	behind_divide[], behind_beyond[], behind_illegal[], behind_trap[];
static const struct { const char *name, *before, *behind; } places[] = {
	{ "load", before_load, behind_load }, { "store", before_store, behind_store },
	{ "high", before_high, behind_high }, { "divide", before_divide, behind_divide },
	{ "beyond", before_beyond, behind_beyond },
	{ "illegal", before_illegal, behind_illegal }, { "trap", before_trap, behind_trap },
};

static const char *address_of(const siginfo_t *info, const char *before)
{
	static char text[32];
	const uint8_t *at = info->si_addr;

	if (at == (const uint8_t *)before)
		return "the instruction's";
	if (at >= page && at < page + 2 * PAGE)
		snprintf(text, sizeof(text), "page + %td", at - page);
	else if (at >= hole && at < hole + PAGE)
		snprintf(text, sizeof(text), "hole + %td", at - hole);
	else
		snprintf(text, sizeof(text), "%p", info->si_addr);
	return text;
}

static void skips(int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	fill();
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *pc = (const char *)r[REG_RIP];

		if (pc != places[i].before && (number != SIGTRAP || pc != places[i].behind))
			continue;
		printf("%s: signal %d, code %d, address %s, trap %d, error %d\n", places[i].name,
		       number, info->si_code, address_of(info, places[i].before),
		       (int)r[REG_TRAPNO], (int)r[REG_ERR]);
		printf("rbx %llx r8 %llx r11 %llx r12 %llx\n", r[REG_RBX], r[REG_R8], r[REG_R11],
		       r[REG_R12]);
		r[REG_R12] += 5;
		r[REG_RIP] = (greg_t)places[i].behind;
		return;
	}
	printf("signal %d at a strange place, %llx\n", number, r[REG_RIP]);
	exit(1);
}

#define FAULT(name, insn, ...) \
	do { \
		uint64_t sum = 7; \
		__asm__ volatile("mov $11, %%ebx; mov $22, %%r8d; mov $33, %%r11d\n\t" \
				 "mov %0, %%r12; add %%r8, %%rbx; lea (%%rbx,%%r11), %%r11\n\t" \
				 ".globl before_" #name "\nbefore_" #name ": " insn "\n" \
				 ".globl behind_" #name "\nbehind_" #name ": mov %%r12, %0" \
				 : "+r"(sum) : __VA_ARGS__ \
				 : "rbx", "r8", "r11", "r12", "memory", "cc"); \
		printf("%s: %d\n", #name, (int)sum); \
	} while (0)

static void instructions(void)
{
	int file = memfd_create("file", 0);

	for (int number = SIGILL; number <= SIGSEGV; number++)
		if (number != SIGABRT && number != SIGKILL && number != SIGUSR1)
			handle(number, skips, SA_ONSTACK | SA_NODEFER);
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	hole = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int round = 0; round < 2; round++) {
		FAULT(load, "mov 24(%1), %%rax", "r"(hole));
		FAULT(store, "add %%rbx, 16(%1)", "r"(hole));
		FAULT(high, "mov 8(%1), %%eax", "r"(UINT64_C(1) << 63));
		FAULT(divide, "div %1", "r"(0), "a"(1), "d"(0));
		FAULT(beyond, "mov 40(%1), %%eax", "r"(page));
		FAULT(illegal, "ud2", "r"(0));
		FAULT(trap, "int3", "r"(0));
	}
}

static void jumps(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	count[number]++;
	if (++depth < 3)
		*(volatile int *)(hole + depth) = 1;
	fill();
	siglongjmp(back, number);
}

static void nested(void)
{
	count[SIGSEGV] = 0;
	handle(SIGSEGV, jumps, SA_NODEFER | SA_ONSTACK);
	for (int i = 0; i < 3; i++) {
		depth = 0;
		if (!sigsetjmp(back, 1))
			*(volatile int *)hole = 1;
	}
	printf("nested: %d, blocked %d\n", (int)count[SIGSEGV], blocked(SIGSEGV));
}

static void dies(const char *how)
{
	int number = strncmp(how, "trap", 4) ? SIGSEGV : SIGTRAP;

	if (strstr(how, "ignored"))
		signal(number, SIG_IGN);
	else
		handle(number, counts, strcmp(how, "reset") ? 0 : SA_RESETHAND);
	if (!strcmp(how, "divide-blocked"))
		block(SIG_BLOCK, SIGFPE);
	else if (strstr(how, "blocked"))
		block(SIG_BLOCK, number);
	else if (!strcmp(how, "reset"))
		raise(SIGSEGV);
	fill();
	told(how, number);
	fflush(stdout);
	fill();
	if (number == SIGTRAP)
		__asm__ volatile("int3");
	else if (!strcmp(how, "divide-blocked"))
		__asm__ volatile("div %1" : : "a"(1), "r"(0), "d"(0));
	else
		*(volatile int *)8 = 1;
}

/* Prints the signal settings that a program has inherited over its execution. */
static void inherited(void)
{
	fill();
	for (int i = 0; i < OWN; i++)
		told("inherited", own[i]);
	fflush(stdout);
	_exit(0);
}

static void children(void)
{
	int status = 0;

	block(SIG_BLOCK, SIGCHLD);	/* the signal would arrive anywhere */
	block(SIG_BLOCK, SIGSEGV);
	signal(SIGTRAP, SIG_IGN);
	fill();
	fflush(stdout);
	if (fork() == 0) {
		fill();
		for (int i = 0; i < OWN; i++)
			told("in the child", own[i]);
		fflush(stdout);
		execl("/proc/self/exe", "faults", "inherited", NULL);
		_exit(1);
	}
	wait(&status);
	for (int i = 0; i < OWN; i++)
		told("in the parent", own[i]);
	printf("child: %d\n", status);
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	if (argc > 1 && !strcmp(argv[1], "inherited"))
		inherited();
	if (argc > 1) {
		dies(argv[1]);
		return 0;
	}
	for (int i = 0; i < OWN; i++)
		dispositions(own[i]);
	sigaltstack(&alternate, NULL);
	instructions();
	nested();
	children();
	return 0;
}
