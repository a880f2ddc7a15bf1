/* SPDX-License-Identifier: MIT */
/*
 * Compares isa_decode with a table written by hand: an instruction's class, memory operands and
 * kind of end. Also decodes bytes that are no instructions.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/isa/border.h"
#include "tests/unit/isa/decode_table.h"
#include "tests/unit/isa/isa_text.h"
#include "tests/unit/run_suite.h"

START_TEST(test_table)
{
	uint8_t bytes[16];
	size_t size = parse_bytes(decode_table[_i].bytes, bytes);
	struct isa_insn insn;
	struct text facts;

	ck_assert_int_eq(isa_decode(bytes, size, DECODE_PC, ISA_INTEL, &insn), 0);
	ck_assert_uint_eq(insn.length, size);
	facts = describe(&insn);
	ck_assert_msg(!strcmp(facts.s, decode_table[_i].facts), "%s\nis       %s\nexpected %s",
		      decode_table[_i].assembly, facts.s, decode_table[_i].facts);
}
END_TEST

/* ---- what is no instruction -------------------------------------------------------------- */

static const struct {
	const char *bytes, *reason;
} undecodable[] = {
	{ "06", "push es, not in 64-bit mode" },
	{ "62 f1 78 08 58 c0", "MVEX, Xeon Phi coprocessors" },
	{ "c5 f0 84 00 00 00 00", "jkzd, Xeon Phi coprocessors" },
	{ "c5 f8 ae c8", "clevict1 and its like" },
	{ "0f 04", "no such opcode" },
	{ "ff ff", "no such group member" },
	{ "8e c8", "mov to cs" },
	{ "f0 03 07", "lock with a register destination" },
	{ "f0 89 07", "lock with mov" },
	{ "0f c7 c8", "cmpxchg8b of a register" },
	{ "66 c5 f8 58 c0", "66 before VEX" },
	{ "62 f2 7d 48 90 04 20", "gather without a mask" },
	{ "c4 e2 6d 90 04 90", "gather whose index is its mask" },
	{ "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", "16 bytes" },
	{ "", "nothing" },
};

START_TEST(test_undecodable)
{
	struct isa_insn insn, untouched;
	char text[64];
	uint8_t bytes[16];
	size_t size = parse_bytes(undecodable[_i].bytes, bytes);

	memset(&insn, 0x5a, sizeof(insn));
	untouched = insn;
	ck_assert_msg(isa_decode(bytes, size, DECODE_PC, ISA_INTEL, &insn) == -1, "%s",
		      undecodable[_i].reason);
	ck_assert_mem_eq(&insn, &untouched, sizeof(insn));
	isa_disassemble(bytes, size, DECODE_PC, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, "(bad)");
	isa_mnemonic(bytes, size, DECODE_PC, ISA_INTEL, text, sizeof(text));
	ck_assert_str_eq(text, "(bad)");
}
END_TEST

START_TEST(test_cut_short)
{
	uint8_t *border = map_border(), bytes[16];
	struct isa_insn insn;

	for (size_t i = 0; i < decode_table_size; i++) {
		size_t size = parse_bytes(decode_table[i].bytes, bytes);

		for (size_t n = 0; n < size; n++) {
			memcpy(border - n, bytes, n);
			ck_assert_msg(isa_decode(border - n, n, DECODE_PC, ISA_INTEL, &insn) == -1,
				      "%s: %zu bytes", decode_table[i].assembly, n);
		}
		memcpy(border - size, bytes, size);
		ck_assert_int_eq(isa_decode(border - size, size, DECODE_PC, ISA_INTEL, &insn), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa");
	TCase *tests = tcase_create("decode");

	tcase_add_loop_test(tests, test_table, 0, decode_table_size);
	tcase_add_loop_test(tests, test_undecodable, 0,
			    sizeof(undecodable) / sizeof(undecodable[0]));
	tcase_add_test(tests, test_cut_short);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
