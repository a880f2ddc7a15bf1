/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/transactions.h"

#include "recorder/core/opcode.h"

enum {
	FEATURES = 7, /* the leaf */
	EBX_HLE = 1 << 4,
	EBX_RTM = 1 << 11,
	EDX_RTM_ALWAYS_ABORT = 1 << 11,
	EDX_TSX_FORCE_ABORT = 1 << 13,
	EBX = EBX_HLE | EBX_RTM,
	EDX = EDX_RTM_ALWAYS_ABORT | EDX_TSX_FORCE_ABORT,
};

bool transactions_are_told(const struct cpu_leaf *l)
{
	return l->ebx & EBX || l->edx & EDX;
}

void transactions_hide(uint32_t number, uint32_t sub, struct cpu_leaf *l)
{
	if (number != FEATURES || sub != 0)
		return;
	l->ebx &= ~(uint32_t)EBX;
	l->edx &= ~(uint32_t)EDX;
}

bool transactions_begin(const uint8_t *code, unsigned length)
{
	enum { GROUP_11 = 0xc7, XBEGIN = 0xf8 };
	unsigned at = opcode_prefixes(code, length);

	return at + 1 < length && code[at] == GROUP_11 && code[at + 1] == XBEGIN;
}
