/* SPDX-License-Identifier: MIT */
/* Translation piece by piece: the assembler against Zydis; plans of code written by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/emit/translation.h"
#include "tests/unit/run_suite.h"

/* ---- the assembler ----------------------------------------------------------------------- */

enum { CODE_PC = 0x10000000, ROOM = 64, NONE = ISA_NO_REGISTER };

static uint8_t code[8192];
static struct assembler as;
static ZydisDecodedInstruction insn;
static ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

static void begin(size_t room)
{
	memset(code, 0xcc, sizeof(code));
	asm_begin(&as, code, room, CODE_PC);
}

static void decode(const uint8_t *at)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ck_assert(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, ROOM, &insn, operands)));
}

/* Decodes the only instruction, which must not change flags. */
static void decode_only(void)
{
	struct isa_effects e;

	ck_assert(!as.full);
	decode(code);
	ck_assert_uint_eq(insn.length, as.at - code);
	ck_assert_int_eq(isa_effects(code, ROOM, CODE_PC, ISA_INTEL, &e), 0);
	ck_assert(!e.writes_flags);
}

static ZydisRegister reg64(unsigned reg)
{
	return reg == NONE ? ZYDIS_REGISTER_NONE : (ZydisRegister)(ZYDIS_REGISTER_RAX + reg);
}

static void check_memory(unsigned n, unsigned segment, unsigned base, unsigned index,
			 unsigned scale, int64_t displacement)
{
	const ZydisDecodedOperand *o = &operands[n];

	ck_assert_int_eq(o->type, ZYDIS_OPERAND_TYPE_MEMORY);
	if (segment == ZYDIS_REGISTER_GS)
		ck_assert_int_eq((unsigned)o->mem.segment, segment);
	else
		ck_assert_int_ne(o->mem.segment, ZYDIS_REGISTER_GS);
	ck_assert_int_eq(o->mem.base, reg64(base));
	ck_assert_int_eq(o->mem.index, reg64(index));
	if (index != NONE)
		ck_assert_int_eq(o->mem.scale, scale);
	ck_assert_int_eq(o->mem.disp.value, displacement);
}

static void check_register(unsigned n, ZydisRegister reg)
{
	ck_assert_int_eq(operands[n].type, ZYDIS_OPERAND_TYPE_REGISTER);
	ck_assert_int_eq(operands[n].reg.value, reg);
}

static const int32_t displacements[] = { 0, 8, -8, 127, 128, -128, -129, 0x12345678, INT32_MIN };
enum { N_DISPLACEMENTS = sizeof(displacements) / sizeof(*displacements) };

START_TEST(memory_operands)
{
	for (unsigned reg = 0; reg < 16; reg++)
		for (unsigned base = 0; base < 16; base++)
			for (unsigned d = 0; d < N_DISPLACEMENTS; d++) {
				int32_t at = displacements[d];

				begin(ROOM);
				asm_store(&as, base, at, reg, 8);
				decode_only();
				ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOV);
				check_memory(0, 0, base, NONE, 0, at);
				check_register(1, reg64(reg));
				begin(ROOM);
				asm_store(&as, base, at, reg, 4);
				decode_only();
				check_memory(0, 0, base, NONE, 0, at);
				check_register(1, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
				begin(ROOM);
				asm_load(&as, reg, base, at);
				decode_only();
				check_register(0, reg64(reg));
				check_memory(1, 0, base, NONE, 0, at);
				begin(ROOM);
				asm_store_constant(&as, base, at, -5 - (int32_t)reg);
				decode_only();
				check_memory(0, 0, base, NONE, 0, at);
				ck_assert_int_eq(operands[0].size, 64);
				ck_assert_int_eq(operands[1].imm.value.s, -5 - (int32_t)reg);
				begin(ROOM);
				asm_store_zero_flag(&as, base, at);
				decode_only();
				ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_SETZ);
				check_memory(0, 0, base, NONE, 0, at);
			}
}
END_TEST

START_TEST(lea_of_every_kind)
{
	for (unsigned reg = 0; reg < 16; reg++)
		for (unsigned base = 0; base < 17; base++)
			for (unsigned index = 0; index < 17; index++)
				for (unsigned scale = 1; scale <= 8; scale *= 2) {
					unsigned b = base < 16 ? base : NONE;
					unsigned i = index < 16 ? index : NONE;

					if (index == ISA_RSP)
						continue;
					begin(ROOM);
					asm_lea(&as, reg, b, i, scale, displacements[reg % 9]);
					decode_only();
					ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_LEA);
					check_register(0, reg64(reg));
					check_memory(1, 0, b, i, scale, displacements[reg % 9]);
				}
}
END_TEST

START_TEST(gs_and_registers)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		begin(ROOM);
		asm_load_gs(&as, reg, 0x81000);
		decode_only();
		check_register(0, reg64(reg));
		check_memory(1, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x81000);
		begin(ROOM);
		asm_store_gs(&as, 8, reg);
		decode_only();
		check_memory(0, ZYDIS_REGISTER_GS, NONE, NONE, 0, 8);
		check_register(1, reg64(reg));
		begin(ROOM);
		asm_not(&as, reg);
		decode_only();
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_NOT);
		check_register(0, reg64(reg));
		for (unsigned from = 0; from < 16; from++) {
			begin(ROOM);
			asm_move(&as, reg, from);
			decode_only();
			check_register(0, reg64(reg));
			check_register(1, reg64(from));
			begin(ROOM);
			asm_zero_extend_16(&as, reg, from);
			decode_only();
			ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOVZX);
			check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_AX + from));
			if (from == ISA_RSP)
				continue;
			begin(ROOM);
			asm_load_gs_entry(&as, reg, from, 0x1000);
			decode_only();
			check_memory(1, ZYDIS_REGISTER_GS, NONE, from, 8, 0x1000);
			begin(ROOM);
			asm_jump_table(&as, from, 0x1000);
			decode_only();
			ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_JMP);
			check_memory(0, ZYDIS_REGISTER_GS, NONE, from, 8, 0x1000);
		}
	}
}
END_TEST

START_TEST(counters)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		begin(ROOM);
		asm_load_gs_half(&as, reg, 0x34);
		decode_only();
		check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
		check_memory(1, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x34);
	}
	for (int32_t value = -300; value <= 300; value++) {
		begin(ROOM);
		asm_subtract_gs(&as, 0x30, value);
		decode(code);	/* it changes flags */
		ck_assert_uint_eq(insn.length, as.at - code);
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_SUB);
		check_memory(0, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x30);
		ck_assert_int_eq(operands[0].size, 64);
		ck_assert_int_eq(operands[1].imm.value.s, value);
		begin(ROOM);
		asm_store_gs_constant(&as, 0x38, value);
		decode_only();
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOV);
		check_memory(0, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x38);
		ck_assert_int_eq(operands[1].imm.value.s, value);
	}
}
END_TEST

START_TEST(masks)
{
	static const ZydisMnemonic kmov[] = { ZYDIS_MNEMONIC_KMOVB, ZYDIS_MNEMONIC_KMOVW,
					      ZYDIS_MNEMONIC_KMOVD, ZYDIS_MNEMONIC_KMOVQ };

	for (unsigned base = 0; base < 16; base++)
		for (unsigned mask = 0; mask < 32; mask++) {
			unsigned k = mask % 8, bits = 8u << mask / 8;

			begin(ROOM);
			asm_store_mask(&as, base, 8 * (int32_t)k, k, bits);
			decode(code);
			if (bits < 64) {
				ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOV);
				check_memory(0, 0, base, NONE, 0, 8 * (int32_t)k);
				decode(code + insn.length);
			}
			ck_assert_int_eq(insn.mnemonic, kmov[mask / 8]);
			check_memory(0, 0, base, NONE, 0, 8 * (int32_t)k);
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_K0 + k));
		}
}
END_TEST

START_TEST(bits_of_masks)
{
	bool dq = __builtin_cpu_supports("avx512dq"), bw = __builtin_cpu_supports("avx512bw");

	ck_assert_uint_eq(asm_mask_bits(2), dq ? 8 : 16);
	ck_assert_uint_eq(asm_mask_bits(8), dq ? 8 : 16);
	ck_assert_uint_eq(asm_mask_bits(16), 16);
	ck_assert_uint_eq(asm_mask_bits(32), bw ? 32 : 16);
	ck_assert_uint_eq(asm_mask_bits(64), bw ? 64 : 16);
}
END_TEST

/* Vector registers of 8 and 16, 32, 64 bytes. */
static ZydisRegister vector_register(unsigned number, unsigned bytes)
{
	unsigned first = bytes <= 16 ? ZYDIS_REGISTER_XMM0 :
			 bytes == 32 ? ZYDIS_REGISTER_YMM0 : ZYDIS_REGISTER_ZMM0;

	return (ZydisRegister)(first + number);
}

START_TEST(vectors)
{
	for (unsigned base = 0; base < 16; base++)
		for (unsigned vector = 0; vector < 32; vector++)
			for (unsigned bytes = 8; bytes <= 64; bytes *= 2) {
				begin(ROOM);
				asm_store_vector(&as, base, -24, vector, bytes);
				decode_only();
				ck_assert_int_eq(insn.mnemonic, bytes == 8 ? ZYDIS_MNEMONIC_VMOVQ :
						 bytes == 64 || vector >= 16 ?
						 ZYDIS_MNEMONIC_VMOVDQU64 : ZYDIS_MNEMONIC_VMOVDQU);
				check_memory(0, 0, base, NONE, 0, -24);
				ck_assert_uint_eq(operands[0].size, 8 * bytes);
				check_register(insn.operand_count_visible - 1u,
					       vector_register(vector, bytes));
			}
	for (unsigned reg = 0; reg < 16; reg++)
		for (unsigned vector = 0; vector < 16; vector++)
			for (unsigned bytes = 16; bytes <= 32; bytes *= 2)
				for (unsigned element = 1; element <= 8; element *= 2) {
					if (element == 2)
						continue;
					begin(ROOM);
					asm_signs(&as, reg, vector, element, bytes);
					decode_only();
					ck_assert_int_eq(insn.mnemonic, element == 1 ?
						ZYDIS_MNEMONIC_VPMOVMSKB : element == 4 ?
						ZYDIS_MNEMONIC_VMOVMSKPS : ZYDIS_MNEMONIC_VMOVMSKPD);
					check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
					check_register(1, vector_register(vector, bytes));
				}
}
END_TEST

START_TEST(code_is_loaded_and_compared)
{
	static const uint64_t constant = 0xfedcba9876543210;
	static const unsigned registers[] = { [1] = ZYDIS_REGISTER_EAX, [2] = ZYDIS_REGISTER_EAX,
					      [4] = ZYDIS_REGISTER_EAX, [8] = ZYDIS_REGISTER_RAX };

	for (unsigned reg = 0; reg < 16; reg++) {
		begin(ROOM);
		asm_load_constant(&as, reg, constant);
		decode_only();
		check_register(0, reg64(reg));
		ck_assert_uint_eq(operands[1].imm.value.u, constant);
		for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
			begin(ROOM);
			ck_assert(asm_load_near(&as, reg, CODE_PC + 0x12345, bytes));
			decode_only();
			check_register(0, (ZydisRegister)(registers[bytes] + reg));
			ck_assert_int_eq(operands[1].mem.base, ZYDIS_REGISTER_RIP);
			ck_assert_int_eq(operands[1].mem.disp.value, 0x12345 - insn.length);
			ck_assert_uint_eq(operands[1].size, 8 * bytes);
			ck_assert(!asm_load_near(&as, reg, CODE_PC + (UINT64_C(3) << 30), bytes));
		}
	}
	begin(ROOM);
	asm_nop(&as);
	decode_only();
	ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_NOP);
	ck_assert_uint_eq(insn.length, ASM_JUMP_BYTES);
	asm_make_trap(code);
	ck_assert(asm_is_trap(code));
}
END_TEST

START_TEST(control_words_and_parts)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		begin(ROOM);
		asm_store_x87_control(&as, reg, 300);
		decode_only();
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_FNSTCW);
		check_memory(0, 0, reg, NONE, 0, 300);
		begin(ROOM);
		asm_store_mxcsr(&as, reg, 300);
		decode_only();
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_STMXCSR);
		check_memory(0, 0, reg, NONE, 0, 300);
		for (unsigned from = 0; from < 16; from++) {
			begin(ROOM);
			asm_zero_extend_8(&as, reg, from);
			decode_only();
			ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOVZX);
			check_register(1, from >= 4 ? (ZydisRegister)(ZYDIS_REGISTER_SPL + from - 4) :
				       (ZydisRegister)(ZYDIS_REGISTER_AL + from));
			begin(ROOM);
			asm_sign_extend_16(&as, reg, from);
			decode_only();
			ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOVSX);
			check_register(0, reg64(reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_AX + from));
			begin(ROOM);
			asm_sign_extend_32(&as, reg, from);
			decode_only();
			ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_MOVSXD);
			check_register(0, reg64(reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_EAX + from));
		}
	}
}
END_TEST

/* Where the instruction at offset leads. */
static uint64_t target_of(size_t offset)
{
	struct isa_insn fact;

	ck_assert_int_eq(isa_decode(code + offset, ROOM, CODE_PC + offset, ISA_INTEL, &fact), 0);
	return fact.target;
}

START_TEST(jumps_and_literals)
{
	static const uint64_t far = 0x7fff12345678;
	uint64_t value;
	uint8_t *field, *jrcxz, *load;
	int32_t displacement;

	begin(sizeof(code));
	asm_jump(&as, CODE_PC - 0x7ffffff0);
	ck_assert_uint_eq(target_of(0), (uint64_t)(CODE_PC - 0x7ffffff0));
	ck_assert(asm_jump_change(code, CODE_PC, CODE_PC + 77));
	ck_assert_uint_eq(target_of(0), CODE_PC + 77);
	ck_assert(!asm_jump_change(code, CODE_PC, far));

	begin(sizeof(code));
	for (unsigned condition = 0; condition < 16; condition++) {
		size_t at = (size_t)(as.at - code);

		field = asm_jump_if(&as, condition);
		asm_trap(&as, condition);
		asm_target(&as, field);
		ck_assert_uint_eq(code[at + 1], 0x80 | condition);
		ck_assert_uint_eq(target_of(at), asm_here(&as));
	}
	begin(sizeof(code));
	jrcxz = asm_jump_if_rcx_0(&as);
	field = asm_jump_ahead(&as);
	asm_short_target(&as, jrcxz);
	ck_assert_uint_eq(target_of(0), asm_here(&as));
	load = as.at;
	for (unsigned reg = 0; reg < 16; reg++)
		asm_load_literal(&as, reg, far + reg);
	asm_push_literal(&as, (uint64_t)-3);
	asm_push_literal(&as, far);
	asm_target(&as, field);
	ck_assert_uint_eq(target_of(2), asm_here(&as));
	asm_jump(&as, far);
	ck_assert(asm_end(&as));
	for (unsigned reg = 0; reg < 16; reg++, load += 7) {
		memcpy(&value, asm_literal_of(load), sizeof(value));
		ck_assert_uint_eq(value, far + reg);
		ck_assert_uint_eq((uintptr_t)(asm_literal_of(load) - code) % 8, 0);
		decode(load);
		check_register(0, reg64(reg));
	}
	decode(load);
	ck_assert_int_eq(operands[0].imm.value.s, -3);
	for (load += insn.length; load < field + 4 || insn.mnemonic != ZYDIS_MNEMONIC_JMP;
	     load += insn.length) {
		decode(load);
		memcpy(&displacement, load + 2, sizeof(displacement));
		memcpy(&value, load + insn.length + displacement, sizeof(value));
		ck_assert_uint_eq(value, far);
	}
}
END_TEST

START_TEST(what_does_not_fit)
{
	uint8_t *jrcxz;

	for (size_t room = 0; room < 15; room++) {
		begin(room);
		asm_load_literal(&as, 3, 0x123456789abc);
		ck_assert(!asm_end(&as));
		ck_assert_uint_le(as.at - code, room);
		for (size_t i = room; i < ROOM; i++)
			ck_assert_uint_eq(code[i], 0xcc);
	}
	begin(16);
	asm_load_literal(&as, 3, 0x123456789abc);
	ck_assert(asm_end(&as));
	begin(sizeof(code));
	for (unsigned i = 0; i <= ASSEMBLER_LITERALS; i++)
		asm_load_literal(&as, 3, i);
	ck_assert(!asm_end(&as));
	begin(sizeof(code));
	jrcxz = asm_jump_if_rcx_0(&as);
	for (unsigned i = 0; i < 128; i++)
		asm_bytes(&as, "\x90", 1);
	asm_short_target(&as, jrcxz);
	ck_assert(as.full);
}
END_TEST

START_TEST(moved_operands)
{
	/* add dword [rip+0x100], 0x12345678 at 401000 */
	static const uint8_t add[] = { 0x81, 0x05, 0, 1, 0, 0, 0x78, 0x56, 0x34, 0x12 };
	struct isa_insn fact;
	struct isa_effects e;

	ck_assert_int_eq(isa_effects(add, sizeof(add), 0x401000, ISA_INTEL, &e), 0);
	begin(ROOM);
	ck_assert(asm_moved(&as, add, sizeof(add), e.rip_field, 0x40110a));
	ck_assert_int_eq(isa_decode(code, ROOM, CODE_PC, ISA_INTEL, &fact), 0);
	ck_assert_int_eq(fact.operands[0].address.displacement, 0x40110a);
	ck_assert_mem_eq(code + 6, add + 6, 4);
	ck_assert(!asm_moved(&as, add, sizeof(add), e.rip_field, UINT64_C(0x7fff00000000)));
}
END_TEST

/* ---- plans ------------------------------------------------------------------------------- */

enum { PC = 0x401000 };
static struct plan plan;
static struct code_block *planned;	/* the only block of a plan */

static struct code_block *block(uint64_t pc, const void *bytes, size_t size)
{
	struct code_source source = { .pc = pc, .code = bytes, .available = size };
	struct code_block *b;

	ck_assert_int_eq(code_block_build(&source, &b), CODE_BLOCK);
	return b;
}

static void plan_one(const char *bytes, size_t size, bool no_addresses)
{
	free(planned);
	planned = block(PC, bytes, size);
	ck_assert_uint_eq(planned->trace.code_size, size);
	ck_assert(plan_can_have(planned));
	plan_begin(&plan, PC, &(struct plan_options){ .no_addresses = no_addresses,
						      .function = TF_NONE });
	plan_add(&plan, planned);
	plan_end(&plan);
}
#define PLAN(bytes) plan_one(bytes, sizeof(bytes) - 1, false)

static void check_recipe(unsigned n, unsigned base, unsigned slot, int64_t displacement)
{
	ck_assert_uint_eq(plan.recipes[n].base, base);
	if (base == TF_BASE_SLOT)
		ck_assert_uint_eq(plan.recipes[n].slot, slot);
	ck_assert_int_eq(plan.recipes[n].displacement, displacement);
}

START_TEST(slots_are_shared)
{
	/* mov rax,[rbx+8]; add rbx,16; mov rcx,[rbx]; lea rdx,[rbx-4]; mov [rdx],al;
	 * mov rbx,[rbx]; mov rdx,[rbx] */
	PLAN("\x48\x8b\x43\x08" "\x48\x83\xc3\x10" "\x48\x8b\x0b" "\x48\x8d\x53\xfc" "\x88\x02"
	     "\x48\x8b\x1b" "\x48\x8b\x13");
	ck_assert_uint_eq(plan.numbering.n_slots, 2);
	ck_assert_uint_eq(plan.n_values, 5);
	check_recipe(0, TF_BASE_SLOT, 0, 8);
	check_recipe(1, TF_BASE_SLOT, 0, 16);
	check_recipe(2, TF_BASE_SLOT, 0, 12);
	check_recipe(3, TF_BASE_SLOT, 0, 16);
	check_recipe(4, TF_BASE_SLOT, 1, 0);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_rule, TF_RSP_DELTA);
	ck_assert_int_eq(plan.exits[0].trace.rsp_value, 0);
}
END_TEST

START_TEST(the_stack_needs_no_slot)
{
	/* push rbp; mov rbp,rsp; sub rsp,32; mov [rbp-8],rdi; mov rax,[rsp+rcx*4+1]; leave; ret */
	PLAN("\x55" "\x48\x89\xe5" "\x48\x83\xec\x20" "\x48\x89\x7d\xf8" "\x48\x8b\x44\x8c\x01"
	     "\xc9" "\xc3");
	ck_assert_uint_eq(plan.numbering.n_slots, 1);	/* rcx */
	check_recipe(0, TF_BASE_RSP, 0, -8);
	check_recipe(1, TF_BASE_RSP, 0, -16);
	check_recipe(2, TF_BASE_RSP, 0, -39);
	ck_assert_uint_eq(plan.recipes[2].scale, 4);
	check_recipe(3, TF_BASE_RSP, 0, -8);
	check_recipe(4, TF_BASE_RSP, 0, 0);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_rule, TF_RSP_DELTA);
	ck_assert_int_eq(plan.exits[0].trace.rsp_value, 8);
}
END_TEST

START_TEST(rsp_realigned)
{
	/* and rsp,-16; rep movsb: rsp takes a slot behind those of the rep instruction */
	PLAN("\x48\x83\xe4\xf0" "\xf3\xa4");
	ck_assert_uint_eq(plan.numbering.n_slots, 6);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_rule, TF_RSP_SLOT);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_slot, 5);
	ck_assert_uint_eq(plan.n_insn_slots, 5);
	ck_assert_uint_eq(plan.insns[1].n_before, 3);
	ck_assert_uint_eq(plan.insns[1].n_after, 3);
	/* and rsp,-16; push rax; sub rsp,8: the push's slot will do */
	PLAN("\x48\x83\xe4\xf0" "\x50" "\x48\x83\xec\x08");
	ck_assert_uint_eq(plan.numbering.n_slots, 1);
	check_recipe(0, TF_BASE_SLOT, 0, -8);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_slot, 0);
	ck_assert_int_eq(plan.exits[0].trace.rsp_value, -16);
}
END_TEST

START_TEST(without_addresses)
{
	plan_one("\x48\x83\xe4\xf0" "\xf3\xa4", 6, true);
	ck_assert_uint_eq(plan.numbering.n_slots, 3);
	check_recipe(0, TF_BASE_UNKNOWN, 0, 0);
	check_recipe(1, TF_BASE_UNKNOWN, 0, 0);
	check_recipe(2, TF_BASE_SLOT, 0, 0);
}
END_TEST

START_TEST(masked_and_sized)
{
	uint64_t slots[4] = { 0, 7, UINT64_MAX, 1 };

	/* vmovdqu32 [rax]{k3}, zmm1; vmovdqu32 [rax]{k3}, xmm1; xsavec [rax] */
	PLAN("\x62\xf1\x7e\x4b\x7f\x08" "\x62\xf1\x7e\x0b\x7f\x08" "\x0f\xc7\x20");
	ck_assert_uint_eq(plan.numbering.n_slots, 4);
	ck_assert_uint_eq(plan.n_corrections, 2);
	ck_assert_uint_eq(plan.numbering.captures[1].kind, CAPTURE_MASK);
	ck_assert_uint_eq(plan.numbering.captures[1].base, 3);
	ck_assert_uint_eq(plan.numbering.captures[1].size, 16);
	ck_assert_uint_eq(plan.numbering.captures[3].kind, CAPTURE_COMPONENTS);
	plan_correct(plan.corrections, plan.n_corrections, 7, slots, 4);
	ck_assert_uint_eq(slots[1], 7);
	ck_assert_uint_eq(slots[2], 0xf);
	ck_assert_uint_ge(slots[3], 576);
}
END_TEST

/* What captures[n] is. */
static void check_capture(unsigned n, enum capture_kind kind, unsigned base, unsigned n_places)
{
	const struct capture *c = &plan.numbering.captures[n];

	ck_assert_uint_lt(n, plan.numbering.n_captures);
	ck_assert_uint_eq(c->kind, kind);
	ck_assert_uint_eq(c->base, base);
	ck_assert_uint_eq(c->n_places, n_places);
}

START_TEST(bits_and_tables)
{
	/* bts [rsp+rbx],rcx; bt [rsp+8],cx; bt [rip],edx: rsp is known, but not with an index */
	PLAN("\x48\x0f\xab\x0c\x1c" "\x66\x0f\xa3\x4c\x24\x08" "\x0f\xa3\x15\x10\0\0\0");
	ck_assert_uint_eq(plan.n_values, 3);
	ck_assert_uint_eq(plan.numbering.n_slots, 4);
	check_recipe(0, TF_BASE_SLOT, 0, 0);
	check_recipe(1, TF_BASE_RSP, 0, 8);
	check_recipe(2, TF_BASE_CONSTANT, 0, PC + 18 + 0x10);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(plan.recipes[i].index_slot, i + 1);
	ck_assert_uint_eq(plan.recipes[0].bit_string, 64);
	ck_assert_uint_eq(plan.recipes[1].bit_string, 16);
	ck_assert_uint_eq(plan.recipes[2].bit_string, 32);
	check_capture(2, CAPTURE_PART, ISA_RCX, 1);
	ck_assert_uint_eq(plan.numbering.captures[2].size, 16);
	/* add rbx,4; xlat; xlat */
	PLAN("\x48\x83\xc3\x04" "\xd7" "\xd7");
	ck_assert_uint_eq(plan.numbering.n_slots, 3);
	check_recipe(0, TF_BASE_SLOT, 0, 0);
	check_recipe(1, TF_BASE_SLOT, 0, 0);
	ck_assert_uint_eq(plan.recipes[1].scale, 1);
	ck_assert_uint_eq(plan.recipes[1].index_slot, 2);
}
END_TEST

START_TEST(lanes)
{
	uint64_t slots[9] = { 0, UINT64_MAX, 0, 0, 0, 0, 3, UINT64_MAX, UINT64_MAX };

	if (!__builtin_cpu_supports("avx"))
		return;
	/* vgatherqps xmm1, [rax+ymm2*4], xmm3; vmaskmovpd [rax], xmm4, xmm5; vpcompressd [rax]{k2}, zmm1 */
	PLAN("\xc4\xe2\x65\x93\x0c\x90" "\xc4\xe2\x59\x2f\x28" "\x62\xf2\x7d\x4a\x8b\x08");
	ck_assert_uint_eq(plan.n_values, 10);
	ck_assert_uint_eq(plan.numbering.n_slots, 8);	/* rax, 1 + 4, 1, 1 */
	check_capture(1, CAPTURE_SIGNS, 3, 1);
	check_capture(2, CAPTURE_VECTOR, 2, 4);
	check_capture(3, CAPTURE_SIGNS, 4, 1);
	check_capture(4, CAPTURE_MASK, 2, 1);
	for (unsigned i = 0; i < 7; i++)
		check_recipe(i + 3, TF_BASE_SLOT, i + 1, 0);
	ck_assert_uint_eq(plan.n_corrections, 1);	/* the size */
	plan_correct(plan.corrections, plan.n_corrections, 7, slots, 9);
	ck_assert_uint_eq(slots[6], 3);
	ck_assert_uint_eq(slots[7], 64);
	ck_assert_uint_eq(slots[8], UINT64_MAX);
	/* vgatherqps xmm1, [rax+xmm2*4], xmm3: two lanes of a register of four */
	PLAN("\xc4\xe2\x61\x93\x0c\x90");
	ck_assert_uint_eq(plan.n_corrections, 1);
	plan_correct(plan.corrections, plan.n_corrections, 7, slots, 2);
	ck_assert_uint_eq(slots[1], 3);
	plan_one("\xc4\xe2\x65\x93\x0c\x90", 6, true);
	ck_assert_uint_eq(plan.numbering.n_slots, 1);
	check_recipe(2, TF_BASE_UNKNOWN, 0, 0);
}
END_TEST

START_TEST(control_words_are_hidden)
{
	/* mov rcx,[rbx]; fxrstor [rbx] */
	PLAN("\x48\x8b\x0b" "\x0f\xae\x0b");
	ck_assert_uint_eq(plan.numbering.n_slots, 1);
	ck_assert_uint_eq(plan.numbering.n_places, 3);
	ck_assert_uint_eq(plan.control_words, ISA_X87_CONTROL | ISA_MXCSR);
	ck_assert_uint_eq(plan.control_place, 1);
	ck_assert_uint_eq(plan.exits[0].n_places, 3);
	ck_assert_uint_eq(plan.exits[0].trace.n_slots, 1);
	ck_assert_uint_eq(plan_next(&plan), 0);	/* the event stands between two paths */
	ck_assert(!plan_leads_to(plan.blocks[0], PC + 6));
}
END_TEST

START_TEST(what_is_stepped)
{
	static const struct {
		const char *code;
		size_t size;
	} not[] = {
		{ "\x9d", 1 },			/* popf */
		{ "\xfd", 1 },			/* std */
		{ "\x65\x8b\x00", 3 },		/* mov eax, gs:[rax] */
		{ "\x0f\xf7\xc1", 3 },		/* maskmovq mm0, mm1 */
		{ "\xff\x18", 2 },		/* call far [rax] */
		{ "\xcb", 1 },			/* retf */
		{ "\xcc", 1 },			/* int3 */
		{ "\xf3\x48\x0f\xae\xd0", 5 },	/* wrfsbase rax */
		{ "\x67\xf3\xa4", 3 },		/* rep movsb with esi, edi, ecx */
	};

	for (size_t i = 0; i < sizeof(not) / sizeof(*not); i++) {
		struct code_block *b = block(PC, not[i].code, not[i].size);

		ck_assert_msg(!plan_can_have(b), "number %zu", i);
		free(b);
	}
}
END_TEST

START_TEST(branches_and_exits)
{
	/* 401000: test eax,eax; je 401010   401004: call 401020   401020: push rax; ret */
	struct code_block *a = block(PC, "\x85\xc0\x74\x0c", 4);
	struct code_block *b = block(PC + 4, "\xe8\x17\0\0\0", 5);
	struct code_block *c = block(PC + 0x20, "\x50\xc3", 2);

	plan_begin(&plan, PC, &(struct plan_options){ .function = TF_NONE });
	plan_add(&plan, a);
	ck_assert_uint_eq(plan_next(&plan), PC + 4);
	ck_assert(plan_leads_to(plan.blocks[0], PC + 4) && plan_leads_to(plan.blocks[0], PC + 0x10));
	ck_assert(!plan_leads_to(plan.blocks[0], PC + 0x20));
	plan_go_on(&plan, PC + 4);
	plan_add(&plan, b);
	ck_assert_uint_eq(plan_next(&plan), PC + 0x20);
	plan_go_on(&plan, PC + 0x20);
	plan_add(&plan, c);
	ck_assert_uint_eq(plan_next(&plan), 0);
	plan_end(&plan);
	ck_assert_uint_eq(plan.n_exits, 2);
	ck_assert_uint_eq(plan.exits[0].target, PC + 0x10);
	ck_assert_uint_eq(plan.exits[0].trace.outcome, TF_TAKEN);
	ck_assert_uint_eq(plan.exits[0].n_insns, 2);
	ck_assert_uint_eq(plan.exits[1].target, 0);
	ck_assert_uint_eq(plan.exits[1].n_insns, 5);
	ck_assert_uint_eq(plan.exits[1].trace.n_blocks, 3);
	ck_assert_int_eq(plan.exits[1].trace.rsp_value, -8);
	free(a);
	free(b);
	free(c);
}
END_TEST

START_TEST(room_and_reach)
{
	struct code_block *b = block(PC, "\x48\x8b\x05\0\0\0\0" "\xc3", 8);
	static uint8_t out[4096];
	struct translation *t;
	unsigned far = 99;
	size_t room = 0;

	plan_begin(&plan, PC, &(struct plan_options){ .function = TF_NONE });
	plan_add(&plan, b);
	plan_end(&plan);
	while (translate(&plan, out, room, CODE_PC, 0, &t, &far) == TRANSLATE_FULL)
		room++;
	ck_assert_uint_eq(room, t->size);
	free(t);
	ck_assert_int_eq(translate(&plan, out, sizeof(out), UINT64_C(1) << 40, 0, &t, &far),
			 TRANSLATE_FAR);
	ck_assert_uint_eq(far, 0);
	free(b);
}
END_TEST

/* Where a path is left, there is an instruction of five bytes at least, for a jump to the path that
 * goes on there: nothing leads into the middle of it. */
START_TEST(room_for_extensions)
{
	static uint8_t out[4096];
	static const char *const ends[] = { "\xe2\x05", "\xe3\x05", "\xe1\xf0", "\x74\x10",
					    "\xeb\x10" };

	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct translation *t;
		unsigned far;

		plan_one(ends[i], 2, false);
		ck_assert_int_eq(translate(&plan, out, sizeof(out), CODE_PC, 0, &t, &far), TRANSLATED);
		for (unsigned exit = 0; exit < t->n_exits; exit++) {
			decode(out + (t->exits[exit].way.pc - CODE_PC));
			ck_assert_uint_ge(insn.length, 5);
		}
		free(t);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("translation");
	TCase *tcase = tcase_create("parts");

	tcase_add_test(tcase, memory_operands);
	tcase_add_test(tcase, lea_of_every_kind);
	tcase_add_test(tcase, gs_and_registers);
	tcase_add_test(tcase, counters);
	tcase_add_test(tcase, masks);
	tcase_add_test(tcase, bits_of_masks);
	tcase_add_test(tcase, vectors);
	tcase_add_test(tcase, control_words_and_parts);
	tcase_add_test(tcase, code_is_loaded_and_compared);
	tcase_add_test(tcase, jumps_and_literals);
	tcase_add_test(tcase, what_does_not_fit);
	tcase_add_test(tcase, moved_operands);
	tcase_add_test(tcase, slots_are_shared);
	tcase_add_test(tcase, the_stack_needs_no_slot);
	tcase_add_test(tcase, rsp_realigned);
	tcase_add_test(tcase, without_addresses);
	tcase_add_test(tcase, masked_and_sized);
	tcase_add_test(tcase, bits_and_tables);
	tcase_add_test(tcase, lanes);
	tcase_add_test(tcase, control_words_are_hidden);
	tcase_add_test(tcase, what_is_stepped);
	tcase_add_test(tcase, branches_and_exits);
	tcase_add_test(tcase, room_and_reach);
	tcase_add_test(tcase, room_for_extensions);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
