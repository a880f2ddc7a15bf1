/* SPDX-License-Identifier: MIT */
/*
 * Tests the facts of instructions: each is kept once, and at one address, however many there are.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/program/facts.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { MANY = 10000 }; /* more than the initial room */

/* Return the nth of effects, or of instructions, that all differ. */
static struct isa_effects effects(unsigned n)
{
	struct isa_effects e;

	memset(&e, 0, sizeof(e));
	memcpy(&e, &n, sizeof(n));
	return e;
}

static struct isa_insn insn(unsigned n)
{
	struct isa_insn i;

	memset(&i, 0, sizeof(i));
	i.length = 1 + n % 15;
	i.n_operands = 1;
	memcpy(&i.operands[0], &n, sizeof(n));
	return i;
}

START_TEST(effects_are_kept_once)
{
	static const struct isa_effects *kept[MANY];
	struct facts *facts = facts_new();

	for (unsigned i = 0; i < MANY; i++) {
		struct isa_effects e = effects(i);

		kept[i] = facts_keep_effects(facts, &e);
	}
	for (unsigned i = 0; i < MANY; i++) {
		struct isa_effects e = effects(i);

		ck_assert_ptr_eq(facts_keep_effects(facts, &e), kept[i]);
		ck_assert_mem_eq(kept[i], &e, sizeof(e));
	}
	facts_free(facts);
}
END_TEST

START_TEST(instructions_are_kept_once)
{
	static const struct isa_insn *kept[MANY];
	struct facts *facts = facts_new();

	for (unsigned i = 0; i < MANY; i++) {
		struct isa_insn fact = insn(i);

		kept[i] = facts_keep(facts, &fact);
	}
	for (unsigned i = 0; i < MANY; i++) {
		struct isa_insn fact = insn(i);

		ck_assert_ptr_eq(facts_keep(facts, &fact), kept[i]);
		ck_assert_mem_eq(&kept[i]->operands[0], &fact.operands[0], sizeof(unsigned));
	}
	facts_free(facts);
}
END_TEST

static void check_same(struct facts *facts, const struct isa_insn *a, const struct isa_insn *b)
{
	ck_assert_ptr_eq(facts_keep(facts, a), facts_keep(facts, b));
}

#define CODE(bytes)                      \
	{                                \
		bytes, sizeof(bytes) - 1 \
	}

/* Instructions that differ after their first bytes, in length, by vendor, or by address. */
START_TEST(what_is_met_again_is_what_decoding_tells)
{
	static const struct {
		const char *bytes;
		size_t size;
	} codes[] = { CODE("\x8b\x47\x08\x90\xc3"),
		      CODE("\x8b\x47\x09\x90\xc3"),
		      CODE("\x48\x8d\x84\x24\x10\x00\x00\x00"),
		      CODE("\x48\x8d\x84\x24\x20\x00\x00\x00"),
		      CODE("\xc3\x90\x90\x90"),
		      CODE("\x90\xc3\x90\x90"),
		      CODE("\x90\x90\xc3\x90"),
		      CODE("\x75\x10\x90\x90"),
		      CODE("\xeb\xfe\x90\x90"),
		      CODE("\xe8\x01\x02\x03\x00"),
		      CODE("\x48\x8b\x05\x10\x00\x00\x00"),
		      CODE("\xff\x25\x10\x00\x00\x00"),
		      CODE("\x66\xc3\x90\x90"),
		      CODE("\x66\xe8\x10\x20\x90\x90"),
		      CODE("\xf3\xa4\x90\x90"),
		      CODE("\x75\xf0\x90\x90"),
		      CODE("\x0f\x85\x10\x00\x00\x00"),
		      CODE("\x0f\x84\xf0\xff\xff\xff"),
		      CODE("\x0f\x85\xf0\xff\xff\xff"),
		      CODE("\xe8\xf1\xff\xff\xff"),
		      CODE("\xe9\x11\x00\x00\x00"),
		      CODE("\xe9\xf1\xff\xff\xff"),
		      CODE("\xeb\x10\x90\x90") };
	enum { CODES = sizeof(codes) / sizeof(*codes), ROUNDS = 4 };
	struct facts *facts = facts_new();

	for (unsigned i = 0; i < ROUNDS * CODES; i++) {
		uint8_t code[16] = { [0 ... 15] = 0x90 };
		const size_t size = sizeof(code);
		uint64_t pc = 0x401000 + 0x100 * (i / CODES);
		enum isa_vendor vendor = i / CODES / 2 % 2 ? ISA_AMD : ISA_INTEL;
		const struct isa_effects *does;
		const struct isa_insn *is, *glanced;
		struct isa_effects effects;
		struct isa_insn insn;

		memcpy(code, codes[i % CODES].bytes, codes[i % CODES].size);
		ck_assert_int_eq(isa_decode_all(code, size, pc, vendor, &insn, &effects), 0);
		ck_assert_int_eq(facts_of_code(facts, code, size, pc, vendor, &is, &does),
				 FACTS_FOUND);
		check_same(facts, is, &insn);
		ck_assert_ptr_eq(does, facts_keep_effects(facts, &effects));
		ck_assert_int_eq(facts_glance(facts, code, size, pc, vendor, &glanced, &does),
				 FACTS_FOUND);
		check_same(facts, glanced, &insn);
		ck_assert_ptr_eq(facts_keep_effects(facts, does),
				 facts_keep_effects(facts, &effects));
		ck_assert_int_eq(facts_of_code(facts, code, insn.length - 1u, pc, vendor, &is,
					       &does),
				 FACTS_UNDECODABLE);
	}
	facts_free(facts);
}
END_TEST

/* Random bytes, many of them relative branches, or with only one byte changed from before. */
START_TEST(random_code_is_what_decoding_tells)
{
	enum { CODES = 50000, BEFORE = 64 };
	struct facts *facts = facts_new();
	uint64_t state = 5;
	unsigned branches = 0;

	for (unsigned i = 0; i < CODES; i++) {
		static const uint8_t opcodes[] = { 0x74, 0x75, 0xe8, 0xe9, 0xeb, 0x0f, 0x7f, 0x48 };
		static uint8_t before[BEFORE][16];
		uint64_t words[2] = { random_u64(&state), random_u64(&state) };
		uint64_t pc = random_u64(&state) >> 17;
		uint8_t *code = (uint8_t *)words, *like = before[random_below(&state, BEFORE)];
		size_t size = random_chance(&state, 80) ? 16 : random_below(&state, 16);
		const struct isa_insn *is, *glanced;
		const struct isa_effects *does;
		struct isa_effects effects;
		struct isa_insn insn;
		enum isa_vendor vendor = random_chance(&state, 50) ? ISA_AMD : ISA_INTEL;
		bool decodes;

		code[0] = random_chance(&state, 50) ? opcodes[random_below(&state, 8)] : code[0];
		code[1] = random_chance(&state, 20) ? 0x80 | (code[1] & 0xf) : code[1];
		if (random_chance(&state, 70)) {
			uint8_t byte = *code;

			memcpy(code, like, sizeof(words));
			code[random_below(&state, 20) % sizeof(words)] ^= byte & -(i & 1);
		}
		memcpy(like, code, sizeof(words));
		decodes = isa_decode_all(code, size, pc, vendor, &insn, &effects) == 0;
		ck_assert_int_eq(facts_of_code(facts, code, size, pc, vendor, &is, &does),
				 decodes ? FACTS_FOUND : FACTS_UNDECODABLE);
		ck_assert_int_eq(facts_glance(facts, code, size, pc, vendor, &glanced, &does),
				 decodes ? FACTS_FOUND : FACTS_UNDECODABLE);
		if (!decodes)
			continue;
		check_same(facts, is, &insn);
		check_same(facts, glanced, &insn);
		ck_assert_int_eq(!does, !!(insn.flags & TF_INSN_OPAQUE));
		if (does)
			ck_assert_ptr_eq(facts_keep_effects(facts, does),
					 facts_keep_effects(facts, &effects));
		branches += insn.end == TF_END_CONDITIONAL;
	}
	ck_assert_uint_gt(branches, CODES / 20);
	facts_free(facts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("facts");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, effects_are_kept_once);
	tcase_add_test(facts, instructions_are_kept_once);
	tcase_add_test(facts, what_is_met_again_is_what_decoding_tells);
	tcase_add_test(facts, random_code_is_what_decoding_tells);
	suite_add_tcase(suite, facts);
	return run_suite(suite);
}
