/* SPDX-License-Identifier: MIT */
/* What is known of instructions: each is kept once, and stays where it is, however many there
 * are. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/program/facts.h"
#include "tests/unit/run_suite.h"

enum { MANY = 10000 };	/* more than there is room for at first */

/* The nth of effects, or instructions, that all differ. */
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

int main(void)
{
	Suite *suite = suite_create("facts");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, effects_are_kept_once);
	tcase_add_test(facts, instructions_are_kept_once);
	suite_add_tcase(suite, facts);
	return run_suite(suite);
}
