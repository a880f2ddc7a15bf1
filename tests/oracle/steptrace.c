/* SPDX-License-Identifier: MIT */
/*
 * steptrace - a recorder as simple as possible, to compare the other with: runs a program under
 * PTRACE_SINGLESTEP and writes a line for each instruction it retires, with its pc and the general
 * registers before it, in hexadecimal:
 *
 *	pc rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 fs_base gs_base
 *
 * One process with one thread. It shares no code with tracelab.
 * usage: steptrace OUTPUT PROGRAM [ARGUMENT...]
 */
#include <cpuid.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned char *code_at(pid_t pid, unsigned long pc)
{
	static long words[2];

	words[0] = ptrace(PTRACE_PEEKTEXT, pid, pc, 0);
	words[1] = ptrace(PTRACE_PEEKTEXT, pid, pc + sizeof(long), 0);
	return (const unsigned char *)words;
}

/* A gather or scatter stops before a lane whose page is not there yet, at the same pc. */
static bool is_gather(const unsigned char *code)
{
	if (*code == 0x67)
		code++;
	if (*code == 0xc4 && (code[1] & 0x1f) == 2)
		return code[3] >= 0x90 && code[3] <= 0x93;
	return *code == 0x62 && (code[1] & 7) == 2 &&
	       ((code[4] >= 0x90 && code[4] <= 0x93) || (code[4] >= 0xa0 && code[4] <= 0xa3));
}

/* A repeated string instruction stops after each repetition, at the same pc. */
static bool is_rep(const unsigned char *code)
{
	bool rep = false;

	for (;; code++) {
		if (*code == 0xf2 || *code == 0xf3)
			rep = true;
		else if (*code != 0x66 && *code != 0x67 && (*code & 0xf0) != 0x40)
			break;
	}
	return rep && ((*code >= 0xa4 && *code <= 0xa7) || (*code >= 0xaa && *code <= 0xaf));
}

static void print(FILE *out, const struct user_regs_struct *r)
{
	const unsigned long long values[] = { r->rip, r->rax, r->rcx,     r->rdx,    r->rbx,
					      r->rsp, r->rbp, r->rsi,     r->rdi,    r->r8,
					      r->r9,  r->r10, r->r11,     r->r12,    r->r13,
					      r->r14, r->r15, r->fs_base, r->gs_base };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		fprintf(out, "%s%llx", i ? " " : "", values[i]);
	putc('\n', out);
}

/* Clears the trap flag in a pushed value: steptrace set it, and the program would have pushed 0. */
static void hide_trap_flag(pid_t pid, unsigned long rsp)
{
	long word = ptrace(PTRACE_PEEKDATA, pid, rsp, 0);

	ptrace(PTRACE_POKEDATA, pid, rsp, word & ~0x100L);
}

/* Some hypervisors, which execute cpuid themselves, do not stop behind it but one instruction
 * later. So it is executed here. */
static void execute_cpuid(pid_t pid, FILE *out, struct user_regs_struct *r)
{
	while (memcmp(code_at(pid, r->rip), "\x0f\xa2", 2) == 0) {
		unsigned a, b, c, d;

		print(out, r);
		__cpuid_count((unsigned)r->rax, (unsigned)r->rcx, a, b, c, d);
		r->rax = a;
		r->rbx = b;
		r->rcx = c;
		r->rdx = d;
		r->rip += 2;
		ptrace(PTRACE_SETREGS, pid, 0, r);
	}
}

static int trace(pid_t pid, FILE *out)
{
	struct user_regs_struct regs, before = { 0 };
	bool started = false; /* the instruction at before.rip, or a repetition, has retired */
	int status, signal = 0;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		unsigned char code[2 * sizeof(long)];

		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		if (before.rip) {
			memcpy(code, code_at(pid, before.rip), sizeof(code));
			if (!signal && code[0] == 0x9c)
				hide_trap_flag(pid, regs.rsp);
			if (!signal)
				started = true;
			if (signal || regs.rip != before.rip ||
			    !(is_rep(code) || is_gather(code))) {
				if (started)
					print(out, &before);
				before.rip = 0;
			}
		}
		if (!before.rip) {
			if (!signal)
				execute_cpuid(pid, out, &regs);
			before = regs;
			started = false;
		}
		if (signal)
			before.rip = 0; /* its handler comes first */
		ptrace(PTRACE_SINGLESTEP, pid, 0, signal);
	}
	if (before.rip)
		print(out, &before);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: steptrace OUTPUT PROGRAM [ARGUMENT...]");
	FILE *out = fopen(argv[1], "we");

	if (!out)
		err(2, "%s", argv[1]);
	pid_t pid = fork();

	if (!pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	int status = trace(pid, out);

	if (fclose(out))
		err(2, "%s", argv[1]);
	return status;
}
