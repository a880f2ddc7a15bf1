/* SPDX-License-Identifier: MIT */
/*
 * Tests recomputed flags against the processor: wherever a random program's flags are found to
 * follow from registers, the recomputed flags are the program's.
 */
#include <check.h>
#include <stdio.h>

#include "recorder/translate/plan/flag_source.h"
#include "tests/unit/recorder/translated/box.h"
#include "tests/unit/run_suite.h"

enum { PROGRAMS = 300, STATUS_FLAGS = 0x8d5 };

static long made[FLAGS_AND + 1], moved, of_two;

static void check_flags(const struct plan *p, unsigned insn, const struct boundary *there)
{
	struct flag_source s;
	uint64_t general[16], flags;

	if (!flag_source_find(p, 0, insn, TARGET_REGISTER, &s))
		return;
	general_registers(&there->regs, general);
	flags = flag_source_flags(&s, general, there->regs.eflags & ~(uint64_t)STATUS_FLAGS);
	ck_assert_msg(flags == there->regs.eflags,
		      "program %lu: at %#lx the flags are %#llx, "
		      "made again %#lx",
		      box.seed, p->insns[insn].pc, there->regs.eflags, flags);
	made[s.operation]++;
	moved += s.displacement != 0;
	of_two += s.times != 0;
}

/* Checks the block that begins at this instruction, as far as the native run has executed it. */
static void check_block(unsigned executed, unsigned n)
{
	static struct plan p;
	struct code_block *block = block_at_pc(box.native[box.before[executed]].regs.rip);

	plan_begin(&p, block->trace.pc, &(struct plan_options){ .counted = true });
	plan_add(&p, block);
	for (unsigned i = 1; i < block->trace.n_insns && executed + i < n; i++)
		check_flags(&p, i, &box.native[box.before[executed + i]]);
}

static void run_program(uint64_t seed)
{
	struct random_code code;
	unsigned n;

	box_begin(&code, seed);
	run_native(&code);
	n = box.native[box.n - 1].executed;
	for (unsigned i = 0; i < n; i++)
		check_block(i, n);
	box_end();
}

START_TEST(flags_are_the_processors)
{
	bool one = run_programs(PROGRAMS, run_program);

	printf("%ld programs, flags of %ld sums, %ld differences, %ld ands, %ld with an operand "
	       "moved, %ld with one of two\n",
	       count.programs, made[FLAGS_ADD], made[FLAGS_SUBTRACT], made[FLAGS_AND], moved,
	       of_two);
	if (!one) {
		for (unsigned i = 0; i <= FLAGS_AND; i++)
			ck_assert_int_gt(made[i], 0);
		ck_assert_int_gt(moved, 0);
		ck_assert_int_gt(of_two, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flag sources");
	TCase *tcase = tcase_create("run");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, flags_are_the_processors);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
