/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/direct_call.h"

#include <string.h>

#include "recorder/translate/plan/call_table.h"

/* Returns true if the instruction, which writes rax, sets it to a constant: mov eax, constant; or
 * xor eax, eax. */
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

bool direct_call_number(const struct plan_insn *insns, unsigned count, uint32_t *number)
{
	while (count-- > 0)
		if (insns[count].effects.writes >> ISA_RAX & 1)
			return sets_number(&insns[count], number);
	return false;
}

bool direct_call_ends(const struct plan_insn *insns, unsigned count)
{
	unsigned last = count - 1;
	uint32_t number;

	return is_syscall_insn(&insns[last]) && direct_call_number(insns, last, &number) &&
	       call_table_is_harmless(number);
}
