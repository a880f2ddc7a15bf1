/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/extents.h"
#include "analyzers/mix/mix.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

static struct synthetic trace;
static uint32_t thread;

static void setup(void)
{
	synthetic_begin(&trace, NULL);
	thread = synthetic_thread(&trace, synthetic_process(&trace, 1));
}

static void teardown(void)
{
	synthetic_remove(&trace);
}

/* Executes code once, whole, with values. */
static void once(uint32_t exit, const uint64_t *values)
{
	synthetic_exec(&trace, thread, exit, values);
}

/* ---- counting a trace -------------------------------------------------------------------- */

static struct mix_counts *only_row(void *opaque, const struct tf_block *block,
				   const struct tf_insn *insn)
{
	(void)block;
	(void)insn;
	return opaque;
}

static void feed(struct mix *mix, struct tf_reader *reader, enum tf_view view, uint64_t first,
		 uint64_t count)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;

	options.view = view;
	if (mix->code->measured)
		options.columns = view == TF_VIEW_BLOCKS ? TF_ADDRESSES : TF_EXTENTS;
	options.first = first;
	options.count = count;
	synthetic_ok(&trace, tf_cursor_open(reader, &options, &cursor, &trace.error));
	while (tf_next(cursor, &item, &trace.error) > 0)
		if (item.kind == TF_ITEM_PATHS)
			mix_paths(mix, &item);
		else if (item.kind == TF_ITEM_BLOCKS)
			mix_blocks(mix, item.blocks, item.count);
	tf_cursor_close(cursor);
}

/* The trace counted in that view, its first `cut` instructions in a state of their own. */
static struct mix_counts count(enum tf_view view, bool measured, uint64_t cut)
{
	struct mix_counts counts = { 0 };
	struct tf_reader *reader;
	struct mix_code code;
	struct mix mix, first;

	synthetic_ok(&trace, tf_open(trace.path, &reader, &trace.error));
	synthetic_ok(&trace, tf_load(reader, &trace.error));
	ck_assert(mix_code_init(&code, reader));
	code.measured = measured;
	ck_assert(mix_init(&mix, &code));
	ck_assert(mix_init(&first, &code));
	feed(&first, reader, view, 0, UINT64_MAX);
	mix_clear(&first);
	feed(&first, reader, view, 0, cut);
	feed(&mix, reader, view, cut, UINT64_MAX);
	mix_merge(&mix, &first);
	ck_assert(mix_sum(&mix, only_row, &counts));
	mix_free(&mix);
	mix_free(&first);
	mix_code_free(&code);
	tf_close(reader);
	return counts;
}

static void assert_totals_agree(const struct mix_counts *counts)
{
	struct tf_reader *reader;
	struct tf_info info;

	synthetic_ok(&trace, tf_open(trace.path, &reader, &trace.error));
	synthetic_ok(&trace, tf_get_info(reader, &info, &trace.error));
	ck_assert_uint_eq(counts->instructions, info.totals.instructions);
	ck_assert_uint_eq(counts->loads, info.totals.loads);
	ck_assert_uint_eq(counts->stores, info.totals.stores);
	ck_assert_uint_eq(counts->prefetches, info.totals.prefetches);
	ck_assert_uint_eq(counts->repetitions, info.totals.repetitions);
	ck_assert_uint_eq(counts->opaque, info.totals.opaque);
	tf_close(reader);
}

static void assert_same(const struct mix_counts *a, const struct mix_counts *b)
{
	ck_assert_mem_eq(a, b, sizeof(*a));
}

static uint64_t sum_of_classes(const struct mix_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ISA_N_CLASSES; i++)
		sum += counts->classes[i];
	return sum;
}

/* ---- plain operands and branches --------------------------------------------------------- */

/* mov (%rbx),%rax; add %ecx,(%rdi); prefetcht0 (%rsi); push %rax; dec %ecx; jnz */
/* clang-format off */
#define LOOP "\x48\x8b\x03" "\x01\x0f" "\x0f\x18\x0e" "\x50" "\xff\xc9" "\x75\xf1"
/* clang-format on */

START_TEST(plain_operands)
{
	struct synthetic_code loop = synthetic_code(&trace, 0x1000, BYTES(LOOP));
	uint64_t values[] = { 1, 2, 3, 4 };

	ck_assert_uint_eq(loop.n_values, 4);
	for (int i = 0; i < 10; i++)
		once(loop.taken, values);
	once(loop.not_taken, values);
	synthetic_end(&trace);
	for (int view = TF_VIEW_PATHS; view <= TF_VIEW_BLOCKS; view++) {
		struct mix_counts c = count(view, false, 0);

		ck_assert_uint_eq(c.instructions, 66);
		ck_assert_uint_eq(c.loads, 22);
		ck_assert_uint_eq(c.stores, 22);
		ck_assert_uint_eq(c.load_stores, 11);
		ck_assert_uint_eq(c.prefetches, 11);
		ck_assert_uint_eq(c.bytes_loaded, 11 * 12);
		ck_assert_uint_eq(c.bytes_stored, 11 * 12);
		ck_assert_uint_eq(c.taken, 10);
		ck_assert_uint_eq(c.not_taken, 1);
		ck_assert_uint_eq(c.classes[ISA_CLASS_BRANCH], 11);
		ck_assert_uint_eq(c.classes[ISA_CLASS_INT_ARITHMETIC], 22);
		ck_assert_uint_eq(c.classes[ISA_CLASS_STACK], 11);
		ck_assert_uint_eq(c.unmeasured, 0);
		ck_assert_uint_eq(sum_of_classes(&c), 66);
		assert_totals_agree(&c);
	}
}
END_TEST

START_TEST(ways_out_of_a_block)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool uses_memory;
	} ends[] = {
		{ BYTES("\xeb\x00"), false },            /* jmp */
		{ BYTES("\xff\xe0"), false },            /* jmp *%rax */
		{ BYTES("\xe8\x00\x00\x00\x00"), true }, /* call */
		{ BYTES("\xff\xd0"), true },             /* call *%rax */
		{ BYTES("\xc3"), true },
		{ BYTES("\x0f\x05"), false }, /* syscall */
		{ BYTES("\xe2\x00"), false }, /* loop */
	};
	uint64_t address = 0x7000;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct synthetic_code code = synthetic_code(&trace, 0x1000 + 16 * i, ends[i].bytes,
							    ends[i].size);

		for (size_t k = 0; k <= i; k++)
			once(code.taken, ends[i].uses_memory ? &address : NULL);
	}
	synthetic_end(&trace);
	struct mix_counts c = count(TF_VIEW_PATHS, false, 0);

	ck_assert_uint_eq(c.jumps, 1 + 2);
	ck_assert_uint_eq(c.calls, 3 + 4);
	ck_assert_uint_eq(c.indirect, 2 + 4);
	ck_assert_uint_eq(c.returns, 5);
	ck_assert_uint_eq(c.syscalls, 6);
	ck_assert_uint_eq(c.taken, 7);
	ck_assert_uint_eq(c.not_taken, 0);
	struct mix_counts blocks = count(TF_VIEW_BLOCKS, false, 7);

	assert_same(&c, &blocks);
}
END_TEST

/* ---- executions that end inside ----------------------------------------------------------- */

START_TEST(partial_executions)
{
	struct synthetic_code loop = synthetic_code(&trace, 0x1000, BYTES(LOOP));
	uint64_t values[] = { 1, 2, 3, 4 };

	for (unsigned executed = 1; executed < 6; executed++)
		synthetic_partial(&trace, thread, &loop, executed, values);
	once(loop.taken, values);
	synthetic_end(&trace);
	for (int view = TF_VIEW_PATHS; view <= TF_VIEW_BLOCKS; view++) {
		struct mix_counts c = count(view, false, 1);

		ck_assert_uint_eq(c.instructions, 21);
		ck_assert_uint_eq(c.loads, 6 + 5);
		ck_assert_uint_eq(c.stores, 5 + 3);
		ck_assert_uint_eq(c.prefetches, 4);
		ck_assert_uint_eq(c.taken + c.not_taken, 1);
		assert_totals_agree(&c);
	}
}
END_TEST

/* Blocks a (ends in a jz), b, c; in memory b follows a, and c is elsewhere. */
START_TEST(paths_of_several_blocks)
{
	struct synthetic_code a = synthetic_code(&trace, 0x1000, BYTES("\x90\x74\x10"));
	struct synthetic_code b = synthetic_code(&trace, 0x1003, BYTES("\x90\x90\x75\x10"));
	struct synthetic_code c = synthetic_code(&trace, 0x2000, BYTES("\x90\x90\x90\xeb\x10"));
	uint32_t blocks[] = { a.block, b.block, c.block };
	struct tf_exit exits[] = {
		{ .n_blocks = 1, .outcome = TF_TAKEN },
		{ .n_blocks = 2, .outcome = TF_NOT_TAKEN },
		{ .n_blocks = 3, .outcome = TF_TAKEN },
	};
	struct tf_path path = { .n_blocks = 3, .n_exits = 3, .blocks = blocks, .exits = exits };
	uint32_t id, first_exit;

	synthetic_ok(&trace,
		     tf_writer_add_path(trace.writer, &path, &id, &first_exit, &trace.error));
	once(first_exit, NULL); /* a taken */
	for (int i = 0; i < 2; i++)
		once(first_exit + 1, NULL); /* a not taken, b not taken */
	for (int i = 0; i < 4; i++)
		once(first_exit + 2, NULL); /* a not taken, b taken, c */
	struct synthetic_code whole = { .path = id };

	synthetic_partial(&trace, thread, &whole, 7, NULL); /* a not taken, b taken, 2 of c */
	synthetic_end(&trace);
	struct mix_counts paths = count(TF_VIEW_PATHS, false, 0);

	ck_assert_uint_eq(paths.instructions, 2 + 2 * 5 + 4 * 9 + 7);
	ck_assert_uint_eq(paths.taken, 1 + 4 + 1);
	ck_assert_uint_eq(paths.not_taken, 2 * 2 + 4 + 1);
	ck_assert_uint_eq(paths.jumps, 4);
	struct mix_counts in_blocks = count(TF_VIEW_BLOCKS, false, 0);

	assert_same(&paths, &in_blocks);
	assert_totals_agree(&paths);
}
END_TEST

/* ---- operands of variable extent ---------------------------------------------------------- */

START_TEST(variable_operands)
{
	/* rep movsq; repe cmpsb; vmaskmovps %ymm0,%ymm1,(%rbx); vpgatherdd; xsave (%rdi); nop */
	struct synthetic_code reps = synthetic_code(&trace, 0x1000, BYTES("\xf3\x48\xa5\xf3\xa6"));
	struct synthetic_code masks = synthetic_code(&trace, 0x2000,
						     BYTES("\xc4\xe2\x75\x2e\x03"
							   "\xc4\xe2\x75\x90\x04\x93"
							   "\x0f\xae\x27\x90"));
	uint64_t rep_values[] = {
		0x1000, 0x2000, 0x3000, 0x4000,       /* addresses */
		5,      5,      0,      8,      3, 0, /* all of 5; 3 of 8 */
	};
	uint64_t mask_values[3 + 1 + 1 + 4 + 1] = { 0x1000, 0x2000, 0x3000, 0x0f, 0x81,
						    0,      0,      0,      0,    832 };

	ck_assert_uint_eq(reps.n_values, 10);
	ck_assert_uint_eq(masks.n_values, 10);
	once(reps.not_taken, rep_values);
	once(masks.not_taken, mask_values);
	synthetic_partial(&trace, thread, &masks, 1, mask_values);
	synthetic_end(&trace);
	struct mix_counts c = count(TF_VIEW_BLOCKS, true, 2);

	ck_assert_uint_eq(c.instructions, 7);
	ck_assert_uint_eq(c.repetitions, 8);
	ck_assert_uint_eq(c.loads, 5 + 2 * 3 + 2);
	ck_assert_uint_eq(c.stores, 5 + 4 + 1 + 4);
	ck_assert_uint_eq(c.bytes_loaded, 5 * 8 + 2 * 3 + 2 * 4);
	ck_assert_uint_eq(c.bytes_stored, 5 * 8 + 4 * 4 + 832 + 4 * 4);
	ck_assert_uint_eq(c.unmeasured, 0);
	assert_totals_agree(&c);

	struct mix_counts paths = count(TF_VIEW_PATHS, true, 2);

	assert_same(&paths, &c);
	struct mix_counts blind = count(TF_VIEW_PATHS, false, 0);

	ck_assert_uint_eq(blind.loads, 0);
	ck_assert_uint_eq(blind.stores, 0);
	ck_assert_uint_eq(blind.unmeasured, 4 + 3 + 1);
	ck_assert_uint_eq(blind.instructions, 7);
}
END_TEST

/* As many as a chunk may claim are not counted one by one. */
START_TEST(repetitions_beyond_counting)
{
	const uint64_t most = UINT64_C(1) << 39;
	struct synthetic_code rep = synthetic_code(&trace, 0x1000, BYTES("\xf3\x48\xab\x90"));

	once(rep.not_taken, (uint64_t[]){ 0x1000, most, most, 0 });
	synthetic_end(&trace);
	struct mix_counts c = count(TF_VIEW_BLOCKS, true, 0);

	ck_assert_uint_eq(c.instructions, 2);
	ck_assert_uint_eq(c.repetitions, most);
	ck_assert_uint_eq(c.stores, most);
	ck_assert_uint_eq(c.bytes_stored, 8 * most);
	assert_totals_agree(&c);
	struct mix_counts paths = count(TF_VIEW_PATHS, true, 0);

	assert_same(&paths, &c);
}
END_TEST

/* A path over the code whose value `unknown` has no recipe. */
static void add_path_without(const struct synthetic_code *code, unsigned unknown)
{
	struct tf_recipe recipes[64] = { 0 };
	struct tf_exit exit = { .n_blocks = 1, .n_slots = code->n_values };
	struct tf_path path = {
		.n_blocks = 1,
		.n_exits = 1,
		.n_slots = code->n_values,
		.n_values = code->n_values,
		.blocks = &code->block,
		.exits = &exit,
		.recipes = recipes,
	};

	for (unsigned i = 0; i < code->n_values; i++)
		recipes[i] = (struct tf_recipe){
			.base = i == unknown ? TF_BASE_UNKNOWN : TF_BASE_SLOT,
			.slot = i,
		};
	synthetic_ok(&trace, tf_writer_add_path(trace.writer, &path, NULL, NULL, &trace.error));
}

/* _i: 0 all known, 1 an address is not, 2 a repetition count is not, 3 a mask is not. */
START_TEST(extents)
{
	static const unsigned unknown[] = { 999, 0, 2, 1 };
	struct synthetic_code rep = synthetic_code(&trace, 0x1000, BYTES("\xf3\xaa"));
	struct synthetic_code mask = synthetic_code(&trace, 0x2000, BYTES("\xc4\xe2\x75\x2e\x03"));
	struct tf_reader *reader;

	add_path_without(_i == 3 ? &mask : &rep, unknown[_i]);
	synthetic_end(&trace);
	synthetic_ok(&trace, tf_open(trace.path, &reader, &trace.error));
	synthetic_ok(&trace, tf_load(reader, &trace.error));
	ck_assert_int_eq(extents_known(reader, false), _i < 2);
	ck_assert_int_eq(extents_known(reader, true), _i != 2);
	tf_close(reader);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mix");
	TCase *tests = tcase_create("mix");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, plain_operands);
	tcase_add_test(tests, ways_out_of_a_block);
	tcase_add_test(tests, partial_executions);
	tcase_add_test(tests, paths_of_several_blocks);
	tcase_add_test(tests, variable_operands);
	tcase_add_test(tests, repetitions_beyond_counting);
	tcase_add_loop_test(tests, extents, 0, 4);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
