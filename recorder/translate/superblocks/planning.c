/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/planning.h"

#include "recorder/core/intervals.h"
#include "recorder/program/functions.h"

void plan_begin_recording(struct plan *p, const struct session *s, uint64_t pc, uint32_t function)
{
	struct plan_options options = {
		.no_addresses = s->options->no_addresses,
		.self_check = s->options->self_check,
		.function = function,
		.n_args = functions_args(s, function),
	};

	plan_begin(p, pc, &options);
}

bool plan_is_alike(const struct session *s, const struct plan *p, const struct code_block *b)
{
	return !p->n_blocks || !intervals_are_filtered(s) ||
	       !p->blocks[0]->excluded == !b->excluded;
}

unsigned plan_block_of(const struct plan *p, unsigned insn)
{
	unsigned i = 0;

	while (insn >= p->blocks[i]->trace.n_insns)
		insn -= p->blocks[i++]->trace.n_insns;
	return i;
}
