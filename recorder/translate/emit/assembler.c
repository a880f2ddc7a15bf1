/* SPDX-License-Identifier: MIT */
/* Encodings are from the Intel 64 manual, volume 2. */
#include "recorder/translate/emit/assembler.h"

#include <string.h>

enum { REX = 0x40, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };
enum { MEMORY_SIB = 4, SIB_NO_INDEX = 4, SIB_NO_BASE = 5 };

void asm_begin(struct assembler *a, uint8_t *at, size_t size, uint64_t pc)
{
	a->start = a->at = at;
	a->end = at + size;
	a->pc = pc;
	a->full = false;
	a->n_literals = 0;
}

void asm_bytes(struct assembler *a, const void *bytes, size_t size)
{
	if ((size_t)(a->end - a->at) < size)
		a->full = true;
	if (a->full)
		return;
	memcpy(a->at, bytes, size);
	a->at += size;
}

static void byte(struct assembler *a, unsigned value)
{
	asm_bytes(a, &(uint8_t){ (uint8_t)value }, 1);
}

static void word32(struct assembler *a, uint32_t value)
{
	asm_bytes(a, &value, sizeof(value));
}

static bool fits_8(int64_t v)
{
	return v == (int8_t)v;
}

static bool fits_32(int64_t v)
{
	return v == (int32_t)v;
}

static unsigned scale_bits(unsigned scale)
{
	return scale ? (unsigned)__builtin_ctz(scale) : 0;
}

/* Prefix, opcode and operands of an instruction with a register and a memory operand. */
struct memory_insn {
	unsigned prefix;	/* segment override, 0: none */
	unsigned rex;		/* REX_W or 0 */
	unsigned escape;	/* 0x0f or 0 */
	unsigned opcode, reg, base, index, scale;
	int32_t displacement;
};

static void memory(struct assembler *a, const struct memory_insn *m)
{
	bool has_base = m->base != ISA_NO_REGISTER, has_index = m->index != ISA_NO_REGISTER;
	bool sib = has_index || !has_base || (m->base & 7) == ISA_RSP;
	unsigned mod = !has_base ? 0 : m->displacement == 0 && (m->base & 7) != ISA_RBP ? 0
				     : fits_8(m->displacement) ? 1 : 2;
	unsigned rex = REX | m->rex | (m->reg & 8 ? REX_R : 0u) |
		       (has_index && m->index & 8 ? REX_X : 0u) |
		       (has_base && m->base & 8 ? REX_B : 0u);

	if (m->prefix)
		byte(a, m->prefix);
	if (rex != REX)
		byte(a, rex);
	if (m->escape)
		byte(a, m->escape);
	byte(a, m->opcode);
	byte(a, mod << 6 | (m->reg & 7) << 3 | (sib ? MEMORY_SIB : m->base & 7));
	if (sib)
		byte(a, scale_bits(m->scale) << 6 | (has_index ? m->index & 7 : SIB_NO_INDEX) << 3 |
			(has_base ? m->base & 7 : SIB_NO_BASE));
	if (mod == 1)
		byte(a, (uint8_t)m->displacement);
	else if (mod == 2 || !has_base)
		word32(a, (uint32_t)m->displacement);
}

static void registers(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode,
		      unsigned reg, unsigned rm)
{
	byte(a, REX | rex | (reg & 8 ? REX_R : 0u) | (rm & 8 ? REX_B : 0u));
	if (escape)
		byte(a, escape);
	byte(a, opcode);
	byte(a, 3u << 6 | (reg & 7) << 3 | (rm & 7));
}

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

enum { GS = 0x65, MOV_STORE = 0x89, MOV_LOAD = 0x8b, MOV_CONSTANT = 0xc7, LEA = 0x8d, JMP = 0xe9,
       GROUP_5 = 0xff, GROUP_5_JMP = 4, GROUP_5_PUSH = 6, SETE = 0x94, INT3 = 0xcc, XCHG = 0x87,
       MOVZX_8 = 0xb6, MOVZX_16 = 0xb7 };

void asm_load_gs(struct assembler *a, unsigned reg, uint32_t offset)
{
	memory(a, &(struct memory_insn){ GS, REX_W, 0, MOV_LOAD, reg, ISA_NO_REGISTER,
					 ISA_NO_REGISTER, 0, (int32_t)offset });
}

void asm_store_gs(struct assembler *a, uint32_t offset, unsigned reg)
{
	memory(a, &(struct memory_insn){ GS, REX_W, 0, MOV_STORE, reg, ISA_NO_REGISTER,
					 ISA_NO_REGISTER, 0, (int32_t)offset });
}

void asm_load_gs_half(struct assembler *a, unsigned reg, uint32_t offset)
{
	memory(a, &(struct memory_insn){ GS, 0, 0, MOV_LOAD, reg, ISA_NO_REGISTER,
					 ISA_NO_REGISTER, 0, (int32_t)offset });
}

void asm_store_gs_constant(struct assembler *a, uint32_t offset, int32_t value)
{
	memory(a, &(struct memory_insn){ GS, REX_W, 0, MOV_CONSTANT, 0, ISA_NO_REGISTER,
					 ISA_NO_REGISTER, 0, (int32_t)offset });
	word32(a, (uint32_t)value);
}

void asm_load_gs_byte(struct assembler *a, unsigned reg, unsigned base, uint32_t offset)
{
	memory(a, &(struct memory_insn){ GS, 0, 0x0f, MOVZX_8, reg, base, ISA_NO_REGISTER, 0,
					 (int32_t)offset });
}

void asm_exchange_gs(struct assembler *a, uint32_t offset, unsigned reg)
{
	memory(a, &(struct memory_insn){ GS, REX_W, 0, XCHG, reg, ISA_NO_REGISTER,
					 ISA_NO_REGISTER, 0, (int32_t)offset });
}

void asm_subtract_gs(struct assembler *a, uint32_t offset, int32_t value)
{
	enum { GROUP_1 = 0x81, GROUP_1_BYTE = 0x83, GROUP_1_SUB = 5 };
	bool small = fits_8(value);

	memory(a, &(struct memory_insn){ GS, REX_W, 0, small ? GROUP_1_BYTE : GROUP_1, GROUP_1_SUB,
					 ISA_NO_REGISTER, ISA_NO_REGISTER, 0, (int32_t)offset });
	if (small)
		byte(a, (uint8_t)value);
	else
		word32(a, (uint32_t)value);
}

void asm_load_gs_entry(struct assembler *a, unsigned reg, unsigned index, uint32_t offset)
{
	memory(a, &(struct memory_insn){ GS, REX_W, 0, MOV_LOAD, reg, ISA_NO_REGISTER, index, 8,
					 (int32_t)offset });
}

void asm_store(struct assembler *a, unsigned base, int32_t displacement, unsigned reg,
	       unsigned bytes)
{
	memory(a, &(struct memory_insn){ 0, bytes == 8 ? REX_W : 0u, 0, MOV_STORE, reg, base,
					 ISA_NO_REGISTER, 0, displacement });
}

void asm_load(struct assembler *a, unsigned reg, unsigned base, int32_t displacement)
{
	memory(a, &(struct memory_insn){ 0, REX_W, 0, MOV_LOAD, reg, base, ISA_NO_REGISTER, 0,
					 displacement });
}

void asm_store_constant(struct assembler *a, unsigned base, int32_t displacement, int32_t value)
{
	memory(a, &(struct memory_insn){ 0, REX_W, 0, MOV_CONSTANT, 0, base, ISA_NO_REGISTER, 0,
					 displacement });
	word32(a, (uint32_t)value);
}

void asm_store_zero_flag(struct assembler *a, unsigned base, int32_t displacement)
{
	memory(a, &(struct memory_insn){ 0, 0, 0x0f, SETE, 0, base, ISA_NO_REGISTER, 0,
					 displacement });
}

void asm_store_x87_control(struct assembler *a, unsigned base, int32_t displacement)
{
	memory(a, &(struct memory_insn){ 0, 0, 0, 0xd9, 7, base, ISA_NO_REGISTER, 0,
					 displacement });
}

void asm_store_mxcsr(struct assembler *a, unsigned base, int32_t displacement)
{
	memory(a, &(struct memory_insn){ 0, 0, 0x0f, 0xae, 3, base, ISA_NO_REGISTER, 0,
					 displacement });
}

/* [base + 32-bit displacement] */
static void wide_operand(struct assembler *a, unsigned reg, unsigned base, int32_t displacement)
{
	byte(a, 2u << 6 | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == ISA_RSP)
		byte(a, SIB_NO_INDEX << 3 | ISA_RSP);
	word32(a, (uint32_t)displacement);
}

unsigned asm_mask_bits(unsigned lanes)
{
	if (lanes <= 8 && __builtin_cpu_supports("avx512dq"))
		return 8;
	if (lanes <= 16 || !__builtin_cpu_supports("avx512bw"))
		return 16;
	return lanes <= 32 ? 32 : 64;
}

void asm_store_mask(struct assembler *a, unsigned base, int32_t displacement, unsigned mask,
		    unsigned bits)
{
	static const unsigned vex3 = 0xc4, map_0f = 1, not_r_x_b = 0xe0, no_vvvv = 0x78, w = 0x80;

	if (bits < 64)
		asm_store_constant(a, base, displacement, 0);
	byte(a, vex3);
	byte(a, (base & 8 ? not_r_x_b & ~0x20u : not_r_x_b) | map_0f);
	byte(a, (bits >= 32 ? w : 0u) | no_vvvv | (bits == 8 || bits == 32));
	byte(a, 0x91);
	wide_operand(a, mask, base, displacement);
}

enum { PREFIX_66 = 1, PREFIX_F3 = 2 };

/* The VEX prefix of an instruction of map 0F. reg, rm: of its ModRM byte. */
static void vex(struct assembler *a, unsigned reg, unsigned rm, unsigned prefix, bool wide)
{
	enum { VEX3 = 0xc4, MAP_0F = 1, NO_X = 0x40, NO_VVVV = 0x78, L = 4 };

	byte(a, VEX3);
	byte(a, (reg & 8 ? 0u : 0x80u) | NO_X | (rm & 8 ? 0u : 0x20u) | MAP_0F);
	byte(a, NO_VVVV | (wide ? L : 0u) | prefix);
}

/* The EVEX prefix, with W set; length: 0, 1, 2 for 16, 32, 64 bytes. */
static void evex(struct assembler *a, unsigned reg, unsigned base, unsigned prefix, unsigned length)
{
	enum { EVEX = 0x62, MAP_0F = 1, NO_X = 0x40, W = 0x80, NO_VVVV = 0x78, FIXED = 4,
	       NO_V2 = 8 };

	byte(a, EVEX);
	byte(a, (reg & 8 ? 0u : 0x80u) | NO_X | (base & 8 ? 0u : 0x20u) | (reg & 16 ? 0u : 0x10u) |
		MAP_0F);
	byte(a, W | NO_VVVV | FIXED | prefix);
	byte(a, length << 5 | NO_V2);
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
	byte(a, bytes == 8 ? MOVQ : MOVDQU);
	wide_operand(a, vector, base, displacement);
}

void asm_signs(struct assembler *a, unsigned reg, unsigned vector, unsigned element,
	       unsigned bytes)
{
	enum { PMOVMSKB = 0xd7, MOVMSK = 0x50 };

	vex(a, reg, vector, element == 4 ? 0 : PREFIX_66, bytes == 32);
	byte(a, element == 1 ? PMOVMSKB : MOVMSK);
	byte(a, 3u << 6 | (reg & 7) << 3 | (vector & 7));
}

void asm_lea(struct assembler *a, unsigned reg, unsigned base, unsigned index, unsigned scale,
	     int32_t displacement)
{
	memory(a, &(struct memory_insn){ 0, REX_W, 0, LEA, reg, base, index, scale,
					 displacement });
}

void asm_move(struct assembler *a, unsigned to, unsigned from)
{
	registers(a, REX_W, 0, MOV_LOAD, to, from);
}

void asm_exchange(struct assembler *a, unsigned one, unsigned other)
{
	registers(a, REX_W, 0, XCHG, one, other);
}

void asm_read_fs_base(struct assembler *a, unsigned reg)
{
	byte(a, 0xf3);
	registers(a, REX_W, 0x0f, 0xae, 0, reg);
}

void asm_not(struct assembler *a, unsigned reg)
{
	registers(a, REX_W, 0, 0xf7, 2, reg);
}

void asm_zero_extend_16(struct assembler *a, unsigned to, unsigned from)
{
	registers(a, 0, 0x0f, MOVZX_16, to, from);
}

void asm_zero_extend_8(struct assembler *a, unsigned to, unsigned from)
{
	registers(a, 0, 0x0f, MOVZX_8, to, from);
}

void asm_sign_extend_16(struct assembler *a, unsigned to, unsigned from)
{
	registers(a, REX_W, 0x0f, 0xbf, to, from);
}

void asm_sign_extend_32(struct assembler *a, unsigned to, unsigned from)
{
	registers(a, REX_W, 0, 0x63, to, from);
}

/* A 4-byte rip-relative field, to be filled in by asm_end. */
static void literal(struct assembler *a, uint64_t value)
{
	if (a->n_literals == ASSEMBLER_LITERALS)
		a->full = true;
	if (a->full)
		return;
	a->literals[a->n_literals].field = a->at;
	a->literals[a->n_literals++].value = value;
	word32(a, 0);
}

static unsigned rip_relative(unsigned reg)
{
	return (reg & 7) << 3 | 5;
}

void asm_load_literal(struct assembler *a, unsigned reg, uint64_t value)
{
	byte(a, REX | REX_W | (reg & 8 ? REX_R : 0u));
	byte(a, MOV_LOAD);
	byte(a, rip_relative(reg));
	literal(a, value);
}

void asm_push_literal(struct assembler *a, uint64_t value)
{
	if (fits_32((int64_t)value)) {
		byte(a, 0x68);
		word32(a, (uint32_t)value);
		return;
	}
	byte(a, GROUP_5);
	byte(a, rip_relative(GROUP_5_PUSH));
	literal(a, value);
}

void asm_load_constant(struct assembler *a, unsigned reg, uint64_t value)
{
	enum { MOV_REGISTER_CONSTANT = 0xb8 };

	byte(a, REX | REX_W | (reg & 8 ? REX_B : 0u));
	byte(a, MOV_REGISTER_CONSTANT | (reg & 7));
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

uint8_t *asm_jump(struct assembler *a, uint64_t target)
{
	enum { LENGTH = 5 };
	uint8_t *start = a->at;
	int64_t displacement = (int64_t)(target - (asm_here(a) + LENGTH));

	if (fits_32(displacement)) {
		byte(a, JMP);
		word32(a, (uint32_t)displacement);
	} else {
		byte(a, GROUP_5);
		byte(a, rip_relative(GROUP_5_JMP));
		literal(a, target);
	}
	return start;
}

bool asm_jump_change(uint8_t *jump, uint64_t pc, uint64_t target)
{
	enum { LENGTH = 5 };
	int64_t displacement = (int64_t)(target - (pc + LENGTH));
	int32_t field = (int32_t)displacement;

	if (!fits_32(displacement))
		return false;
	memcpy(jump + 1, &field, sizeof(field));
	return true;
}

void asm_jump_table(struct assembler *a, unsigned index, uint32_t offset)
{
	memory(a, &(struct memory_insn){ GS, 0, 0, GROUP_5, GROUP_5_JMP, ISA_NO_REGISTER, index, 8,
					 (int32_t)offset });
}

void asm_jump_gs(struct assembler *a, uint32_t offset)
{
	memory(a, &(struct memory_insn){ GS, 0, 0, GROUP_5, GROUP_5_JMP, ISA_NO_REGISTER,
					 ISA_NO_REGISTER, 0, (int32_t)offset });
}

void asm_syscall(struct assembler *a)
{
	static const uint8_t code[] = { 0x0f, 0x05 };

	asm_bytes(a, code, sizeof(code));
}

void asm_store_time(struct assembler *a, unsigned base, int32_t displacement)
{
	static const uint8_t rdtsc[] = { 0x0f, 0x31 };

	asm_bytes(a, rdtsc, sizeof(rdtsc));
	asm_store(a, base, displacement, ISA_RAX, 4);
	asm_store(a, base, displacement + 4, ISA_RDX, 4);
}

uint8_t *asm_jump_if_rcx_0(struct assembler *a)
{
	uint8_t *start = a->at;

	byte(a, 0xe3);
	byte(a, 0);
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

	word32(a, 0);
	return at;
}

uint8_t *asm_jump_if(struct assembler *a, unsigned condition)
{
	byte(a, 0x0f);
	byte(a, 0x80 | condition);
	return empty_field(a);
}

uint8_t *asm_jump_ahead(struct assembler *a)
{
	byte(a, JMP);
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
	byte(a, INT3);
	word32(a, number);
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
	enum { LINE = 64, NOP = 0x90 };

	while (asm_here(a) % LINE > LINE - ASM_JUMP_BYTES && !a->full)
		byte(a, NOP);
}

bool asm_end(struct assembler *a)
{
	static const uint8_t padding[8] = { INT3, INT3, INT3, INT3, INT3, INT3, INT3, INT3 };

	if (a->n_literals)
		asm_bytes(a, padding, -asm_here(a) & 7);
	for (unsigned i = 0; i < a->n_literals && !a->full; i++) {
		uint8_t *field = a->literals[i].field;
		int32_t displacement = (int32_t)(a->at - (field + sizeof(displacement)));

		memcpy(field, &displacement, sizeof(displacement));
		asm_bytes(a, &a->literals[i].value, 8);
	}
	return !a->full;
}
