/* SPDX-License-Identifier: MIT */
/* Instructions that change the flags. */
#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/emit/encoding.h"

enum { GROUP_1_8 = 0x80, GROUP_1 = 0x81, GROUP_1_BYTE = 0x83, GROUP_3_8 = 0xf6, GROUP_3 = 0xf7 };
enum { ADD = 0, SUB = 5, CMP = 7, TEST = 0 }; /* in these groups */
enum { OPERAND_SIZE = 0x66, CMP_LOAD = 0x3b };

void asm_subtract_gs(struct assembler *a, uint32_t offset, int32_t value)
{
	bool small = fits_8(value);

	encode_gs(a, REX_W, 0, small ? GROUP_1_BYTE : GROUP_1, SUB, offset);
	if (small)
		encode_byte(a, (uint8_t)value);
	else
		encode_32(a, (uint32_t)value);
}

void asm_compare(struct assembler *a, unsigned base, int32_t displacement, int32_t value,
		 unsigned bytes)
{
	encode_based(a, bytes == 8 ? REX_W : 0u, 0, GROUP_1, CMP, base, displacement);
	encode_32(a, (uint32_t)value);
}

void asm_compare_register(struct assembler *a, unsigned reg, uint64_t value)
{
	if (fits_32((int64_t)value)) {
		encode_registers(a, REX_W, 0, GROUP_1, CMP, reg);
		encode_32(a, (uint32_t)value);
		return;
	}
	encode_byte(a, REX | REX_W | (reg & 8 ? REX_R : 0u));
	encode_byte(a, CMP_LOAD);
	encode_byte(a, rip_relative(reg));
	asm_literal(a, value);
}

void asm_subtract(struct assembler *a, unsigned reg, unsigned other)
{
	encode_registers(a, REX_W, 0, 0x29, other, reg);
}

/* An operation by its opcodes for 8 bits, of two registers and in a group. */
struct operation {
	unsigned registers, group, in_group;
};

static void operate(struct assembler *a, const struct operation *o, unsigned reg, unsigned other,
		    int32_t value, unsigned bytes)
{
	unsigned rex = bytes == 8 ? REX_W : 0u, wide = bytes > 1;

	if (bytes == 2)
		encode_byte(a, OPERAND_SIZE);
	if (other != ISA_NO_REGISTER) {
		encode_registers(a, rex, 0, o->registers | wide, other, reg);
		return;
	}
	encode_registers(a, rex, 0, o->group | wide, o->in_group, reg);
	asm_bytes(a, &value, bytes < 4 ? bytes : 4);
}

void asm_add_flags(struct assembler *a, unsigned reg, unsigned other, int32_t value, unsigned bytes)
{
	operate(a, &(struct operation){ 0x00, GROUP_1_8, ADD }, reg, other, value, bytes);
}

void asm_subtract_flags(struct assembler *a, unsigned reg, unsigned other, int32_t value,
			unsigned bytes)
{
	operate(a, &(struct operation){ 0x38, GROUP_1_8, CMP }, reg, other, value, bytes);
}

void asm_and_flags(struct assembler *a, unsigned reg, unsigned other, int32_t value, unsigned bytes)
{
	operate(a, &(struct operation){ 0x84, GROUP_3_8, TEST }, reg, other, value, bytes);
}
