/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "tests/unit/traces/trace_truth.h"

/* Returns whether the values of the block's executed instructions [from, to) are as expected. */
static bool truth_values_same(const struct truth_item *truth, const uint64_t *values, unsigned from,
			      unsigned to)
{
	const struct tf_block *b = truth->block;

	for (unsigned k = 0; k < b->n_operands; k++) {
		const struct tf_operand *o = &b->operands[k];

		if (o->insn < from || o->insn >= to)
			continue;
		if (values[k] != truth->values[k])
			return false;
		for (unsigned j = 0; j < random_extras_of(o); j++)
			if (values[o->extra + j] != truth->values[o->extra + j])
				return false;
	}
	return true;
}

bool truth_same(const struct truth_item *truth, const struct tf_item *item, size_t i,
		unsigned columns)
{
	const uint64_t *values = NULL;
	unsigned from = 0, to = 0;

	if (truth->event || truth->thread != item->thread)
		return false;
	switch (item->kind) {
	case TF_ITEM_PATHS:
		return item->paths[i].exit == truth->exec->exit &&
		       item->paths[i].executed == truth->executed;
	case TF_ITEM_BLOCKS: {
		const struct tf_block_exec *e = &item->blocks[i];

		if (e->block->id != truth->block->id || e->executed != truth->executed ||
		    e->outcome != truth->outcome)
			return false;
		values = e->values;
		to = e->executed;
		break;
	}
	case TF_ITEM_INSNS: {
		const struct tf_insn_exec *e = &item->insns[i];

		if (e->block->id != truth->block->id || e->index != truth->insn ||
		    e->outcome != truth->outcome ||
		    e->pc != truth->block->pc + truth->block->insns[truth->insn].offset)
			return false;
		values = e->values;
		from = e->index;
		to = from + 1u;
		break;
	}
	case TF_ITEM_EVENT: return false;
	}
	if (!(columns & TF_ADDRESSES))
		return !values;
	return values && truth_values_same(truth, values, from, to);
}

bool truth_cursor(struct tf_cursor *cursor, const struct truth *truth, size_t from, size_t to,
		  unsigned columns, char *why, size_t why_size)
{
	struct tf_error error;
	struct tf_item item;
	int status;

	while ((status = tf_next(cursor, &item, &error)) > 0) {
		uint64_t ordinal = item.ordinal;
		char expected[512] = "the end", found[512];

		if (item.kind == TF_ITEM_EVENT) {
			if (from < to && truth->items.at[from].event &&
			    truth_event_same(item.event, truth->items.at[from].event)) {
				from++;
				continue;
			}
			if (from < to && truth->items.at[from].event)
				truth_event_text(truth->items.at[from].event, expected,
						 sizeof(expected));
			else if (from < to)
				snprintf(expected, sizeof(expected), "thread %u, instruction %llu",
					 truth->items.at[from].thread,
					 (unsigned long long)truth->items.at[from].ordinal);
			truth_event_text(item.event, found, sizeof(found));
			snprintf(why, why_size, "item %zu is %.400s instead of %.400s", from, found,
				 expected);
			return false;
		}
		for (size_t i = 0; i < item.count; i++, from++) {
			const struct truth_item *next = &truth->items.at[from];

			if (from >= to || next->ordinal != ordinal ||
			    !truth_same(next, &item, i, columns)) {
				snprintf(why, why_size,
					 "item %zu of %zu: thread %u, instruction %llu is wrong",
					 from, to, item.thread, (unsigned long long)ordinal);
				return false;
			}
			ordinal += next->executed;
		}
		if (ordinal != item.ordinal + item.instructions || !item.count) {
			snprintf(why, why_size,
				 "a batch at %llu has a wrong number of instructions",
				 (unsigned long long)item.ordinal);
			return false;
		}
	}
	if (status < 0)
		snprintf(why, why_size, "%.400s", error.text);
	else if (from != to)
		snprintf(why, why_size, "%zu items are missing", to - from);
	return status == 0 && from == to;
}
