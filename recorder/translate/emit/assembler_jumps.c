/* SPDX-License-Identifier: MIT */
/* Jumps, traps and the room for them. */
#include "recorder/translate/emit/assembler.h"

#include <string.h>

#include "recorder/translate/emit/assembler_internal.h"

enum { JMP = 0xe9 };

uint8_t *asm_jump(struct assembler *a, uint64_t target)
{
	enum { LENGTH = 5 };
	uint8_t *start = a->at;
	int64_t displacement = (int64_t)(target - (asm_here(a) + LENGTH));

	if (fits_32(displacement)) {
		encode_byte(a, JMP);
		encode_32(a, (uint32_t)displacement);
	} else {
		encode_byte(a, GROUP_5);
		encode_byte(a, rip_relative(GROUP_5_JMP));
		asm_literal(a, target);
	}
	return start;
}

bool asm_jump_change(uint8_t *jump, uint64_t pc, uint64_t target)
{
	enum { LENGTH = 5 };
	typedef int32_t field __attribute__((aligned(1)));
	int64_t displacement = (int64_t)(target - (pc + LENGTH));

	if (!fits_32(displacement))
		return false;
	*(volatile field *)(jump + 1) = (int32_t)displacement;
	return true;
}

void asm_jump_table(struct assembler *a, unsigned index, uint32_t offset)
{
	encode_memory(a, &(struct memory_insn){ SEGMENT_GS, 0, 0, GROUP_5, GROUP_5_JMP,
						ISA_NO_REGISTER, index, 8, (int32_t)offset });
}

void asm_jump_gs(struct assembler *a, uint32_t offset)
{
	encode_gs(a, 0, 0, GROUP_5, GROUP_5_JMP, offset);
}

uint8_t *asm_jump_if_rcx_0(struct assembler *a)
{
	uint8_t *start = a->at;

	encode_byte(a, 0xe3);
	encode_byte(a, 0);
	return start;
}

void asm_short_target(struct assembler *a, uint8_t *jump)
{
	if (a->full)
		return;
	if (a->at - (jump + 2) > INT8_MAX)
		a->full = true;
	else
		jump[1] = (uint8_t)(a->at - (jump + 2));
}

static uint8_t *empty_field(struct assembler *a)
{
	uint8_t *at = a->at;

	encode_32(a, 0);
	return at;
}

uint8_t *asm_jump_if(struct assembler *a, unsigned condition)
{
	encode_byte(a, 0x0f);
	encode_byte(a, 0x80 | condition);
	return empty_field(a);
}

uint8_t *asm_jump_ahead(struct assembler *a)
{
	encode_byte(a, JMP);
	return empty_field(a);
}

void asm_target(struct assembler *a, uint8_t *at)
{
	int32_t displacement = (int32_t)(a->at - (at + sizeof(displacement)));

	if (!a->full)
		memcpy(at, &displacement, sizeof(displacement));
}

void asm_trap(struct assembler *a, uint32_t number)
{
	encode_byte(a, INT3);
	encode_32(a, number);
}

bool asm_is_trap(const uint8_t *code)
{
	return *code == INT3;
}

void asm_make_trap(uint8_t *code)
{
	__atomic_store_n(code, INT3, __ATOMIC_RELEASE);
}

void asm_nop(struct assembler *a)
{
	static const uint8_t nop[ASM_JUMP_BYTES] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	asm_bytes(a, nop, sizeof(nop));
}

void asm_patchable(struct assembler *a)
{
	enum { LINE = 64, WORD = 8, FIELD = 4 };
	static const uint8_t nops[][4] = {
		{ 0x90 },
		{ 0x66, 0x90 },
		{ 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
	};
	unsigned n = 0;

	while ((asm_here(a) + n) % LINE > LINE - ASM_JUMP_BYTES ||
	       (asm_here(a) + n + 1) % WORD > WORD - FIELD)
		n++;
	if (n)
		asm_bytes(a, nops[n - 1], n);
}

void asm_open_jump(struct assembler *a)
{
	encode_byte(a, JMP);
	encode_32(a, 0);
}

bool asm_is_open(const uint8_t *code)
{
	static const uint8_t open[ASM_JUMP_BYTES] = { JMP };

	return asm_is_trap(code) || memcmp(code, open, sizeof(open)) == 0;
}
