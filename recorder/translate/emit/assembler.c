/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/assembler.h"

#include <string.h>

#include "recorder/translate/emit/assembler_internal.h"

/* ---- moves, and other instructions on general registers ---- */

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

void asm_store_gs_half(struct assembler *a, uint32_t offset, unsigned reg)
{
	encode_gs(a, 0, 0, MOV_STORE, reg, offset);
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

/* ---- instructions that change the flags ---- */

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

void asm_increment_gs(struct assembler *a, uint32_t offset)
{
	enum { INC = 0 };

	encode_gs(a, 0, 0, GROUP_5, INC, offset);
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

/* ---- stores of vector, mask and control registers ---- */

void asm_store_x87_control(struct assembler *a, unsigned base, int32_t displacement)
{
	encode_based(a, 0, 0, 0xd9, 7, base, displacement);
}

void asm_store_mxcsr(struct assembler *a, unsigned base, int32_t displacement)
{
	encode_based(a, 0, ESCAPE, 0xae, 3, base, displacement);
}

void asm_store_mask(struct assembler *a, unsigned base, int32_t displacement, unsigned mask,
		    unsigned bits)
{
	static const unsigned vex3 = 0xc4, map_0f = 1, not_r_x_b = 0xe0, no_vvvv = 0x78, w = 0x80;

	if (bits < 64)
		asm_store_constant(a, base, displacement, 0);
	encode_byte(a, vex3);
	encode_byte(a, (base & 8 ? not_r_x_b & ~0x20u : not_r_x_b) | map_0f);
	encode_byte(a, (bits >= 32 ? w : 0u) | no_vvvv | (bits == 8 || bits == 32));
	encode_byte(a, 0x91);
	encode_based_32(a, mask, base, displacement);
}

enum { PREFIX_66 = 1, PREFIX_F3 = 2 };

/* Writes the VEX prefix of an instruction of map 0F; reg and rm are those of its ModRM byte. */
static void vex(struct assembler *a, unsigned reg, unsigned rm, unsigned prefix, bool wide)
{
	enum { VEX3 = 0xc4, MAP_0F = 1, NO_X = 0x40, NO_VVVV = 0x78, L = 4 };

	encode_byte(a, VEX3);
	encode_byte(a, (reg & 8 ? 0u : 0x80u) | NO_X | (rm & 8 ? 0u : 0x20u) | MAP_0F);
	encode_byte(a, NO_VVVV | (wide ? L : 0u) | prefix);
}

/* Writes the EVEX prefix, with W set; length is 0, 1 or 2 for 16, 32 or 64 bytes. */
static void evex(struct assembler *a, unsigned reg, unsigned base, unsigned prefix, unsigned length)
{
	enum {
		EVEX = 0x62,
		MAP_0F = 1,
		NO_X = 0x40,
		W = 0x80,
		NO_VVVV = 0x78,
		FIXED = 4,
		NO_V2 = 8
	};

	encode_byte(a, EVEX);
	encode_byte(a, (reg & 8 ? 0u : 0x80u) | NO_X | (base & 8 ? 0u : 0x20u) |
			       (reg & 16 ? 0u : 0x10u) | MAP_0F);
	encode_byte(a, W | NO_VVVV | FIXED | prefix);
	encode_byte(a, length << 5 | NO_V2);
}

void asm_store_vector(struct assembler *a, unsigned base, int32_t displacement, unsigned vector,
		      unsigned bytes)
{
	enum { MOVQ = 0xd6, MOVDQU = 0x7f };
	unsigned prefix = bytes == 8 ? PREFIX_66 : PREFIX_F3;

	if (vector >= 16 || bytes == 64)
		evex(a, vector, base, prefix, bytes == 64 ? 2 : bytes == 32);
	else
		vex(a, vector, base, prefix, bytes == 32);
	encode_byte(a, bytes == 8 ? MOVQ : MOVDQU);
	encode_based_32(a, vector, base, displacement);
}

void asm_signs(struct assembler *a, unsigned reg, unsigned vector, unsigned element, unsigned bytes)
{
	enum { PMOVMSKB = 0xd7, MOVMSK = 0x50 };

	vex(a, reg, vector, element == 4 ? 0 : PREFIX_66, bytes == 32);
	encode_byte(a, element == 1 ? PMOVMSKB : MOVMSK);
	encode_byte(a, 3u << 6 | (reg & 7) << 3 | (vector & 7));
}

void asm_store_mmx(struct assembler *a, unsigned base, int32_t displacement, unsigned mmx)
{
	enum { MOVQ = 0x7f };

	encode_based(a, 0, ESCAPE, MOVQ, mmx, base, displacement);
}

void asm_signs_mmx(struct assembler *a, unsigned reg, unsigned mmx)
{
	enum { PMOVMSKB = 0xd7 };

	encode_registers(a, 0, ESCAPE, PMOVMSKB, reg, mmx);
}
