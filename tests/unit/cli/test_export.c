/* SPDX-License-Identifier: MIT */
/*
 * Limits of the formats of trace-export that no recording reaches in the time of a test, and
 * branches whose outcomes are not recorded.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/export/bubbles.h"
#include "cli/export/formats.h"
#include "cli/export/linear.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

/* Ramulator 2 reads the number of instructions before a load into an int. */
START_TEST(most_bubbles)
{
	static const struct {
		uint64_t before, told;
	} cases[] = {
		{ 0, 0 },
		{ INT32_MAX, INT32_MAX },
		{ UINT64_C(1) << 31, INT32_MAX },
		{ UINT64_C(1) << 40, INT32_MAX },
	};
	static const struct tf_insn insn = { .length = 3, .n_operands = 1 };
	static const struct tf_operand operand = { .access = TF_LOAD, .size = 8 };
	static const uint64_t value = 4096;
	const struct tf_block block = { .insns = &insn, .operands = &operand, .n_insns = 1 };
	const struct linear_insn load = { .block = &block, .insn = &insn, .values = &value };
	const struct export_options options = { 0 };
	char folder[] = "/tmp/test_export.XXXXXX", path[64];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/o3", folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bubbles state = { .before = cases[i].before };
		struct export_run run = { .options = &options, .state = &state };
		char line[64], expected[64];
		FILE *file;

		run.out = pack_open(path);
		ck_assert_ptr_nonnull(run.out);
		ramulator2_o3.insn(&run, &load);
		ramulator2_o3.end(&run);
		ck_assert_int_eq(pack_end(run.out), EXIT_DONE);
		snprintf(expected, sizeof(expected), "%" PRIu64 " 4096\n", cases[i].told);
		file = fopen(path, "r");
		ck_assert_ptr_nonnull(file);
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
		fclose(file);
		unlink(path);
		ck_assert_str_eq(line, expected);
		ck_assert_uint_eq(run.lost[LOSS_BUBBLES], cases[i].before - cases[i].told);
	}
	rmdir(folder);
}
END_TEST

struct branches {
	unsigned n, taken;
};

static bool count_branch(void *opaque, const struct linear_insn *insn)
{
	struct branches *b = opaque;

	b->n += linear_is_branch(insn);
	b->taken += linear_is_branch(insn) && insn->taken;
	return true;
}

/* A partial execution does not tell the outcome of its branch; the next instruction does. */
START_TEST(outcomes_of_partial_executions)
{
	for (unsigned taken = 0; taken < 2; taken++) {
		struct branches branches = { 0 };
		const struct linear_visitor visitor = { .insn = count_branch, .opaque = &branches };
		const struct linear_options options = { .count = UINT64_MAX, .region = TF_NONE };
		struct synthetic_code loop, next;
		struct synthetic s;
		struct tf_reader *reader;
		uint32_t thread;

		synthetic_begin(&s, NULL);
		thread = synthetic_thread(&s, synthetic_process(&s, 100));
		loop = synthetic_code(&s, 0x401000, BYTES("\xff\xc9\x75\xfc")); /* dec; jnz */
		next = synthetic_code(&s, 0x401004, BYTES("\x90\xf4"));         /* nop; hlt */
		synthetic_partial(&s, thread, &loop, loop.n_insns, NULL);
		synthetic_partial(&s, thread, taken ? &loop : &next, 1, NULL);
		synthetic_end(&s);
		synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
		ck_assert_int_eq(linear_run(reader, &options, &visitor, &s.error), EXIT_DONE);
		ck_assert_uint_eq(branches.n, 1);
		ck_assert_uint_eq(branches.taken, taken);
		tf_close(reader);
		synthetic_remove(&s);
	}
}
END_TEST

static bool keep_insn(void *opaque, const struct linear_insn *insn)
{
	*(struct linear_insn *)opaque = *insn;
	return true;
}

/* A signal behind the last instruction to visit, inside of a block, tells where control went on. */
START_TEST(signal_behind_the_end)
{
	struct linear_insn last = { 0 };
	const struct linear_visitor visitor = { .insn = keep_insn, .opaque = &last };
	const struct linear_options options = { .count = 2, .region = TF_NONE };
	const struct tf_event event = { .kind = TF_EVENT_SIGNAL,
					.signal = { 10, 0, 0, 0x401002, 9 } };
	struct synthetic_code nops;
	struct synthetic s;
	struct tf_reader *reader;
	uint32_t thread;

	synthetic_begin(&s, NULL);
	thread = synthetic_thread(&s, synthetic_process(&s, 100));
	nops = synthetic_code(&s, 0x401000, BYTES("\x90\x90\x90\xeb\x10"));
	synthetic_ok(&s, tf_stream_event_ahead(s.streams[thread], &event, 2, &s.error));
	synthetic_exec(&s, thread, nops.taken, NULL);
	synthetic_end(&s);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	ck_assert_int_eq(linear_run(reader, &options, &visitor, &s.error), EXIT_DONE);
	ck_assert_uint_eq(last.pc, 0x401001);
	ck_assert_uint_eq(last.next, 0x401002);
	ck_assert(last.broken);
	tf_close(reader);
	synthetic_remove(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("export");
	TCase *tests = tcase_create("export");

	tcase_add_test(tests, most_bubbles);
	tcase_add_test(tests, outcomes_of_partial_executions);
	tcase_add_test(tests, signal_behind_the_end);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
