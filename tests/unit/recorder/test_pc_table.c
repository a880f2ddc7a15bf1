/* SPDX-License-Identifier: MIT */
/* Tests that each address keeps its own entry, however many there are and however near they are. */
#include <check.h>

#include "recorder/translate/cache/pc_table.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { MANY = 100000, CODE_BYTES = 1 << 20 }; /* more than the initial room */

static uint64_t state;

/* Returns code addresses in two places that are far apart. */
static uint64_t random_pc(void)
{
	uint64_t base = random_chance(&state, 50) ? 0x400000 : 0x7ffff7c00000;

	return base + random_below(&state, CODE_BYTES);
}

/* Returns the value that the test keeps in the entry of pc. */
static uint32_t exits_of(uint64_t pc)
{
	return (uint32_t)(pc * 0x9e3779b1u);
}

START_TEST(each_has_its_own)
{
	struct pc_table table = { 0 };
	uint32_t different = 0;

	state = 1;
	ck_assert_ptr_null(pc_table_find(&table, 0x400000));
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t pc = random_pc();

		different += !pc_table_find(&table, pc);
		ck_assert(pc_table_reserve(&table, 1));
		pc_table_at(&table, pc)->exits = exits_of(pc);
	}
	ck_assert_uint_eq(table.count, different);
	state = 1;
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t pc = random_pc();
		const struct pc_entry *at = pc_table_find(&table, pc);

		ck_assert_ptr_nonnull(at);
		ck_assert_uint_eq(at->exits, exits_of(pc));
		ck_assert(!at->has_pending && !at->first && !at->block);
	}
	pc_table_clear(&table);
	ck_assert_ptr_null(pc_table_find(&table, random_pc()));
}
END_TEST

START_TEST(nothing_is_known_of_0)
{
	struct pc_table table = { 0 };

	ck_assert(pc_table_reserve(&table, 1));
	pc_table_at(&table, 0x400000);
	ck_assert_ptr_null(pc_table_find(&table, 0));
	ck_assert_ptr_null(pc_table_find(&table, 0x400001));
	pc_table_clear(&table);
}
END_TEST

/* An entry keeps its place as long as there is room for added ones. */
START_TEST(reserved_room_moves_nothing)
{
	struct pc_table table = { 0 };
	struct pc_entry *first;

	ck_assert(pc_table_reserve(&table, MANY));
	first = pc_table_at(&table, 0x400000);
	for (unsigned i = 1; i < MANY; i++)
		pc_table_at(&table, 0x400000 + i);
	ck_assert_ptr_eq(pc_table_find(&table, 0x400000), first);
	pc_table_clear(&table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pc_table");
	TCase *table = tcase_create("pc_table");

	tcase_add_test(table, each_has_its_own);
	tcase_add_test(table, nothing_is_known_of_0);
	tcase_add_test(table, reserved_room_moves_nothing);
	suite_add_tcase(suite, table);
	return run_suite(suite);
}
