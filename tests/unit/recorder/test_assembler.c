/* SPDX-License-Identifier: MIT */
/* Tests the assembler against Zydis. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/plan/numbering.h"
#include "tests/unit/run_suite.h"

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

/* Checks that the call writes one instruction of this mnemonic. */
#define ASSEMBLE(mnemonic_, call)                                            \
	do {                                                                 \
		begin(ROOM);                                                 \
		call;                                                        \
		decode_only();                                               \
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_##mnemonic_); \
	} while (0)

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

				ASSEMBLE(MOV, asm_store(&as, base, at, reg, 8));
				check_memory(0, 0, base, NONE, 0, at);
				check_register(1, reg64(reg));
				ASSEMBLE(MOV, asm_store(&as, base, at, reg, 4));
				check_memory(0, 0, base, NONE, 0, at);
				check_register(1, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
				ASSEMBLE(MOV, asm_load(&as, reg, base, at));
				check_register(0, reg64(reg));
				check_memory(1, 0, base, NONE, 0, at);
				ASSEMBLE(MOV, asm_store_constant(&as, base, at, -5 - (int32_t)reg));
				check_memory(0, 0, base, NONE, 0, at);
				ck_assert_int_eq(operands[0].size, 64);
				ck_assert_int_eq(operands[1].imm.value.s, -5 - (int32_t)reg);
				ASSEMBLE(MOVZX, asm_load_zero_extended(&as, reg, base, at, 1));
				check_memory(1, 0, base, NONE, 0, at);
				ck_assert_int_eq(operands[1].size, 8);
				ASSEMBLE(MOVZX, asm_load_zero_extended(&as, reg, base, at, 2));
				check_memory(1, 0, base, NONE, 0, at);
				ck_assert_int_eq(operands[1].size, 16);
				check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
			}
}
END_TEST

START_TEST(single_registers)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		ASSEMBLE(SETZ, asm_set_zero_flag(&as, reg));
		ck_assert_int_eq(operands[0].reg.value,
				 reg < 4 ? ZYDIS_REGISTER_AL + reg : ZYDIS_REGISTER_SPL + reg - 4);
		ASSEMBLE(RDGSBASE, asm_read_gs_base(&as, reg));
		check_register(0, reg64(reg));
		ASSEMBLE(WRGSBASE, asm_write_gs_base(&as, reg));
		check_register(0, reg64(reg));
		for (unsigned mmx = 0; mmx < 8; mmx++) {
			ASSEMBLE(PMOVMSKB, asm_signs_mmx(&as, reg, mmx));
			check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_MM0 + mmx));
			ASSEMBLE(MOVQ, asm_store_mmx(&as, reg, 0x40, mmx));
			check_memory(0, 0, reg, NONE, 0, 0x40);
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_MM0 + mmx));
		}
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
					ASSEMBLE(LEA, asm_lea(&as, reg, b, i, scale,
							      displacements[reg % 9]));
					check_register(0, reg64(reg));
					check_memory(1, 0, b, i, scale, displacements[reg % 9]);
				}
}
END_TEST

START_TEST(gs_and_registers)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		ASSEMBLE(MOV, asm_load_gs(&as, reg, 0x81000));
		check_register(0, reg64(reg));
		check_memory(1, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x81000);
		ASSEMBLE(MOV, asm_store_gs(&as, 8, reg));
		check_memory(0, ZYDIS_REGISTER_GS, NONE, NONE, 0, 8);
		check_register(1, reg64(reg));
		ASSEMBLE(NOT, asm_not(&as, reg));
		check_register(0, reg64(reg));
		ASSEMBLE(POP, asm_pop(&as, reg));
		check_register(0, reg64(reg));
		for (unsigned from = 0; from < 16; from++) {
			ASSEMBLE(MOV, asm_move(&as, reg, from));
			check_register(0, reg64(reg));
			check_register(1, reg64(from));
			ASSEMBLE(MOVZX, asm_zero_extend_16(&as, reg, from));
			check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_AX + from));
			if (from == ISA_RSP)
				continue;
			ASSEMBLE(MOV, asm_load_gs_entry(&as, reg, from, 0x1000));
			check_memory(1, ZYDIS_REGISTER_GS, NONE, from, 8, 0x1000);
			ASSEMBLE(JMP, asm_jump_table(&as, from, 0x1000));
			check_memory(0, ZYDIS_REGISTER_GS, NONE, from, 8, 0x1000);
		}
	}
}
END_TEST

START_TEST(counters)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		ASSEMBLE(MOV, asm_load_gs_half(&as, reg, 0x34));
		check_register(0, (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
		check_memory(1, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x34);
	}
	for (int32_t value = -300; value <= 300; value++) {
		begin(ROOM);
		asm_subtract_gs(&as, 0x30, value);
		decode(code); /* the instruction changes flags */
		ck_assert_uint_eq(insn.length, as.at - code);
		ck_assert_int_eq(insn.mnemonic, ZYDIS_MNEMONIC_SUB);
		check_memory(0, ZYDIS_REGISTER_GS, NONE, NONE, 0, 0x30);
		ck_assert_int_eq(operands[0].size, 64);
		ck_assert_int_eq(operands[1].imm.value.s, value);
		ASSEMBLE(MOV, asm_store_gs_constant(&as, 0x38, value));
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

	ck_assert_uint_eq(capture_mask_bits(2), dq ? 8 : 16);
	ck_assert_uint_eq(capture_mask_bits(8), dq ? 8 : 16);
	ck_assert_uint_eq(capture_mask_bits(16), 16);
	ck_assert_uint_eq(capture_mask_bits(32), bw ? 32 : 16);
	ck_assert_uint_eq(capture_mask_bits(64), bw ? 64 : 16);
}
END_TEST

/* Returns the vector register of a number, for 8 and 16, 32 or 64 bytes. */
static ZydisRegister vector_register(unsigned number, unsigned bytes)
{
	unsigned first = bytes <= 16   ? ZYDIS_REGISTER_XMM0
			 : bytes == 32 ? ZYDIS_REGISTER_YMM0
				       : ZYDIS_REGISTER_ZMM0;

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
				ck_assert_int_eq(insn.mnemonic, bytes == 8 ? ZYDIS_MNEMONIC_VMOVQ
								: bytes == 64 || vector >= 16
									? ZYDIS_MNEMONIC_VMOVDQU64
									: ZYDIS_MNEMONIC_VMOVDQU);
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
					ck_assert_int_eq(insn.mnemonic,
							 element == 1   ? ZYDIS_MNEMONIC_VPMOVMSKB
							 : element == 4 ? ZYDIS_MNEMONIC_VMOVMSKPS
									: ZYDIS_MNEMONIC_VMOVMSKPD);
					check_register(0,
						       (ZydisRegister)(ZYDIS_REGISTER_EAX + reg));
					check_register(1, vector_register(vector, bytes));
				}
}
END_TEST

START_TEST(code_is_loaded_and_compared)
{
	static const uint64_t constant = 0xfedcba9876543210;
	static const unsigned registers[] = { [1] = ZYDIS_REGISTER_EAX,
					      [2] = ZYDIS_REGISTER_EAX,
					      [4] = ZYDIS_REGISTER_EAX,
					      [8] = ZYDIS_REGISTER_RAX };

	for (unsigned reg = 0; reg < 16; reg++) {
		ASSEMBLE(MOV, asm_load_constant(&as, reg, constant));
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
	ASSEMBLE(NOP, asm_nop(&as));
	ck_assert_uint_eq(insn.length, ASM_JUMP_BYTES);
	asm_make_trap(code);
	ck_assert(asm_is_trap(code));
}
END_TEST

START_TEST(control_words_and_parts)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		ASSEMBLE(FNSTCW, asm_store_x87_control(&as, reg, 300));
		check_memory(0, 0, reg, NONE, 0, 300);
		ASSEMBLE(STMXCSR, asm_store_mxcsr(&as, reg, 300));
		check_memory(0, 0, reg, NONE, 0, 300);
		for (unsigned from = 0; from < 16; from++) {
			ASSEMBLE(MOVZX, asm_zero_extend_8(&as, reg, from));
			check_register(1, from >= 4 ? (ZydisRegister)(ZYDIS_REGISTER_SPL + from - 4)
						    : (ZydisRegister)(ZYDIS_REGISTER_AL + from));
			ASSEMBLE(MOVSX, asm_sign_extend_16(&as, reg, from));
			check_register(0, reg64(reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_AX + from));
			ASSEMBLE(MOVSXD, asm_sign_extend_32(&as, reg, from));
			check_register(0, reg64(reg));
			check_register(1, (ZydisRegister)(ZYDIS_REGISTER_EAX + from));
		}
	}
}
END_TEST

/* Returns the target of the instruction at an offset. */
static uint64_t target_of(size_t offset)
{
	struct isa_insn fact;

	ck_assert_int_eq(isa_decode(code + offset, ROOM, CODE_PC + offset, ISA_INTEL, &fact), 0);
	return fact.target;
}

/* an address that a jump does not reach */
static const uint64_t far = 0x7fff12345678;

START_TEST(jumps)
{
	uint8_t *field, *jrcxz;

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
	asm_nop(&as);
	asm_target(&as, field);
	ck_assert_uint_eq(target_of(2), asm_here(&as));
}
END_TEST

START_TEST(literals)
{
	uint8_t *at = code;
	uint64_t value;
	int32_t displacement;

	begin(sizeof(code));
	for (unsigned reg = 0; reg < 16; reg++)
		asm_load_literal(&as, reg, far + reg);
	asm_push_literal(&as, (uint64_t)-3);
	asm_push_literal(&as, far);
	asm_jump(&as, far);
	ck_assert(asm_end(&as));

	for (unsigned reg = 0; reg < 16; reg++, at += insn.length) {
		memcpy(&value, asm_literal_of(at), sizeof(value));
		ck_assert_uint_eq(value, far + reg);
		ck_assert_uint_eq((uintptr_t)(asm_literal_of(at) - code) % 8, 0);
		decode(at);
		check_register(0, reg64(reg));
	}
	decode(at);
	ck_assert_int_eq(operands[0].imm.value.s, -3);
	while (insn.mnemonic != ZYDIS_MNEMONIC_JMP) {
		at += insn.length;
		decode(at);
		memcpy(&displacement, at + 2, sizeof(displacement));
		memcpy(&value, at + insn.length + displacement, sizeof(value));
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

int main(void)
{
	Suite *suite = suite_create("assembler");
	TCase *tests = tcase_create("instructions");

	tcase_add_test(tests, memory_operands);
	tcase_add_test(tests, single_registers);
	tcase_add_test(tests, lea_of_every_kind);
	tcase_add_test(tests, gs_and_registers);
	tcase_add_test(tests, counters);
	tcase_add_test(tests, masks);
	tcase_add_test(tests, bits_of_masks);
	tcase_add_test(tests, vectors);
	tcase_add_test(tests, code_is_loaded_and_compared);
	tcase_add_test(tests, control_words_and_parts);
	tcase_add_test(tests, jumps);
	tcase_add_test(tests, literals);
	tcase_add_test(tests, what_does_not_fit);
	tcase_add_test(tests, moved_operands);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
