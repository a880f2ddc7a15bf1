/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Instructions fault; the program prints what its handler receives, and continues behind each. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include "say.h"

static sigjmp_buf back;
static uint8_t *page; /* two pages; the second one cannot be accessed */
static const char *what;

static const char *place(uint64_t address, const ucontext_t *c)
{
	static char text[64];
	uint64_t rip = (uint64_t)c->uc_mcontext.gregs[REG_RIP];

	if (address == rip)
		return "rip";
	if (address - (uint64_t)page < 8192)
		snprintf(text, sizeof(text), "page+%ld", (long)(address - (uint64_t)page));
	else
		snprintf(text, sizeof(text), "%lx", (unsigned long)address);
	return text;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	say("%s: signal %d code %d at %s trap %d error %d\n", what, number, info->si_code,
	    place((uint64_t)info->si_addr, c), (int)c->uc_mcontext.gregs[REG_TRAPNO],
	    (int)c->uc_mcontext.gregs[REG_ERR] & 0x17);
	siglongjmp(back, 1);
}

#define FAULT(name, code)                     \
	do {                                  \
		what = name;                  \
		if (!sigsetjmp(back, 1)) {    \
			code;                 \
			say(name ": none\n"); \
		}                             \
	} while (0)

static void beyond_file(void)
{
	int fd = memfd_create("short", 0);
	volatile uint8_t *map;

	if (ftruncate(fd, 100))
		return;
	map = mmap(page, 8192, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	FAULT("beyond the file", say("%d\n", map[4096]));
	close(fd);
}

static void jump(uint64_t target)
{
	__asm__ volatile("jmp *%0" ::"r"(target));
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	static char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	volatile uint8_t *end;

	sigaltstack(&other, NULL);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(page + 4096, 4096, PROT_NONE);
	end = page + 4096;
	FAULT("load", say("%d\n", *end));
	FAULT("store", *end = 1);
	FAULT("across the end", *(volatile uint64_t *)(end - 3) = 1);
	FAULT("read and write", __asm__ volatile("lock addl $1, (%0)" ::"r"(end) : "memory"));
	FAULT("address 0", say("%d\n", *(volatile int *)8));
	FAULT("not canonical", say("%d\n", *(volatile int *)0x8000000000000000));
	FAULT("not canonical stack",
	      __asm__ volatile(
		      "mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tpush %%rax\n\tmov %%rbx, %%rsp" ::"r"(
			      UINT64_C(0x8000000000000000))
		      : "rbx"));
	FAULT("jump to data", jump((uint64_t)page));
	FAULT("jump to nothing", jump((uint64_t)end + 2));
	FAULT("jump to 0", jump(0));
	FAULT("division by 0",
	      __asm__ volatile("xor %%edx, %%edx\n\txor %%ecx, %%ecx\n\tdivl %%ecx" ::
				       : "rax", "rcx", "rdx"));
	FAULT("division overflow",
	      __asm__ volatile("mov $-1, %%ecx\n\tmov $0x80000000, %%eax\n\tcltd\n\tidivl %%ecx" ::
				       : "rax", "rcx", "rdx"));
	FAULT("byte division overflow",
	      __asm__ volatile("mov $0x1000, %%eax\n\tmov $1, %%ecx\n\tdivb %%cl" ::
				       : "rax", "rcx"));
	FAULT("ud2", __asm__ volatile("ud2"));
	FAULT("ud1", __asm__ volatile("ud1 %eax, %eax"));
	FAULT("lock of registers", __asm__ volatile(".byte 0xf0, 0x01, 0xc0"));
	FAULT("push es", __asm__ volatile(".byte 0x06"));
	FAULT("hlt", __asm__ volatile("hlt"));
	FAULT("cli", __asm__ volatile("cli"));
	FAULT("in", __asm__ volatile("inb $0x40, %%al" ::: "rax"));
	FAULT("out", __asm__ volatile("outb %al, $0x40"));
	FAULT("wrmsr", __asm__ volatile("wrmsr"));
	FAULT("mov cr3", __asm__ volatile("mov %%cr3, %%rax" ::: "rax"));
	FAULT("int 0x42", __asm__ volatile("int $0x42"));
	FAULT("int3", __asm__ volatile("int3"));
	FAULT("int 3 of two bytes", __asm__ volatile(".byte 0xcd, 3"));
	FAULT("icebp", __asm__ volatile(".byte 0xf1"));
	FAULT("into a segment", __asm__ volatile("mov %0, %%fs" ::"r"(0x1234)));
	FAULT("unaligned movaps", __asm__ volatile("movaps (%0), %%xmm0" ::"r"(page + 1) : "xmm0"));
	FAULT("unaligned cmpxchg16b", __asm__ volatile("lock cmpxchg16b (%0)" ::"r"(page + 8)
						       : "rax", "rdx", "memory"));
	FAULT("far jump",
	      __asm__ volatile("sub $128, %%rsp\n\tpushq $0x1230\n\tpushq $0\n\tlretq" ::
				       : "memory"));
	FAULT("iret",
	      __asm__ volatile(
		      "sub $128, %%rsp\n\tpushq $0\n\tpushq $0\n\tpushq $0x202\n\tpushq $0\n\tpushq $0\n\tiretq" ::
			      : "memory"));
	FAULT("15 bytes",
	      __asm__ volatile(
		      ".byte 0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x90"));
	FAULT("16 bytes",
	      __asm__ volatile(
		      ".byte 0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x90"));
	beyond_file();
	return 7;
}
