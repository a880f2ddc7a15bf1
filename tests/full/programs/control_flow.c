/* flags: -static -fno-pie -no-pie */
/* SPDX-License-Identifier: MIT */
/* Transfers control in unusual ways: loops by rcx, returns that pop, frames by enter, far returns,
 * iretq, jumps into the middle of instructions, calls that only push the address, int $0x80, and
 * single steps by the trap flag. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ucontext.h>
#include <ucontext.h>
#include "say.h"

static uint64_t loops(uint64_t n)
{
	uint64_t sum = 0, count = n;

	__asm__ volatile("1: add %1, %0\n\tloop 1b\n\t"
			 "mov $5, %%ecx\n"
			 "2: inc %0\n\tcmp $3, %%rcx\n\tloopne 2b\n\t"
			 "mov $9, %%ecx\n"
			 "3: inc %0\n\tcmp %%rcx, %%rcx\n\tloope 3b\n\t"
			 "jrcxz 4f\n\tadd $1000, %0\n"
			 "4: mov $0x100000000, %%rcx\n\tjrcxz 5f\n\tadd $7, %0\n"
			 "5: jecxz 6f\n\tadd $5000, %0\n"
			 "6: mov $0x500000003, %%rcx\n"
			 "7: add $1, %0\n\taddr32 loop 7b\n\tadd %%rcx, %0"
			 : "+r"(sum), "+c"(count)::"cc");
	return sum;
}

__asm__(".text\n"
	"pops_16: mov 8(%rsp), %rax\n\tadd 16(%rsp), %rax\n\tret $16\n"
	"frame: enter $64, $0\n\tmov %rdi, -8(%rbp)\n\tmov -8(%rbp), %rax\n\tleave\n\tret\n"
	"nested: push %rbp\n\tmov %rsp, %rbp\n\tenter $32, $3\n\tmov %rsp, %rax\n\tsub %rbp, %rax\n\tleave\n\tpop %rbp\n\tret\n"
	"far: lretl\n"
	"middle: mov %edi, %eax\n\t.byte 0x3d\n"
	"inside: add $1, %eax\n\tret\n\tnop\n\t.byte 0xc3\n"
	"trampoline: call 1f\n1:\tpop %rax\n\tlea trampoline(%rip), %rcx\n\tsub %rcx, %rax\n\tret\n"
	"retpoline: call 2f\n1:\tpause\n\tlfence\n\tjmp 1b\n2:\tmov %rdi, (%rsp)\n\tret\n");
extern uint64_t frame(uint64_t), nested(void), middle(uint64_t), inside(uint64_t);
extern uint64_t trampoline(void), retpoline(uint64_t (*)(void));

static uint64_t pops(void)
{
	uint64_t result;

	__asm__ volatile(
		"sub $128, %%rsp\n\tpushq $30\n\tpushq $12\n\tcall pops_16\n\tadd $128, %%rsp"
		: "=a"(result)::"memory", "cc");
	return result;
}

static uint64_t far_ways(void)
{
	static struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) pointer;
	uint64_t result = 0;

	__asm__ volatile(
		"sub $128, %%rsp\n\tmov %%cs, %%eax\n\tpush %%rax\n\tlea 1f(%%rip), %%rcx\n\tpush %%rcx\n\t"
		"lretq\n\tud2\n1:\tadd $1, %0\n\t"
		"mov %%rsp, %%rdx\n\tmov %%ss, %%ecx\n\tpush %%rcx\n\tpush %%rdx\n\tpushfq\n\tpush %%rax\n\t"
		"lea 2f(%%rip), %%rcx\n\tpush %%rcx\n\tiretq\n\tud2\n2:\tadd $10, %0\n\t"
		"lea far(%%rip), %%rcx\n\tmov %%ecx, (%1)\n\tmov %%ax, 4(%1)\n\t"
		"lcall *(%1)\n\tadd $100, %0\n\t"
		"lea 3f(%%rip), %%rcx\n\tmov %%ecx, (%1)\n\tljmp *(%1)\n\tud2\n3:\tadd $1000, %0\n\t"
		"add $128, %%rsp"
		: "+r"(result)
		: "r"(&pointer)
		: "rax", "rcx", "rdx", "memory", "cc");
	return result;
}

static uint64_t eleven(void)
{
	return 11;
}

static uint64_t by_table(unsigned i)
{
	static void *const places[] = { &&a, &&b, &&c, &&d };
	uint64_t x = i;

	goto *places[i % 4];
a:
	x += 1;
b:
	x += 10;
c:
	x += 100;
d:
	return x;
}

static int int_80(void)
{
	int pid = (int)getpid(), got;

	__asm__ volatile("int $0x80" : "=a"(got) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
	return got == pid;
}

static volatile uint64_t steps, first, last;

static void on_step(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	uint64_t rip = (uint64_t)c->uc_mcontext.gregs[REG_RIP];

	(void)number;
	if (info->si_code != TRAP_TRACE)
		steps += 1000;
	if (!steps++)
		first = rip;
	last = rip;
}

static void stepped(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	uint64_t x = 0;

	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile(
		"sub $128, %%rsp\n\tpushfq\n\torl $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tmov $3, %%ecx\n"
		"1: inc %0\n\tloop 1b\n\tmov $39, %%eax\n\tsyscall\n\tcld\n\tpushfq\n\tandl $~0x100, (%%rsp)\n\tpopfq\n\t"
		"nop\n\tadd $128, %%rsp"
		: "+r"(x)::"rax", "rcx", "r11", "cc", "memory");
	say("steps %lu over %lu bytes, %lu\n", (unsigned long)steps, (unsigned long)(last - first),
	    (unsigned long)x);
}

static ucontext_t main_context, other;
static volatile int turns;

static void coroutine(void)
{
	for (int i = 0; i < 5; i++) {
		turns = turns * 3 + i;
		swapcontext(&other, &main_context);
	}
}

static void contexts(void)
{
	static char stack[65536];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	other.uc_link = &main_context;
	makecontext(&other, coroutine, 0);
	for (int i = 0; i < 5; i++)
		swapcontext(&main_context, &other);
	say("turns %d\n", turns);
}

static int deep(jmp_buf *to, int n)
{
	volatile char room[100];

	room[0] = (char)n;
	if (!n && to)
		longjmp(*to, 5);
	return (n ? deep(to, n - 1) : 0) + room[0];
}

int main(void)
{
	jmp_buf to;
	uint64_t sum = 0;

	for (int round = 0; round < 300; round++) {
		sum = sum * 31 + loops(7) + pops() + frame(5) + nested() + far_ways();
		sum = sum * 31 + inside(3) + trampoline() + retpoline(eleven) +
		      by_table((unsigned)round);
	}
	say("sum %lx middle %lx\n", (unsigned long)sum, (unsigned long)middle(9));
	say("int 0x80 %d\n", int_80());
	stepped();
	contexts();
	say("longjmp %d\n", setjmp(to) ?: deep(&to, 200));
	return 3;
}
