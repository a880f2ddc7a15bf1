/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/block_set.h"
#include "tests/unit/run_suite.h"

START_TEST(ranges)
{
	static const struct {
		uint64_t address, size;
		unsigned shift;
		uint64_t blocks;
	} cases[] = {
		{ 0, 0, 6, 0 },
		{ 0, 1, 6, 1 },
		{ 63, 1, 6, 1 },
		{ 63, 2, 6, 2 },
		{ 10, 130, 6, 3 },
		{ 5, 3, 0, 3 },
		/* around the end of memory */
		{ UINT64_MAX, 1, 6, 1 },
		{ UINT64_MAX, 2, 6, 2 },
		{ UINT64_MAX - 99, 200, 6, 4 },
		{ UINT64_MAX - 1, 5, 1, 3 },
		{ UINT64_MAX, 2, 63, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct block_set set;

		block_set_init(&set);
		block_set_range(&set, cases[i].address, cases[i].size, cases[i].shift);
		ck_assert_uint_eq(set.count, cases[i].blocks);
		block_set_free(&set);
	}
}
END_TEST

static void ignore_lines(void *opaque, uint64_t (*lines)[MICA_LINE_CELLS], size_t count)
{
	(void)opaque;
	(void)lines;
	(void)count;
}

/* Analyses that look at blocks come to an end with an access around the end of memory, too. */
START_TEST(ends)
{
	static const struct mica_analysis *const analyses[] = { &mica_ilp, &mica_footprint,
								&mica_stackdist, &mica_linecount };
	static const struct mica_insn insn = { .length = 4, .has_read = true, .has_write = true };
	struct mica_event event = {
		.insn = &insn,
		.read = { UINT64_MAX },
		.n_reads = 1,
		.read_size = 8,
		.write = UINT64_MAX - 3,
		.n_writes = 1,
		.write_size = 8,
		.counts = true,
	};
	struct mica_setup setup = {
		.numbers = { 1, 1, 1 },
		.block_shift = 6,
		.page_shift = 12,
		.n_windows = 1,
		.windows = { 32 },
		.put_lines = ignore_lines,
	};
	static uint64_t numbers[MICA_MAX_NUMBERS];

	for (size_t i = 0; i < sizeof(analyses) / sizeof(analyses[0]); i++) {
		void *state = analyses[i]->start(&setup);

		analyses[i]->feed(state, &event, 1);
		analyses[i]->end(state, true, numbers);
		analyses[i]->stop(state);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mica blocks");
	TCase *tests = tcase_create("blocks");

	tcase_add_test(tests, ranges);
	tcase_add_test(tests, ends);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
