/* SPDX-License-Identifier: MIT */
/* Expands executions of instructions into single ones, as MICA's analyses receive them. */
#include <check.h>
#include <stdlib.h>

#include "analyzers/mica/expand.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

#define REP_STOSB "\xf3\xaa"

static struct synthetic_block made;
static struct mica_event seen[8];
static size_t n_seen;

static void see(void *opaque, const struct mica_event *events, size_t count)
{
	(void)opaque;
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_lt(n_seen, sizeof(seen) / sizeof(*seen));
		seen[n_seen++] = events[i];
	}
}

/* Expands an execution of the rep instruction in `made`; `write` is the operand that it writes. */
static void expand(int16_t write, const uint64_t *values)
{
	struct mica_insn insn = { .read = { MICA_NO_OPERAND, MICA_NO_OPERAND }, .write = write };
	size_t first = 0;
	struct mica_code code = { .insns = &insn, .first = &first };
	struct tf_block_exec exec = { &made.block, values, 1, TF_NOT_TAKEN };
	struct tf_item item = { .kind = TF_ITEM_BLOCKS, .count = 1, .blocks = &exec };
	static struct mica_expander expander;

	expander = (struct mica_expander){ .code = &code, .consume = see };
	n_seen = 0;
	mica_expand(&expander, &item);
}

START_TEST(a_rep_executes_once_a_repetition)
{
	synthetic_decode(&made, 0x1000, BYTES(REP_STOSB));
	expand(0, (uint64_t[]){ 0x5000, 9, 3, TF_REP_DOWN });
	ck_assert_uint_eq(n_seen, 3);
	for (size_t i = 0; i < n_seen; i++) {
		ck_assert_uint_eq(seen[i].write, 0x5000 - i);
		ck_assert_uint_eq(seen[i].counts, i == 0);
	}
	expand(0, (uint64_t[]){ 0x5000, 0, 0, 0 });
	ck_assert_uint_eq(n_seen, 1);
	ck_assert(!seen[0].counts);
}
END_TEST

/* A file may have a rep without values, which no decoder makes: it has no repetitions. */
START_TEST(a_rep_without_operands_executes_once)
{
	synthetic_decode(&made, 0x1000, BYTES(REP_STOSB));
	made.insns[0].n_operands = 0;
	made.block.n_values = 0;
	expand(MICA_NO_OPERAND, (uint64_t[]){ 0x5000, 9, 3, 0 });
	ck_assert_uint_eq(n_seen, 1);
	ck_assert(seen[0].counts);
	ck_assert_uint_eq(seen[0].n_writes, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mica expand");
	TCase *reps = tcase_create("reps");

	tcase_add_test(reps, a_rep_executes_once_a_repetition);
	tcase_add_test(reps, a_rep_without_operands_executes_once);
	suite_add_tcase(suite, reps);
	return run_suite(suite);
}
