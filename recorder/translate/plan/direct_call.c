/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/direct_call.h"

#include <string.h>

#include "recorder/translate/plan/call_table.h"

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

bool direct_call_number(const struct plan *p, unsigned insn, uint32_t *number)
{
	while (insn-- > 0)
		if (p->insns[insn].effects.writes >> ISA_RAX & 1)
			return sets_number(&p->insns[insn], number);
	return false;
}

bool direct_call_ends(const struct plan *p)
{
	unsigned last = p->n_insns - 1;
	uint32_t number;

	return is_syscall_insn(&p->insns[last]) && direct_call_number(p, last, &number) &&
	       call_table_is_harmless(number);
}
