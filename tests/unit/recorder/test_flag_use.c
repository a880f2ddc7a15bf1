/* SPDX-License-Identifier: MIT */
/* Compares the use of flags found without decoding with that found by decoding, for all opcodes of
 * the first two maps, with all ModRM bytes. */
#include <check.h>
#include <string.h>

#include "recorder/program/flag_use.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

enum { TWO_BYTES = 0x0f, OPCODES = 512, BYTES = 24, FREQUENT = 100000 };

static const uint8_t rexes[] = { 0, 0x40, 0x48, 0x4f };
static const uint8_t sibs[] = { 0x25, 0xe4 };

static uint64_t state = 1;

static void write_code(uint8_t code[BYTES], unsigned rex, unsigned opcode, unsigned modrm,
		       unsigned sib)
{
	uint8_t *at = code;

	for (unsigned i = 0; i < BYTES; i++)
		code[i] = (uint8_t)random_u64(&state);
	if (rexes[rex])
		*at++ = rexes[rex];
	if (opcode >= 256)
		*at++ = TWO_BYTES;
	at[0] = (uint8_t)opcode;
	at[1] = (uint8_t)modrm;
	at[2] = sibs[sib];
}

/* Returns 1 if a decodable instruction has a known use. */
static unsigned compare(const uint8_t *code)
{
	struct isa_effects effects;
	struct isa_insn insn;
	unsigned length;
	enum flag_use use = flag_use_of_code(code, BYTES, &length);

	if (use == FLAGS_UNKNOWN ||
	    isa_decode_all(code, BYTES, 0x400000, ISA_AMD, &insn, &effects) < 0)
		return 0;
	ck_assert_uint_eq(length, insn.length);
	ck_assert_int_eq(use == FLAGS_READ, effects.reads_flags);
	ck_assert_int_eq(use == FLAGS_REPLACED, effects.replaces_flags);
	ck_assert(use != FLAGS_PASSED || insn.end == TF_END_NONE);
	return 1;
}

START_TEST(all_opcodes)
{
	unsigned told = 0;
	uint8_t code[BYTES];

	for (unsigned rex = 0; rex < sizeof(rexes); rex++)
		for (unsigned opcode = 0; opcode < OPCODES; opcode++)
			for (unsigned modrm = 0; modrm < 256; modrm++)
				for (unsigned sib = 0; sib < sizeof(sibs); sib++) {
					write_code(code, rex, opcode, modrm, sib);
					told += compare(code);
				}
	ck_assert_uint_gt(told, FREQUENT);
}
END_TEST

START_TEST(cut_off)
{
	const uint8_t code[15] = { 0x31, 0xc0 };
	unsigned length;

	ck_assert_int_eq(flag_use_of_code(code, 15, &length), FLAGS_REPLACED);
	ck_assert_int_eq(flag_use_of_code(code, 14, &length), FLAGS_UNKNOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flag_use");
	TCase *use = tcase_create("flag_use");

	tcase_add_test(use, all_opcodes);
	tcase_add_test(use, cut_off);
	suite_add_tcase(suite, use);
	return run_suite(suite);
}
