/* SPDX-License-Identifier: MIT */
/* Counts executions of paths: by exit if the counts of the exit are known, else by block. */
#include <stdlib.h>

#include "analyzers/bbv/internal.h"
#include "cli/common/checked.h"
#include "traceformat/tracesamples.h"

/* Counts the blocks of one execution. */
static void count_blocks(struct bbv_thread *t, const struct tf_reader *reader,
			 const struct tf_exit_info *info, uint32_t executed, struct extras extras,
			 uint64_t ordinal)
{
	for (uint32_t i = 0, left = executed; left; i++) {
		const struct tf_block *block = tf_block(reader, info->path->blocks[i]);
		uint32_t n = left < block->n_insns ? left : block->n_insns;

		left -= n;
		bbv_count_block(t, block, n, tf_block_outcome(info, i, left) == TF_TAKEN, extras,
				ordinal);
		ordinal += n;
	}
}

/*
 * Counts an execution block by block, and records the counts of the exit if they are always the
 * same.
 */
static void count_path(struct bbv_thread *t, const struct tf_reader *reader,
		       const struct tf_path_exec *exec, struct extras extras, uint64_t ordinal)
{
	struct bbv *bbv = t->bbv;
	struct effect *effect = &bbv->effects[exec->exit];
	struct bbv_totals before = t->totals;
	size_t n_shares = bbv->shares.count, n_reps = bbv->reps.count;
	struct tf_exit_info info;

	tf_exit(reader, exec->exit, &info);
	t->learning = !effect->known && bbv_is_fresh(t) && info.outcome != TF_PARTIAL;
	t->varies = false;
	bbv->first_new = n_shares;
	count_blocks(t, reader, &info, exec->executed, extras, ordinal);
	if (t->learning && !t->varies && bbv_is_fresh(t)) {
		*effect = (struct effect){
			.total = (uint32_t)(t->totals.instructions - before.instructions),
			.first_share = (uint32_t)n_shares,
			.n_shares = (uint32_t)(bbv->shares.count - n_shares),
			.first_rep = (uint32_t)n_reps,
			.n_reps = (uint16_t)(bbv->reps.count - n_reps),
			.n_fldcw = (uint16_t)(t->totals.fldcw - before.fldcw),
			.known = true,
		};
	} else {
		bbv->shares.count = n_shares;
		bbv->reps.count = n_reps;
	}
	t->learning = false;
}

/* Counts the special instructions of an exit whose effect is known. */
static void count_special(struct bbv_thread *t, const struct effect *effect,
			  const uint64_t **extras)
{
	const uint8_t *conditions = t->bbv->reps.at + effect->first_rep;

	t->totals.fldcw += effect->n_fldcw;
	t->totals.reps += effect->n_reps;
	for (unsigned i = 0; i < effect->n_reps; i++) {
		const uint64_t *extra = *extras;

		if (t->bbv->setup.rules == BBV_EXP_BBV)
			t->totals.repetitions += bbv_iterations(conditions[i], extra);
		else
			t->totals.repetitions += extra ? extra[1] : 1;
		*extras = extra ? extra + 3 : NULL;
	}
}

static void begin_exits(struct bbv_thread *t)
{
	size_t n = (size_t)t->bbv->setup.n_exits + 1;

	t->exit_counts = checked(calloc(n, sizeof(*t->exit_counts)));
	t->touched_exits = checked(calloc(n, sizeof(*t->touched_exits)));
}

void bbv_paths(struct bbv_thread *t, const struct tf_reader *reader, const struct tf_item *item)
{
	const struct effect *effects = t->bbv->effects;
	const uint64_t *extras = item->repetitions;
	uint64_t ordinal = item->ordinal;
	size_t i = t->in_head ? bbv_head_paths(t, reader, item, &extras, &ordinal) : 0;
	bool fresh = bbv_is_fresh(t);

	if (!t->exit_counts)
		begin_exits(t);
	for (; i < item->count; i++) {
		const struct tf_path_exec *exec = &item->paths[i];
		const struct effect *effect = &effects[exec->exit];

		if (fresh && effect->known && t->length + effect->total < t->limit) {
			if (t->exit_counts[exec->exit]++ == 0)
				t->touched_exits[t->n_touched_exits++] = exec->exit;
			t->length += effect->total;
			t->totals.instructions += effect->total;
			if (effect->n_reps | effect->n_fldcw)
				count_special(t, effect, &extras);
		} else {
			count_path(t, reader, exec,
				   (struct extras){ .queue = item->repetitions ? &extras : NULL },
				   ordinal);
			fresh = bbv_is_fresh(t);
		}
		ordinal += exec->executed;
	}
}
