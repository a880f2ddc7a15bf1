/* SPDX-License-Identifier: MIT */
#include "recorder/program/x87.h"

#include <string.h>

#include "recorder/program/opcode.h"

enum { FIRST = 0xd8, LAST = 0xdf, TWO_BYTES = 0x0f, REGISTERS = 3 };

/* The ModRM byte behind so many bytes, or one that names a register. */
static unsigned modrm(const uint8_t *code, unsigned length, unsigned at)
{
	return at < length ? code[at] : UINT8_MAX;
}

static enum x87_use of_x87(unsigned opcode, unsigned operands)
{
	enum {
		D9 = 0xd9,
		DB = 0xdb,
		DD = 0xdd,
		DF = 0xdf,
		FNCLEX = 0xe2,
		FNINIT = 0xe3,
		FNSTSW_AX = 0xe0
	};
	unsigned group = operands >> 3 & 7;
	bool memory = operands >> 6 != REGISTERS;

	if (opcode == D9 && memory && group >= 4)
		return group == 4 ? X87_LOADS : group == 6 ? X87_STORES : X87_NONE;
	if (opcode == DD && memory && (group == 4 || group >= 6))
		return group == 4 ? X87_LOADS : group == 6 ? X87_STORES : X87_NONE;
	if (opcode == DB && operands == FNINIT)
		return X87_LOADS;
	if ((opcode == DB && operands == FNCLEX) || (opcode == DF && operands == FNSTSW_AX))
		return X87_NONE;
	return X87_POINTS;
}

/* fxsave, fxrstor and their successors. */
static enum x87_use of_area(unsigned opcode, unsigned operands, bool prefixed)
{
	enum {
		GROUP_15 = 0xae,
		GROUP_9 = 0xc7,
		FXSAVE = 0,
		FXRSTOR = 1,
		XSAVE = 4,
		XRSTOR = 5,
		XSAVEOPT = 6,
		XSAVEC = 4
	};
	unsigned group = operands >> 3 & 7;

	if (operands >> 6 == REGISTERS || prefixed)
		return X87_NONE;
	if (opcode == GROUP_9)
		return group == XSAVEC ? X87_STORES_COMPONENT : X87_NONE;
	if (opcode != GROUP_15)
		return X87_NONE;
	if (group == XSAVE || group == XSAVEOPT)
		return X87_STORES_COMPONENT;
	if (group == FXRSTOR || group == XRSTOR)
		return X87_LOADS;
	return group == FXSAVE ? X87_STORES : X87_NONE;
}

static bool has_prefix(const uint8_t *code, unsigned prefixes, uint8_t prefix)
{
	return memchr(code, prefix, prefixes);
}

enum x87_use x87_use_of(const uint8_t *code, unsigned length)
{
	unsigned n = opcode_prefixes(code, length);

	if (code[n] >= FIRST && code[n] <= LAST)
		return of_x87(code[n], modrm(code, length, n + 1));
	if (code[n] != TWO_BYTES || n + 2 >= length)
		return X87_NONE;
	return of_area(code[n + 1], code[n + 2],
		       has_prefix(code, n, 0x66) || has_prefix(code, n, 0xf2) ||
			       has_prefix(code, n, 0xf3));
}

struct x87_layout x87_layout_of(const uint8_t *code, unsigned length)
{
	unsigned n = opcode_prefixes(code, length);
	bool wide = n && (code[n - 1] & 0xf8) == 0x48;

	if (code[n] == TWO_BYTES)
		return (struct x87_layout){ .pointer = 8,
					    .pointer_bytes = wide ? 8 : 4,
					    .opcode = 6 };
	if (has_prefix(code, n, 0x66))
		return (struct x87_layout){ .pointer = 6, .pointer_bytes = 2, .is_environment = 1 };
	return (struct x87_layout){
		.pointer = 12, .pointer_bytes = 4, .opcode = 18, .is_environment = 1
	};
}

uint16_t x87_opcode_of(const uint8_t *code, unsigned length)
{
	unsigned n = opcode_prefixes(code, length);

	return (uint16_t)((code[n] & 7) << 8 | (modrm(code, length, n + 1) & 0xff));
}
