/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/unit/traces/trace_truth.h"

/* Counts the accesses of an operand's execution one by one. */
static uint64_t truth_accesses(const struct tf_operand *o, const uint64_t *values)
{
	uint64_t n = 0;

	switch (o->form) {
	case TF_MASKED:
	case TF_LANES:
		for (unsigned i = 0; i < o->lanes; i++)
			n += values[o->extra] >> i & 1;
		return n;
	case TF_REP: return values[o->extra + 1];
	}
	return 1;
}

void truth_totals(const struct random_trace *t, uint32_t thread, struct tf_totals *sum)
{
	struct truth truth = truth_thread(t, thread, TF_VIEW_BLOCKS, 0);

	sum->paths += t->streams[thread].execs.count;
	sum->events += t->streams[thread].events.count;
	for (size_t i = 0; i < truth.items.count; i++) {
		const struct truth_item *item = &truth.items.at[i];
		uint16_t last_rep = UINT16_MAX;

		sum->blocks++;
		sum->instructions += item->executed;
		for (unsigned k = 0; k < item->executed; k++)
			sum->opaque += item->block->insns[k].flags == TF_INSN_OPAQUE;
		for (unsigned k = 0; k < item->block->n_operands; k++) {
			const struct tf_operand *o = &item->block->operands[k];
			uint64_t n;

			if (o->insn >= item->executed)
				break;
			n = truth_accesses(o, item->values);
			sum->loads += o->access & TF_LOAD ? n : 0;
			sum->stores += o->access & TF_STORE ? n : 0;
			sum->prefetches += o->access & TF_PREFETCH ? n : 0;
			if (o->form == TF_REP && o->insn != last_rep) {
				sum->repetitions += n;
				last_rep = o->insn;
			}
		}
	}
	free(truth.items.at);
}
