/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analyzers/bbv_machine.h"

struct machine machine;

void machine_new_bbv(uint32_t n_code, enum bbv_rules rules, uint64_t interval)
{
	struct bbv_setup setup = { .n_code = n_code, .rules = rules };

	machine.bbv = bbv_new(&setup);
	machine.thread = bbv_thread_new(machine.bbv, interval);
}

void machine_begin_by(enum bbv_rules rules, uint64_t interval)
{
	memset(&machine, 0, sizeof(machine));
	machine_new_bbv(MACHINE_BLOCKS, rules, interval);
	machine.out = open_memstream(&machine.text, &machine.size);
	bbv_thread_output(machine.thread, machine.out);
}

void machine_begin(uint64_t interval)
{
	machine_begin_by(BBV_EXP_BBV, interval);
}

const struct tf_block *machine_code(uint64_t pc, const char *bytes, size_t size)
{
	struct synthetic_block *b = &machine.blocks[machine.n_blocks];

	synthetic_decode(b, pc, bytes, size);
	b->block.id = machine.n_blocks++;
	return &b->block;
}

void machine_part(const struct tf_block *block, unsigned executed, enum tf_outcome outcome,
		  const uint64_t *values)
{
	struct tf_block_exec exec = { block, values, executed, outcome };

	bbv_execute(machine.thread, &exec, machine.ordinal);
	machine.ordinal += executed;
}

void machine_run(const struct tf_block *block, enum tf_outcome outcome)
{
	machine_part(block, block->n_insns, outcome, NULL);
}

void machine_run_rep(const struct tf_block *block, uint64_t before, uint64_t done, uint64_t flags)
{
	uint64_t values[4] = { 0x1000, before, done, flags };

	machine_part(block, block->n_insns, TF_NOT_TAKEN, values);
}

void machine_assert_lines(const char *expected)
{
	fflush(machine.out);
	ck_assert_str_eq(machine.text, expected);
}

void machine_assert_starts(const uint64_t *pcs, uint32_t count)
{
	ck_assert_uint_eq(bbv_count(machine.bbv), count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(bbv_start(machine.bbv, i + 1)->pc, pcs[i]);
}

void machine_end(void)
{
	fclose(machine.out);
	free(machine.text);
	bbv_thread_free(machine.thread);
	bbv_free(machine.bbv);
}
