/* SPDX-License-Identifier: MIT */
#include "recorder/core/x87.h"

#include <string.h>

#include "recorder/core/opcode.h"

enum { FIRST = 0xd8, LAST = 0xdf, TWO_BYTES = 0x0f, REGISTERS = 3 };

/* Returns the ModRM byte behind that many bytes, or one that names a register. */
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

/* Returns the use of the pointers by fxsave, fxrstor and their successors. */
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
	if (group == XRSTOR)
		return X87_LOADS_COMPONENT;
	if (group == FXRSTOR)
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

	if (code[n] == TWO_BYTES && wide)
		return (struct x87_layout){
			.pointer = 8, .operand = 16, .pointer_bytes = 8, .opcode = 6
		};
	if (code[n] == TWO_BYTES)
		return (struct x87_layout){ .pointer = 8,
					    .operand = 16,
					    .pointer_bytes = 4,
					    .opcode = 6,
					    .code_segment = 12,
					    .data_segment = 20 };
	if (has_prefix(code, n, 0x66))
		return (struct x87_layout){ .pointer = 6,
					    .operand = 10,
					    .pointer_bytes = 2,
					    .code_segment = 8,
					    .data_segment = 12,
					    .is_environment = 1 };
	return (struct x87_layout){ .pointer = 12,
				    .operand = 20,
				    .pointer_bytes = 4,
				    .opcode = 18,
				    .code_segment = 16,
				    .data_segment = 24,
				    .is_environment = 1 };
}

static uint16_t get_short(const uint8_t *bytes, unsigned at)
{
	uint16_t value = 0;

	if (at)
		memcpy(&value, bytes + at, sizeof(value));
	return value;
}

static void put_short(uint8_t *bytes, unsigned at, uint16_t value)
{
	if (at)
		memcpy(bytes + at, &value, sizeof(value));
}

struct x87_pointers x87_unpack(const struct x87_layout *l, const uint8_t *bytes)
{
	enum { OPCODE_BITS = 0x7ff };
	struct x87_pointers p = { .opcode = get_short(bytes, l->opcode) & OPCODE_BITS,
				  .code_segment = get_short(bytes, l->code_segment),
				  .data_segment = get_short(bytes, l->data_segment) };

	memcpy(&p.pc, bytes + l->pointer, l->pointer_bytes);
	memcpy(&p.operand, bytes + l->operand, l->pointer_bytes);
	return p;
}

void x87_pack(const struct x87_layout *l, const struct x87_pointers *p, uint8_t *bytes)
{
	memcpy(bytes + l->pointer, &p->pc, l->pointer_bytes);
	memcpy(bytes + l->operand, &p->operand, l->pointer_bytes);
	put_short(bytes, l->opcode, p->opcode);
	put_short(bytes, l->code_segment, p->code_segment);
	put_short(bytes, l->data_segment, p->data_segment);
}

bool x87_clears(const uint8_t *code, unsigned length)
{
	enum { DB = 0xdb, DD = 0xdd, FNINIT = 0xe3, FNSAVE = 6 };
	unsigned n = opcode_prefixes(code, length), operands = modrm(code, length, n + 1);

	return (code[n] == DB && operands == FNINIT) ||
	       (code[n] == DD && operands >> 6 != REGISTERS && (operands >> 3 & 7) == FNSAVE);
}

bool x87_is_on_stack(const uint8_t *code, unsigned length)
{
	enum { RSP = 4, RBP = 5, REX_B = 1 };
	unsigned n = opcode_prefixes(code, length), operands = modrm(code, length, n + 1);
	unsigned mode = operands >> 6, base = operands & 7;

	if (mode == REGISTERS || (n && (code[n - 1] & 0xf0) == 0x40 && code[n - 1] & REX_B))
		return false;
	if (base == RSP) /* a SIB byte follows */
		base = modrm(code, length, n + 2) & 7;
	return base == RSP || (base == RBP && mode != 0);
}

bool x87_loses_pointers(void)
{
	static int loses = -1;
	struct {
		uint8_t head[8];
		uint64_t pointer;
		uint8_t rest[512 - 16];
	} area __attribute__((aligned(16)));

	if (loses < 0) {
		__asm__ volatile("fldz; fxsave64 %0; fstp %%st(0)" : "=m"(area) : : "st");
		loses = !area.pointer;
	}
	return loses;
}

uint16_t x87_opcode_of(const uint8_t *code, unsigned length)
{
	unsigned n = opcode_prefixes(code, length);

	return (uint16_t)((code[n] & 7) << 8 | (modrm(code, length, n + 1) & 0xff));
}
