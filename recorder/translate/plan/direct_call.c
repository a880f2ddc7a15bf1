/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/direct_call.h"

#include <string.h>
#include <sys/syscall.h>

/*
 * They change neither mappings nor code, nor what signals, threads and processes there are; and
 * when they are interrupted they are restarted, or fail with EINTR, but never by a timeout that is
 * left.
 */
static bool is_harmless(uint32_t number)
{
	switch (number) {
	case SYS_read: case SYS_write: case SYS_readv: case SYS_writev:
	case SYS_pread64: case SYS_pwrite64: case SYS_lseek:
	case SYS_stat: case SYS_fstat: case SYS_lstat: case SYS_newfstatat: case SYS_access:
	case SYS_getpid: case SYS_getppid: case SYS_gettid:
	case SYS_getuid: case SYS_geteuid: case SYS_getgid: case SYS_getegid:
	case SYS_clock_gettime: case SYS_gettimeofday: case SYS_time: case SYS_getrusage:
	case SYS_times: case SYS_sched_yield:
		return true;
	default:
		return false;
	}
}

/* It writes rax: mov eax, constant; or xor eax, eax. */
static bool sets_number(const struct plan_insn *insn, uint32_t *number)
{
	enum { MOV = 0xb8 };
	static const uint8_t clear[] = { 0x31, 0xc0 };
	const uint8_t *opcode = insn->code + insn->effects.opcode;

	*number = 0;
	if (*opcode == MOV && opcode + 1 + sizeof(*number) == insn->code + insn->fact->length) {
		memcpy(number, opcode + 1, sizeof(*number));
		return true;
	}
	return insn->fact->length == sizeof(clear) && !memcmp(insn->code, clear, sizeof(clear));
}

static bool is_syscall_insn(const struct plan_insn *insn)
{
	static const uint8_t syscall_insn[] = { 0x0f, 0x05 };

	return insn->fact->length == sizeof(syscall_insn) &&
	       !memcmp(insn->code, syscall_insn, sizeof(syscall_insn));
}

bool direct_call_ends(const struct plan *p)
{
	unsigned i = p->n_insns - 1;
	uint32_t number;

	if (!is_syscall_insn(&p->insns[i]))
		return false;
	while (i-- > 0)
		if (p->insns[i].effects.writes >> ISA_RAX & 1)
			return sets_number(&p->insns[i], &number) && is_harmless(number);
	return false;
}
