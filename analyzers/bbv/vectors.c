/* SPDX-License-Identifier: MIT */
/*
 * Counts recorded vectors to the blocks of the control flow graph. Each execution of a path up to
 * an exit counts the same, whatever came before, because a block of the graph is a fact of the
 * code.
 */
#include "analyzers/bbv/homes.h"
#include "analyzers/bbv/internal.h"
#include "analyzers/common/leaders.h"
#include "cli/common/checked.h"

/* Adds an instruction to the effect that is being made, whose shares are the last ones. */
static void add_insn(struct bbv *bbv, struct effect *effect, const struct tf_block *block,
		     unsigned insn)
{
	struct share *last = effect->n_shares ? &bbv->shares.at[bbv->shares.count - 1] : NULL;
	bool begins = !insn || leads(bbv->setup.leaders, block, insn);
	struct bbv_special special;
	uint32_t id;

	if (bbv_classify(block, (uint16_t)insn, BBV_CFG, &special)) {
		effect->n_reps += special.kind == BBV_REP;
		effect->n_fldcw += special.kind == BBV_FLDCW;
	}
	effect->total++;
	id = !begins ? last->id
		     : bbv_id(&bbv->ids,
			      insn ? bbv_start_at(block, insn) : bbv_home(bbv->setup.homes, block));
	if (last && last->id == id) {
		last->count++;
		return;
	}
	CHECKED_RESERVE(bbv->shares, bbv->shares.count + 1);
	bbv->shares.at[bbv->shares.count++] = (struct share){ id, 1 };
	effect->n_shares++;
}

static bool is_excluded(const struct bbv *bbv, uint32_t block)
{
	return bbv->setup.excluded && bbv->setup.excluded[block];
}

/* Makes the effect of the first instructions of a path. */
static struct effect effect_of(struct bbv *bbv, const struct tf_reader *reader,
			       const struct tf_path *path, uint32_t executed)
{
	struct effect effect = { .first_share = (uint32_t)bbv->shares.count, .known = true };

	for (unsigned i = 0; executed; i++) {
		const struct tf_block *block = tf_block(reader, path->blocks[i]);
		uint32_t n = executed < block->n_insns ? executed : block->n_insns;

		for (unsigned k = 0; k < n && !is_excluded(bbv, path->blocks[i]); k++)
			add_insn(bbv, &effect, block, k);
		executed -= n;
	}
	return effect;
}

/* Calls `use` with the effect of a count and the context. */
static void with_effect(struct bbv *bbv, const struct tf_reader *reader,
			const struct tf_vector_count *count,
			void (*use)(void *context, const struct effect *effect, uint64_t times),
			void *context)
{
	struct effect *known = &bbv->effects[count->exit];
	struct tf_exit_info info;
	struct effect effect;

	if (known->known) {
		use(context, known, count->times);
		return;
	}
	tf_exit(reader, count->exit, &info);
	if (info.outcome != TF_PARTIAL) {
		*known = effect_of(bbv, reader, info.path, info.n_insns);
		use(context, known, count->times);
		return;
	}
	effect = effect_of(bbv, reader, info.path, count->executed);
	use(context, &effect, count->times);
	bbv->shares.count = effect.first_share;
}

static inline void with_effects(
	struct bbv *bbv, const struct tf_reader *reader, const struct tf_vector *vector,
	void (*use)(void *context, const struct effect *effect, uint64_t times), void *context)
{
	enum { AHEAD = 16 }; /* effects are more than caches hold */

	for (size_t i = 0; i < vector->n_counts; i++) {
		if (i + AHEAD < vector->n_counts)
			__builtin_prefetch(&bbv->effects[vector->counts[i + AHEAD].exit]);
		with_effect(bbv, reader, &vector->counts[i], use, context);
	}
}

static void add_effect(void *context, const struct effect *effect, uint64_t times)
{
	struct bbv_thread *t = context;
	const struct share *shares = &t->bbv->shares.at[effect->first_share];

	for (unsigned i = 0; i < effect->n_shares; i++)
		bbv_add(t, shares[i].id, shares[i].count * times);
	t->totals.reps += effect->n_reps * times;
	t->totals.fldcw += effect->n_fldcw * times;
}

void bbv_vector(struct bbv_thread *t, const struct tf_reader *reader,
		const struct tf_vector *vector)
{
	with_effects(t->bbv, reader, vector, add_effect, t);
	t->length += vector->instructions;
	t->totals.instructions += vector->instructions;
	t->counted = true;
}

void bbv_vector_end(struct bbv_thread *t)
{
	t->length = t->interval;
	bbv_end_interval(t);
}

void bbv_vector_take(struct bbv_thread *t,
		     void (*use)(void *opaque, uint32_t id, uint64_t instructions), void *opaque)
{
	for (uint32_t i = 0; i < t->touched.count; i++)
		use(opaque, t->touched.at[i], t->counts.at[t->touched.at[i]]);
	bbv_vector_end(t);
}

/* ---- without threads ---------------------------------------------------------------------- */

struct taking {
	const struct bbv *bbv;
	void (*use)(void *opaque, uint32_t id, uint64_t instructions);
	void *opaque;
};

static void take_effect(void *context, const struct effect *effect, uint64_t times)
{
	const struct taking *taking = context;
	const struct share *shares = &taking->bbv->shares.at[effect->first_share];

	for (unsigned i = 0; i < effect->n_shares; i++)
		taking->use(taking->opaque, shares[i].id, shares[i].count * times);
}

void bbv_vector_parts(struct bbv *bbv, const struct tf_reader *reader,
		      const struct tf_vector *vector,
		      void (*use)(void *opaque, uint32_t id, uint64_t instructions), void *opaque)
{
	struct taking taking = { bbv, use, opaque };

	with_effects(bbv, reader, vector, take_effect, &taking);
}
