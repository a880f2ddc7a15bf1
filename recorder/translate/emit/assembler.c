/* SPDX-License-Identifier: MIT */
/* Moves, and other instructions on general registers. */
#include "recorder/translate/emit/assembler.h"

#include <string.h>

#include "recorder/translate/emit/encoding.h"

bool asm_moved(struct assembler *a, const uint8_t *code, unsigned length, unsigned rip_field,
	       uint64_t target)
{
	int64_t displacement = (int64_t)(target - (asm_here(a) + length));
	int32_t field = (int32_t)displacement;

	if (!fits_32(displacement))
		return false;
	asm_bytes(a, code, rip_field);
	asm_bytes(a, &field, sizeof(field));
	asm_bytes(a, code + rip_field + sizeof(field), length - rip_field - sizeof(field));
	return true;
}

/* clang-format off */
enum { MOV_STORE = 0x89, MOV_LOAD = 0x8b, MOV_CONSTANT = 0xc7, LEA = 0x8d, SETE = 0x94, XCHG = 0x87,
       MOVZX_8 = 0xb6, MOVZX_16 = 0xb7 };
/* clang-format on */

void asm_load_gs(struct assembler *a, unsigned reg, uint32_t offset)
{
	encode_gs(a, REX_W, 0, MOV_LOAD, reg, offset);
}

void asm_store_gs(struct assembler *a, uint32_t offset, unsigned reg)
{
	encode_gs(a, REX_W, 0, MOV_STORE, reg, offset);
}

void asm_load_gs_half(struct assembler *a, unsigned reg, uint32_t offset)
{
	encode_gs(a, 0, 0, MOV_LOAD, reg, offset);
}

void asm_store_gs_constant(struct assembler *a, uint32_t offset, int32_t value)
{
	encode_gs(a, REX_W, 0, MOV_CONSTANT, 0, offset);
	encode_32(a, (uint32_t)value);
}

void asm_load_gs_byte(struct assembler *a, unsigned reg, unsigned base, uint32_t offset)
{
	encode_memory(a, &(struct memory_insn){ SEGMENT_GS, 0, ESCAPE, MOVZX_8, reg, base,
						ISA_NO_REGISTER, 0, (int32_t)offset });
}

void asm_exchange_gs(struct assembler *a, uint32_t offset, unsigned reg)
{
	encode_gs(a, REX_W, 0, XCHG, reg, offset);
}

void asm_load_gs_entry(struct assembler *a, unsigned reg, unsigned index, uint32_t offset)
{
	encode_memory(a, &(struct memory_insn){ SEGMENT_GS, REX_W, 0, MOV_LOAD, reg,
						ISA_NO_REGISTER, index, 8, (int32_t)offset });
}

void asm_store(struct assembler *a, unsigned base, int32_t displacement, unsigned reg,
	       unsigned bytes)
{
	encode_based(a, bytes == 8 ? REX_W : 0u, 0, MOV_STORE, reg, base, displacement);
}

void asm_load(struct assembler *a, unsigned reg, unsigned base, int32_t displacement)
{
	encode_based(a, REX_W, 0, MOV_LOAD, reg, base, displacement);
}

void asm_load_zero_extended(struct assembler *a, unsigned reg, unsigned base, int32_t displacement,
			    unsigned bytes)
{
	encode_based(a, 0, ESCAPE, bytes == 1 ? MOVZX_8 : MOVZX_16, reg, base, displacement);
}

void asm_store_constant(struct assembler *a, unsigned base, int32_t displacement, int32_t value)
{
	encode_based(a, REX_W, 0, MOV_CONSTANT, 0, base, displacement);
	encode_32(a, (uint32_t)value);
}

void asm_set_zero_flag(struct assembler *a, unsigned reg)
{
	encode_registers(a, 0, ESCAPE, SETE, 0, reg);
}

void asm_lea(struct assembler *a, unsigned reg, unsigned base, unsigned index, unsigned scale,
	     int32_t displacement)
{
	encode_memory(a, &(struct memory_insn){ 0, REX_W, 0, LEA, reg, base, index, scale,
						displacement });
}

void asm_move(struct assembler *a, unsigned to, unsigned from)
{
	encode_registers(a, REX_W, 0, MOV_LOAD, to, from);
}

void asm_pop(struct assembler *a, unsigned reg)
{
	enum { POP = 0x58 };

	if (reg & 8)
		encode_byte(a, REX | REX_B);
	encode_byte(a, (uint8_t)(POP | (reg & 7)));
}

void asm_read_fs_base(struct assembler *a, unsigned reg)
{
	encode_byte(a, 0xf3);
	encode_registers(a, REX_W, ESCAPE, 0xae, 0, reg);
}

void asm_read_gs_base(struct assembler *a, unsigned reg)
{
	encode_byte(a, 0xf3);
	encode_registers(a, REX_W, ESCAPE, 0xae, 1, reg);
}

void asm_write_gs_base(struct assembler *a, unsigned reg)
{
	encode_byte(a, 0xf3);
	encode_registers(a, REX_W, ESCAPE, 0xae, 3, reg);
}

void asm_not(struct assembler *a, unsigned reg)
{
	encode_registers(a, REX_W, 0, 0xf7, 2, reg);
}

void asm_zero_extend_16(struct assembler *a, unsigned to, unsigned from)
{
	encode_registers(a, 0, ESCAPE, MOVZX_16, to, from);
}

void asm_zero_extend_8(struct assembler *a, unsigned to, unsigned from)
{
	encode_registers(a, 0, ESCAPE, MOVZX_8, to, from);
}

void asm_sign_extend_16(struct assembler *a, unsigned to, unsigned from)
{
	encode_registers(a, REX_W, ESCAPE, 0xbf, to, from);
}

void asm_sign_extend_32(struct assembler *a, unsigned to, unsigned from)
{
	encode_registers(a, REX_W, 0, 0x63, to, from);
}

void asm_load_literal(struct assembler *a, unsigned reg, uint64_t value)
{
	encode_byte(a, REX | REX_W | (reg & 8 ? REX_R : 0u));
	encode_byte(a, MOV_LOAD);
	encode_byte(a, rip_relative(reg));
	asm_literal(a, value);
}

void asm_push_literal(struct assembler *a, uint64_t value)
{
	if (fits_32((int64_t)value)) {
		encode_byte(a, 0x68);
		encode_32(a, (uint32_t)value);
		return;
	}
	encode_byte(a, GROUP_5);
	encode_byte(a, rip_relative(GROUP_5_PUSH));
	asm_literal(a, value);
}

void asm_load_constant(struct assembler *a, unsigned reg, uint64_t value)
{
	enum { MOV_REGISTER_CONSTANT = 0xb8 };

	encode_byte(a, REX | REX_W | (reg & 8 ? REX_B : 0u));
	encode_byte(a, MOV_REGISTER_CONSTANT | (reg & 7));
	asm_bytes(a, &value, sizeof(value));
}

bool asm_load_near(struct assembler *a, unsigned reg, uint64_t address, unsigned bytes)
{
	enum { FIELD_BYTES = 4 };
	uint8_t code[8];
	unsigned n = 0;

	code[n++] = (uint8_t)(REX | (bytes == 8 ? REX_W : 0) | (reg & 8 ? REX_R : 0));
	if (bytes < 4)
		code[n++] = 0x0f;
	code[n++] = bytes == 1 ? MOVZX_8 : bytes == 2 ? MOVZX_16 : MOV_LOAD;
	code[n++] = (uint8_t)rip_relative(reg);
	return asm_moved(a, code, n + FIELD_BYTES, n, address);
}

uint8_t *asm_literal_of(uint8_t *load)
{
	enum { FIELD = 3 };
	int32_t displacement;

	memcpy(&displacement, load + FIELD, sizeof(displacement));
	return load + FIELD + sizeof(displacement) + displacement;
}

void asm_syscall(struct assembler *a)
{
	static const uint8_t code[] = { 0x0f, 0x05 };

	asm_bytes(a, code, sizeof(code));
}

void asm_pause(struct assembler *a)
{
	static const uint8_t code[] = { 0xf3, 0x90 };

	asm_bytes(a, code, sizeof(code));
}

void asm_store_time(struct assembler *a, unsigned base, int32_t displacement)
{
	static const uint8_t rdtsc[] = { 0x0f, 0x31 };

	asm_bytes(a, rdtsc, sizeof(rdtsc));
	asm_store(a, base, displacement, ISA_RAX, 4);
	asm_store(a, base, displacement + 4, ISA_RDX, 4);
}
