/* SPDX-License-Identifier: MIT */
/* The rules of basic block vectors, one by one. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analyzers/bbv_machine.h"
#include "tests/unit/run_suite.h"

START_TEST(first_interval_is_longer_by_one)
{
	machine_begin(10);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" JMP)); /* 2 instructions */

	for (int i = 0; i < 16; i++)
		machine_run(block, TF_TAKEN);
	machine_assert_lines("T:1:11   \nT:1:10   \nT:1:10   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 32);
	ck_assert_uint_eq(bbv_totals(machine.thread).intervals, 3);
	machine_end();
}
END_TEST

START_TEST(lines_are_in_order_of_addresses)
{
	machine_begin(5);
	const struct tf_block *high = machine_code(0x2000, BYTES("\x90" JMP));
	const struct tf_block *low = machine_code(0x1000, BYTES("\x90\x90" JMP));

	machine_run(high, TF_TAKEN);
	machine_run(low, TF_TAKEN);
	machine_run(high, TF_TAKEN);
	machine_assert_lines("T:2:3   :1:3   \n");
	const uint32_t *ids = bbv_sorted(machine.bbv);

	ck_assert_uint_eq(ids[0], 2);
	ck_assert_uint_eq(ids[1], 1);
	machine_end();
}
END_TEST

/* A block that ends by the recorder's limit goes on in the next; 60 instructions end one. */
START_TEST(sixty_instructions_end_a_block)
{
	machine_begin(1000);
	const struct tf_block *first = machine_code(0x1000, BYTES(NOP10 NOP10 NOP10 NOP10 NOP5));
	const struct tf_block *second = machine_code(0x102d, BYTES(NOP10 NOP5 "\x90" JMP));

	machine_run(first, TF_NOT_TAKEN);
	machine_run(second, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x103c }, 2);
	machine_end();
}
END_TEST

START_TEST(a_branch_ends_a_block_though_not_taken)
{
	machine_begin(1000);
	const struct tf_block *first = machine_code(0x1000, BYTES("\x90" JZ));
	const struct tf_block *second = machine_code(0x1003, BYTES("\x90" JMP));

	machine_run(first, TF_NOT_TAKEN);
	machine_run(second, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	machine_end();
}
END_TEST

START_TEST(loop_ends_a_block_only_if_taken)
{
	machine_begin(4);
	const struct tf_block *first = machine_code(0x1000, BYTES("\x90" LOOP));
	const struct tf_block *second = machine_code(0x1003, BYTES("\x90" JMP));

	machine_run(first, TF_NOT_TAKEN);
	machine_run(second, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000 }, 1);
	machine_run(first, TF_TAKEN);
	machine_run(second, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	machine_assert_lines("T:1:5   \n");
	machine_end();
}
END_TEST

START_TEST(pause_and_clflush_end_a_block)
{
	machine_begin(1000);
	machine_run(machine_code(0x1000, BYTES("\x90" PAUSE "\x90" CLFLUSH "\x90" CLFLUSHOPT JMP)),
		    TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003, 0x1007 }, 3);
	machine_end();
}
END_TEST

/* Three repetitions are four iterations: the second enters the rep itself. */
START_TEST(a_rep_counts_to_the_next_block)
{
	machine_begin(3);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));

	machine_run_rep(block, 3, 3, 0);
	machine_run(machine_code(0x1020, BYTES("\x90" JMP)), TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x1003, 0x1020 }, 4);
	machine_assert_lines("T:1:1   :3:3   \n");
	struct bbv_totals totals = bbv_totals(machine.thread);

	ck_assert_uint_eq(totals.instructions, 6);
	ck_assert_uint_eq(totals.reps, 1);
	ck_assert_uint_eq(totals.repetitions, 4);
	machine_end();
}
END_TEST

START_TEST(a_rep_of_nothing_has_no_block)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));

	machine_run_rep(block, 0, 0, 0);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 1);
	machine_end();
}
END_TEST

/* Counting as many repetitions as a chunk may claim does not go one by one. */
START_TEST(repetitions_beyond_counting)
{
	const uint64_t most = UINT64_C(1) << 39;

	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));

	machine_run_rep(block, most, most, 0);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 4);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, most + 1);
	machine_end();
}
END_TEST

/* A file may have a rep without values, which no decoder makes: it has no repetitions. */
START_TEST(a_rep_without_operands_is_no_rep)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));

	machine.blocks[0].insns[1].n_operands = 0;
	machine_run_rep(block, 3, 3, 0);
	machine_assert_starts((uint64_t[]){ 0x1000 }, 1);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 4);
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 0);
	machine_end();
}
END_TEST

/* The first of two reps in a row counts towards the total, but towards no block. */
START_TEST(two_reps_in_a_row_lose_one)
{
	uint64_t values[] = { 0x1000, 0x2000, 2, 2, 0, 2, 2, 0 };

	machine_begin(4);
	const struct tf_block *block = machine_code(0x1000, BYTES(REP_STOSB "\xf3\xab"
									    "\x90\x90\x90" JMP));

	machine_part(block, block->n_insns, TF_TAKEN, values);
	machine_assert_lines("T:3:4   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 6);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 6);
	machine_end();
}
END_TEST

/* The iterations depend on what ends the rep: the condition at element 5, or the count of 8. */
START_TEST(conditional_reps_iterate_until_the_condition)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES(REPNE_SCASB "\x90" JMP));

	machine_run_rep(block, 8, 5, TF_REP_ZF);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5);
	machine_run_rep(block, 8, 8, 0);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5 + 9);
	machine_run_rep(block, 8, 2, TF_REP_INTERRUPTED);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5 + 9 + 2);
	machine_run_rep(block, 8, 0, TF_REP_INTERRUPTED); /* before the first repetition */
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5 + 9 + 2 + 1);
	machine_end();
}
END_TEST

START_TEST(rep_lods_is_one_iteration_and_ends_nothing)
{
	uint64_t values[] = { 0x1000, 5, 5, 0 };

	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES(REP_LODSB "\x90" JMP));

	machine_part(block, block->n_insns, TF_TAKEN, values);
	machine_assert_starts((uint64_t[]){ 0x1000 }, 1);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 1);
	machine_end();
}
END_TEST

START_TEST(a_control_word_that_unmasks_ends_a_block)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000,
						    BYTES("\x90" FLDCW "\x90" FLDCW "\x90" JMP));

	bbv_control_word(machine.thread, 2, TF_X87_CONTROL_WORD, 0xc7f); /* 24 bits */
	bbv_control_word(machine.thread, 4, TF_X87_CONTROL_WORD, 0x37f); /* the default */
	machine_part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).fldcw, 2);
	bbv_control_word(machine.thread, 8, TF_MXCSR, 0x9f80); /* flush to zero */
	machine_part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	bbv_control_word(machine.thread, 16, TF_MXCSR, 0x1f80); /* the default */
	bbv_control_word(machine.thread, 17, TF_MXCSR, 0x1f00); /* an exception unmasked */
	machine_part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003, 0x1007 }, 3);
	bbv_control_word(machine.thread, 22, TF_MXCSR, 0x1fc0); /* denormals are zero */
	machine_part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1003, 0x1007, 0x1006 }, 4);
	machine_end();
}
END_TEST

/* A block is left after one instruction, for a handler, and then resumed. */
START_TEST(an_interrupted_block_is_begun_anew)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90\x90" JMP));
	const struct tf_block *handler = machine_code(0x2000, BYTES("\x90\xc3"));
	const struct tf_block *rest = machine_code(0x1001, BYTES("\x90" JMP));

	machine_part(block, 1, TF_PARTIAL, NULL);
	machine_part(handler, 2, TF_TAKEN, (uint64_t[]){ 0 });
	machine_run(rest, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x2000, 0x1001 }, 3);
	machine_end();
}
END_TEST

/* A faulting instruction counts towards the current block, and again in its own when retried. */
START_TEST(a_fault_is_counted)
{
	machine_begin(3);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90\x90" JMP));
	const struct tf_block *rest = machine_code(0x1001, BYTES("\x90" JMP));

	machine_part(block, 1, TF_PARTIAL, NULL);
	bbv_fault(machine.thread, 0x1001);
	machine_run(rest, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1001 }, 2);
	machine_assert_lines("T:1:2   :2:2   \n");
	bbv_fault(machine.thread, 0x5000);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 5);
	ck_assert_uint_eq(bbv_start(machine.bbv, 3)->pc, 0x5000);
	machine_end();
}
END_TEST

/* The iteration that faults is one more of the rep: it is no instruction of its own. */
START_TEST(a_fault_in_a_rep)
{
	uint64_t values[] = { 0x1000, 100, 4, TF_REP_INTERRUPTED };

	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));
	const struct tf_block *handler = machine_code(0x2000, BYTES("\x90\xc3"));

	machine_part(block, 2, TF_PARTIAL, values);
	bbv_fault(machine.thread, 0x1001);
	machine_run(handler, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x2000 }, 3);
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 1);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 4);
	machine_part(block, 1, TF_PARTIAL, NULL);
	bbv_fault(machine.thread, 0x1001); /* no iteration completed */
	machine_run(handler, TF_TAKEN);
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 6);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 8);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x2000 }, 3);
	machine_end();
}
END_TEST

/* From the fused multiply-add on a block has at most 31 instructions. */
START_TEST(a_verbose_instruction_shortens_its_block)
{
	machine_begin(1000);
	machine_run(machine_code(0x1000, BYTES(FMA NOP10 NOP10 NOP10 "\x90" JMP)), TF_TAKEN);
	machine_run(machine_code(0x2000, BYTES(NOP10 NOP10 NOP10 NOP10 FMA "\x90" JMP)), TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1023, 0x2000, 0x202d }, 4);
	machine_end();
}
END_TEST

START_TEST(fxrstor_gives_no_warning)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" FXRSTOR "\x90" JMP));

	bbv_control_word(machine.thread, 2, TF_X87_CONTROL_WORD, 0xc7f);
	bbv_control_word(machine.thread, 2, TF_MXCSR, 0x9f80);
	machine_part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0 });
	machine_assert_starts((uint64_t[]){ 0x1000 }, 1);
	machine_end();
}
END_TEST

/* exp-bbv does not know this rep with a REX prefix: three repetitions are four instructions. */
START_TEST(an_unseen_rep_counts_its_iterations)
{
	machine_begin(1000);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90\xf3\x4c\xab\x90" JMP));

	machine_run_rep(block, 3, 3, 0);
	bbv_end(machine.thread, true);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x1004 }, 3);
	machine_assert_lines("T:1:2   :2:3   :3:2   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 0);
	machine_end();
}
END_TEST

START_TEST(exact_rules)
{
	uint64_t values[4] = { 0x1000, 3, 3, 0 };

	machine_begin_by(BBV_DYNAMIC, 4);
	const struct tf_block *block = machine_code(0x1000,
						    BYTES("\x90" REP_STOSB PAUSE "\x90" LOOP));
	const struct tf_block *next = machine_code(0x1008, BYTES("\x90" JMP));

	machine_part(block, block->n_insns, TF_NOT_TAKEN, values);
	bbv_fault(machine.thread, 0x1008); /* does not count */
	machine_run(next, TF_TAKEN);
	bbv_end(machine.thread, true);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x1008 }, 2);
	machine_assert_lines("T:1:4   \nT:1:1   :2:2   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 3);
	ck_assert_uint_eq(bbv_totals(machine.thread).intervals, 2);
	machine_end();
}
END_TEST

START_TEST(cuts_end_intervals)
{
	machine_begin(BBV_NO_INTERVAL);
	const struct tf_block *block = machine_code(0x1000, BYTES(NOP10 JMP));

	bbv_cut(machine.thread, 0); /* an empty vector */
	bbv_cut(machine.thread, 3);
	bbv_cut(machine.thread, 3);
	machine_run(block, TF_TAKEN);
	bbv_cut(machine.thread, 11);
	machine_run(block, TF_TAKEN);
	bbv_end(machine.thread, true);
	machine_assert_lines("T:1:3   \nT:1:8   \nT:1:11   \n");
	machine_end();
}
END_TEST

/* Memory entries follow the blocks, scaled to twice the blocks' sum (0), or not scaled (1). */
START_TEST(memory_is_weighted)
{
	static const char *const lines[] = { "T:3:11   :2:6   :1:17   \n",
					     "T:3:11   :2:10   :1:30   \n" };
	struct bbv_setup setup = {
		.n_code = MACHINE_BLOCKS,
		.rules = BBV_DYNAMIC,
		.memory_weight = _i == 0 ? 2 : 0,
	};

	machine_begin(1000);
	bbv_thread_free(machine.thread);
	bbv_free(machine.bbv);
	machine.bbv = bbv_new(&setup);
	machine.thread = bbv_thread_new(machine.bbv, 11);
	bbv_thread_output(machine.thread, machine.out);
	bbv_access(machine.thread, 7, 30);
	bbv_access(machine.thread, 5, 10);
	machine_run(machine_code(0x1000, BYTES(NOP10 JMP)), TF_TAKEN);
	machine_assert_lines(lines[_i]);
	machine_end();
}
END_TEST

START_TEST(many_blocks)
{
	enum { N = 5000 };

	machine_begin(1000);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < N; i++)
			bbv_fault(machine.thread, 0x1000 + 64 * i);
	ck_assert_uint_eq(bbv_count(machine.bbv), N);
	ck_assert_uint_eq(bbv_start(machine.bbv, N)->pc, 0x1000 + 64 * (N - 1));
	machine_end();
}
END_TEST

/* A fault does not name its module; the retried instruction does. */
START_TEST(modules_are_learnt)
{
	machine_begin(1000);
	struct tf_block block = *machine_code(0x1000, BYTES("\x90" JMP));

	block.module = 3;
	bbv_fault(machine.thread, 0x1000);
	ck_assert_uint_eq(bbv_start(machine.bbv, 1)->module, TF_NONE);
	machine_run(&block, TF_TAKEN);
	ck_assert_uint_eq(bbv_start(machine.bbv, 1)->module, 3);
	ck_assert_uint_eq(bbv_start(machine.bbv, 1)->module_offset, 0x1000);
	machine_end();
}
END_TEST

START_TEST(threads_share_ids_and_nothing_else)
{
	machine_begin(100);
	struct bbv_thread *other = bbv_thread_new(machine.bbv, 100);
	const struct tf_block *a = machine_code(0x1000, BYTES("\x90" JMP));
	const struct tf_block *b = machine_code(0x2000, BYTES("\x90" JMP));
	struct tf_block_exec exec = { b, NULL, 2, TF_TAKEN };

	machine_run(a, TF_TAKEN);
	bbv_execute(other, &exec, 0);
	machine_run(b, TF_TAKEN);
	machine_assert_starts((uint64_t[]){ 0x1000, 0x2000 }, 2);
	ck_assert_uint_eq(bbv_totals(other).instructions, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 4);
	bbv_thread_free(other);
	machine_end();
}
END_TEST

START_TEST(the_summary)
{
	machine_begin(3);
	const struct tf_block *block = machine_code(0x1000, BYTES("\x90" JMP));

	for (int i = 0; i < 4; i++)
		machine_run(block, TF_TAKEN);
	bbv_summary(machine.thread, 7, "> ", machine.out);
	machine_assert_lines(
		"T:1:4   \nT:1:3   \n"
		"> \n> \n> # Thread 7\n> #   Total intervals: 2 (Interval Size 3)\n"
		"> #   Total instructions: 8\n> #   Total reps: 0\n> #   Unique reps: 0\n"
		"> #   Total fldcw instructions: 0\n> \n");
	machine_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bbv");
	TCase *tests = tcase_create("rules");

	tcase_add_test(tests, first_interval_is_longer_by_one);
	tcase_add_test(tests, lines_are_in_order_of_addresses);
	tcase_add_test(tests, sixty_instructions_end_a_block);
	tcase_add_test(tests, a_branch_ends_a_block_though_not_taken);
	tcase_add_test(tests, loop_ends_a_block_only_if_taken);
	tcase_add_test(tests, pause_and_clflush_end_a_block);
	tcase_add_test(tests, a_rep_counts_to_the_next_block);
	tcase_add_test(tests, a_rep_of_nothing_has_no_block);
	tcase_add_test(tests, a_rep_without_operands_is_no_rep);
	tcase_add_test(tests, repetitions_beyond_counting);
	tcase_add_test(tests, two_reps_in_a_row_lose_one);
	tcase_add_test(tests, conditional_reps_iterate_until_the_condition);
	tcase_add_test(tests, rep_lods_is_one_iteration_and_ends_nothing);
	tcase_add_test(tests, a_control_word_that_unmasks_ends_a_block);
	tcase_add_test(tests, an_interrupted_block_is_begun_anew);
	tcase_add_test(tests, a_fault_is_counted);
	tcase_add_test(tests, a_fault_in_a_rep);
	tcase_add_test(tests, a_verbose_instruction_shortens_its_block);
	tcase_add_test(tests, fxrstor_gives_no_warning);
	tcase_add_test(tests, an_unseen_rep_counts_its_iterations);
	tcase_add_test(tests, exact_rules);
	tcase_add_test(tests, cuts_end_intervals);
	tcase_add_loop_test(tests, memory_is_weighted, 0, 2);
	tcase_add_test(tests, many_blocks);
	tcase_add_test(tests, modules_are_learnt);
	tcase_add_test(tests, threads_share_ids_and_nothing_else);
	tcase_add_test(tests, the_summary);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
