/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/predictor.h"

#include <string.h>

#include "cli/common/checked.h"
#include "traceformat/traceformat.h"

/* clang-format off */
enum {
	WEAKLY_NOT_TAKEN = 1, WEAKLY_TAKEN = 2, STRONGLY_TAKEN = 3, TAG_BITS = 8,
	TAGGED_TAKEN = 4, TAGGED_MOST = 7, MOST_USEFUL = 3,
	AGING = 1 << 18,	/* branches */
};
/* clang-format on */

static const uint32_t lengths[TAGE_TABLES] = { 5, 15, 44, 130 };

static struct tage_folds empty_folds(uint32_t bits)
{
	struct tage_folds folds = { .top = 1u << bits };

	for (unsigned i = 0; i < TAGE_TABLES; i++)
		folds.oldest[i] = 1u << lengths[i] % bits;
	return folds;
}

void tage_init(struct tage *t, uint32_t counter_bits, uint32_t tagged_bits)
{
	*t = (struct tage){ .counter_bits = counter_bits, .tagged_bits = tagged_bits };
	t->counters = checked_array((size_t)1 << counter_bits, 1);
	memset(t->counters, WEAKLY_NOT_TAKEN, (size_t)1 << counter_bits);
	for (unsigned i = 0; i < TAGE_TABLES; i++)
		t->tables[i] = checked_array((size_t)1 << tagged_bits, sizeof(*t->tables[i]));
	t->index = empty_folds(tagged_bits);
	t->tags[0] = empty_folds(TAG_BITS);
	t->tags[1] = empty_folds(TAG_BITS - 1);
}

void tage_free(struct tage *t)
{
	free(t->counters);
	for (unsigned i = 0; i < TAGE_TABLES; i++)
		free(t->tables[i]);
}

/* ---- histories --------------------------------------------------------------------------- */

/*
 * Adds an outcome, and removes the oldest ones. out: all bits set for each table whose oldest
 * outcome is taken.
 */
static inline void fold(struct tage_folds *f, uint32_t in, tage_lanes out)
{
	tage_lanes folded = (f->folded << 1 | in) ^ (out & f->oldest);
	tage_lanes carry = (tage_lanes)((folded & f->top) != 0) & 1;

	f->folded = (folded ^ carry) & (f->top - 1);
}

/* Returns the outcome that a table's history loses, as all bits of a lane. */
static inline uint32_t lost_outcome(const struct tage *t, unsigned table)
{
	return -(uint32_t)t->outcomes[(t->newest - lengths[table]) % TAGE_HISTORY];
}

static void add_outcome(struct tage *t, bool taken)
{
	tage_lanes out;

	t->newest = (t->newest + 1) % TAGE_HISTORY;
	t->outcomes[t->newest] = taken;
	/* Makes all lanes at once: a load of all would wait long for stores of single ones. */
	out = (tage_lanes){ lost_outcome(t, 0), lost_outcome(t, 1), lost_outcome(t, 2),
			    lost_outcome(t, 3) };
	fold(&t->index, taken, out);
	fold(&t->tags[0], taken, out);
	fold(&t->tags[1], taken, out);
}

/* ---- predictions ------------------------------------------------------------------------- */

/* A branch's place in each table, and the two tables of the longest histories that have it. */
struct lookup {
	uint8_t *counter;
	struct tage_entry *entries[TAGE_TABLES];
	uint8_t tags[TAGE_TABLES];
	int best, next; /* tables; -1: the counter */
};

static void look_up(struct tage *t, uint64_t pc, struct lookup *found)
{
	found->counter = &t->counters[(pc ^ pc >> t->counter_bits) & ((1u << t->counter_bits) - 1)];
	found->best = found->next = -1;
	for (int i = 0; i < TAGE_TABLES; i++) {
		uint64_t hash = pc ^ pc >> (t->tagged_bits - i % 4) ^ t->index.folded[i];

		found->entries[i] = &t->tables[i][hash & ((1u << t->tagged_bits) - 1)];
		found->tags[i] = pc ^ t->tags[0].folded[i] ^ t->tags[1].folded[i] << 1;
		if (found->entries[i]->tag == found->tags[i]) {
			found->next = found->best;
			found->best = i;
		}
	}
}

static bool prediction(const struct lookup *found, int table)
{
	if (table < 0)
		return *found->counter >= WEAKLY_TAKEN;
	return found->entries[table]->counter >= TAGGED_TAKEN;
}

static uint8_t moved(uint8_t counter, bool up, uint8_t most)
{
	if (up)
		return counter < most ? counter + 1 : most;
	return counter ? counter - 1 : 0;
}

/* Allocates an entry for the branch in a table of a longer history than the one that was wrong. */
static void allocate(struct lookup *found, bool taken)
{
	for (int i = found->best + 1; i < TAGE_TABLES; i++)
		if (!found->entries[i]->useful) {
			*found->entries[i] = (struct tage_entry){
				found->tags[i],
				taken ? TAGGED_TAKEN : TAGGED_TAKEN - 1,
				0,
			};
			return;
		}
	for (int i = found->best + 1; i < TAGE_TABLES; i++)
		found->entries[i]->useful--;
}

/* Ages the usefulness of entries. */
static void age(struct tage *t)
{
	if (++t->branches < AGING)
		return;
	t->branches = 0;
	for (unsigned i = 0; i < TAGE_TABLES; i++)
		for (size_t k = 0; k < (size_t)1 << t->tagged_bits; k++)
			t->tables[i][k].useful /= 2;
}

static void learn(struct lookup *found, bool taken)
{
	bool predicted = prediction(found, found->best);

	if (found->best < 0) {
		*found->counter = moved(*found->counter, taken, STRONGLY_TAKEN);
	} else {
		struct tage_entry *entry = found->entries[found->best];

		if (predicted != prediction(found, found->next))
			entry->useful = moved(entry->useful, predicted == taken, MOST_USEFUL);
		entry->counter = moved(entry->counter, taken, TAGGED_MOST);
	}
	if (predicted != taken)
		allocate(found, taken);
}

bool tage_step(struct tage *t, uint64_t pc, bool taken)
{
	struct lookup found;

	look_up(t, pc, &found);
	bool predicted = prediction(&found, found.best);

	learn(&found, taken);
	add_outcome(t, taken);
	age(t);
	return predicted == taken;
}

void predictor_init(struct predictor *p, const struct machine *machine)
{
	size_t n_counters = (size_t)1 << machine->counter_bits;

	*p = (struct predictor){ .machine = machine };
	tage_init(&p->tage, machine->counter_bits, machine->tagged_bits);
	p->counters = checked_array(n_counters, sizeof(*p->counters));
	memset(p->counters, WEAKLY_NOT_TAKEN, n_counters);
	p->targets = checked_array(machine->target_entries, sizeof(*p->targets));
	p->returns = checked_array(machine->return_stack, sizeof(*p->returns));
}

void predictor_free(struct predictor *p)
{
	tage_free(&p->tage);
	free(p->counters);
	free(p->targets);
	free(p->returns);
}

/* Predicts by a table of counters, and updates the table. */
static bool predict_by_counter(struct predictor *p, const struct branch *branch,
			       uint32_t history_bits)
{
	uint64_t history = p->history & ((1ull << history_bits) - 1);
	uint64_t at = (branch->pc ^ history) & ((1ull << p->machine->counter_bits) - 1);
	uint8_t *counter = &p->counters[at];
	bool predicted = *counter >= WEAKLY_TAKEN;

	if (branch->taken && *counter < STRONGLY_TAKEN)
		(*counter)++;
	if (!branch->taken && *counter > 0)
		(*counter)--;
	p->history = p->history << 1 | branch->taken;
	return predicted == branch->taken;
}

static bool predict_direction(struct predictor *p, const struct branch *branch)
{
	switch ((enum machine_predictor)p->machine->predictor) {
	case PREDICTOR_STATIC: return !branch->taken;
	case PREDICTOR_BIMODAL: return predict_by_counter(p, branch, 0);
	case PREDICTOR_GSHARE: return predict_by_counter(p, branch, p->machine->history_bits);
	case PREDICTOR_TAGE: return tage_step(&p->tage, branch->pc, branch->taken);
	default: return true;
	}
}

static bool predict_target(struct predictor *p, const struct branch *branch)
{
	uint64_t hash = branch->pc ^ branch->pc >> 12 ^ p->path;
	uint64_t *target = &p->targets[hash & (p->machine->target_entries - 1)];
	bool right = *target == branch->next_pc;

	*target = branch->next_pc;
	if (p->machine->target_history)
		p->path = (p->path << 2 ^ (branch->next_pc >> 2 & 0xff)) &
			  ((1ull << 2 * p->machine->target_history) - 1);
	return right;
}

static void push_return(struct predictor *p, uint64_t pc)
{
	p->returns[p->depth++ % p->machine->return_stack] = pc;
}

static bool predict_return(struct predictor *p, const struct branch *branch)
{
	return p->returns[--p->depth % p->machine->return_stack] == branch->next_pc;
}

static bool predict(struct predictor *p, const struct branch *branch)
{
	switch (branch->end) {
	case TF_END_CONDITIONAL: return predict_direction(p, branch);
	case TF_END_CALL: push_return(p, branch->fall_through); return true;
	case TF_END_INDIRECT_CALL:
		push_return(p, branch->fall_through);
		return predict_target(p, branch);
	case TF_END_INDIRECT_JUMP: return predict_target(p, branch);
	case TF_END_RETURN: return predict_return(p, branch);
	default: return true;
	}
}

bool predictor_step(struct predictor *p, const struct branch *branch)
{
	return predict(p, branch) || p->machine->predictor == PREDICTOR_PERFECT;
}
