/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/set.h"

#include <stdlib.h>

#include "analyzers/bbv/internal.h"
#include "cli/common/checked.h"

void bbv_set_begin(struct bbv_set *set)
{
	set->processes = checked_array(set->n_processes + 1, sizeof(*set->processes));
	set->threads = checked_array(set->n_threads + 1, sizeof(*set->threads));
}

void bbv_set_free(struct bbv_set *set)
{
	for (uint32_t i = 0; set->threads && i < set->n_threads; i++)
		bbv_thread_free(set->threads[i]);
	for (uint32_t i = 0; set->processes && i < set->n_processes; i++)
		bbv_free(set->processes[i]);
	free(set->threads);
	free(set->processes);
	set->threads = NULL;
	set->processes = NULL;
}

static struct bbv *process_at(struct bbv_set *set, uint32_t process)
{
	struct bbv **bbv = &set->processes[process];

	if (*bbv)
		return *bbv;
	*bbv = bbv_new(&set->setup);
	if (set->numbered)
		bbv_number(*bbv, set->reader, set->numbered);
	return *bbv;
}

struct bbv_thread *bbv_set_thread(struct bbv_set *set, uint32_t thread)
{
	struct bbv_thread **t = &set->threads[thread];

	if (*t)
		return *t;
	*t = bbv_thread_new(process_at(set, set->process_of[thread]), set->interval);
	if (set->is_piece)
		bbv_piece_begin(*t, thread, set->counts_only, set->lengths);
	if (set->is_whole)
		(*t)->in_head = false;
	return *t;
}

/* ---- merging ------------------------------------------------------------------------------ */

/* Gives places ids, as far as the later piece had given some. */
static void take_ids(struct bbv *bbv, const struct bbv *later, uint32_t n, uint32_t *ids,
		     uint32_t *n_taken)
{
	for (; *n_taken < n; ++*n_taken)
		ids[*n_taken + 1] = bbv_id(&bbv->ids, *bbv_start(later, *n_taken + 1));
}

/* Adds an item of the head. Marks of a thread that has not run yet have no effect. */
static void take_item(struct bbv_set *set, const struct bbv *later, const struct head_item *item)
{
	struct bbv_thread *t;

	if (set->is_whole && !set->threads[item->thread] && item->kind == HEAD_CUT)
		return;
	t = bbv_set_thread(set, item->thread);
	if (t->in_head)
		bbv_head_copy(t, later, item);
	else
		bbv_head_count(t, set->reader, later, item);
}

/* Adds heads and ids in the order of time. Returns the ids by those of the later piece. */
static uint32_t *take_heads(struct bbv_set *set, struct bbv *bbv, const struct bbv *later)
{
	uint32_t *ids = checked_array((size_t)bbv_count(later) + 1, sizeof(*ids)), n_taken = 0;

	for (size_t i = 0; i < later->head.count; i++) {
		take_ids(bbv, later, later->head.at[i].n_ids, ids, &n_taken);
		take_item(set, later, &later->head.at[i]);
	}
	take_ids(bbv, later, bbv_count(later), ids, &n_taken);
	return ids;
}

static bool merge_process(struct bbv_set *set, const struct bbv_set *later, uint32_t process,
			  uint32_t *thread)
{
	uint32_t *ids = take_heads(set, process_at(set, process), later->processes[process]);
	bool joined = true;

	for (uint32_t i = 0; i < later->n_threads && joined; i++)
		if (later->threads[i] && !later->threads[i]->in_head &&
		    later->process_of[i] == process) {
			*thread = i;
			joined = bbv_join(bbv_set_thread(set, i), later->threads[i], ids);
		}
	free(ids);
	return joined;
}

bool bbv_set_merge(struct bbv_set *set, const struct bbv_set *later, uint32_t *thread)
{
	for (uint32_t i = 0; i < later->n_processes; i++)
		if (later->processes[i] && !merge_process(set, later, i, thread))
			return false;
	return true;
}

/* Computes the intervals of a thread of which only instructions are counted. */
static void count_intervals(struct bbv_thread *t)
{
	uint64_t instructions = t->totals.instructions;

	t->length = bbv_length_behind(t, instructions);
	t->totals.intervals = (instructions - t->length) / t->interval;
}

bool bbv_set_complete(struct bbv_set *set, uint32_t *thread)
{
	struct bbv_set whole = *set;
	bool fits;

	whole.is_whole = true;
	bbv_set_begin(&whole);
	fits = bbv_set_merge(&whole, set, thread);
	bbv_set_free(set);
	*set = whole;
	for (uint32_t i = 0; i < set->n_threads && set->counts_only; i++)
		if (set->threads[i] && set->interval != BBV_NO_INTERVAL)
			count_intervals(set->threads[i]);
	return fits;
}
