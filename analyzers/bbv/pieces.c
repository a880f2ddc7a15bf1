/* SPDX-License-Identifier: MIT */
/* Intervals of pieces: stored, joined, and written. */
#include "analyzers/bbv/internal.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

void bbv_piece_begin(struct bbv_thread *t, uint32_t number, bool counts_only,
		     const struct bbv_lengths *lengths)
{
	t->is_piece = true;
	t->counts_only = counts_only;
	t->in_head = true;
	t->number = number;
	t->lengths = lengths;
}

uint64_t bbv_length_behind(const struct bbv_thread *t, uint64_t instructions)
{
	if (t->interval == BBV_NO_INTERVAL)
		return 1; /* it only matters that it is not 0 */
	if (t->bbv->setup.rules != BBV_EXP_BBV)
		return instructions % t->interval;
	return instructions ? (instructions - 1) % t->interval + 1 : 0;
}

/* ---- storing ------------------------------------------------------------------------------ */

void bbv_begin_kept(struct bbv_thread *t, uint64_t accesses)
{
	CHECKED_RESERVE(t->kept, t->kept.count + 1);
	t->kept.at[t->kept.count++] = (struct kept_interval){ accesses, t->kept_counts.size, 0 };
}

void bbv_keep_count(struct bbv_thread *t, uint32_t id, uint64_t n)
{
	put_varint(&t->kept_counts, id);
	put_varint(&t->kept_counts, n);
	if (t->kept_counts.failed)
		out_of_memory();
	t->kept.at[t->kept.count - 1].n++;
}

void bbv_keep_interval(struct bbv_thread *t)
{
	if (t->counts_only)
		return;
	bbv_begin_kept(t, t->accesses);
	for (uint32_t i = 0; i < t->touched.count; i++)
		bbv_keep_count(t, t->touched.at[i], t->counts.at[t->touched.at[i]]);
}

struct span bbv_kept_counts(const struct bbv_thread *t, size_t interval)
{
	size_t first = t->kept.at[interval].first;
	size_t end = interval + 1 < t->kept.count ? t->kept.at[interval + 1].first
						  : t->kept_counts.size;

	return span_of(t->kept_counts.data + first, end - first);
}

bool bbv_add_some(struct bbv_thread *t, uint32_t id, uint64_t n)
{
	if (id < t->counts.count && t->counts.at[id] + n < n)
		return false;
	bbv_add(t, id, n);
	return true;
}

/* Writes the lines of the intervals in place of the one under way. */
void bbv_write_kept(struct bbv_thread *t)
{
	struct bbv_thread line = {
		.bbv = t->bbv, .out = t->out, .interval = t->interval, .totals = t->totals
	};

	for (size_t i = 0; i < t->kept.count; i++) {
		struct span counts = bbv_kept_counts(t, i);

		while (span_left(&counts)) {
			uint32_t id = (uint32_t)take_varint(&counts);

			bbv_add(&line, id, take_varint(&counts));
		}
		line.accesses = t->kept.at[i].accesses;
		bbv_end_interval(&line);
	}
	t->totals.longest = line.totals.longest;
	free(line.counts.at);
	free(line.touched.at);
	free(t->kept.at);
	memset(&t->kept, 0, sizeof(t->kept));
	buffer_free(&t->kept_counts);
	t->is_piece = false;
}

/* ---- joining ------------------------------------------------------------------------------ */

/* Returns true if the intervals of the later piece end where they must. */
static bool fits(const struct bbv_thread *t, const struct bbv_thread *later)
{
	if (!bbv_is_fresh(t))
		return false;
	if (t->counts_only || t->interval == BBV_NO_INTERVAL || t->length == later->assumed)
		return true;
	return !later->totals.intervals && t->length + (later->length - later->assumed) < t->limit;
}

/* Adds one of the later piece's intervals to the one under way. */
static bool join_interval(struct bbv_thread *t, const struct bbv_thread *later, size_t interval,
			  const uint32_t *ids)
{
	struct span counts = bbv_kept_counts(later, interval);

	while (span_left(&counts)) {
		uint32_t id = ids[take_varint(&counts)];

		if (!bbv_add_some(t, id, take_varint(&counts)))
			return false;
	}
	t->accesses += later->kept.at[interval].accesses;
	return true;
}

/* Adds the later piece's interval under way. */
static bool join_rest(struct bbv_thread *t, const struct bbv_thread *later, const uint32_t *ids)
{
	for (uint32_t i = 0; i < later->touched.count; i++) {
		uint32_t id = later->touched.at[i];

		if (!bbv_add_some(t, ids[id], later->counts.at[id]))
			return false;
	}
	for (uint32_t i = 0; i < later->n_touched_exits; i++) {
		uint32_t exit = later->touched_exits[i];
		const struct effect *effect = &later->bbv->effects[exit];
		const struct share *shares = later->bbv->shares.at + effect->first_share;

		for (unsigned k = 0; k < effect->n_shares; k++)
			if (!bbv_add_some(t, ids[shares[k].id],
					  shares[k].count * later->exit_counts[exit]))
				return false;
	}
	t->accesses += later->accesses;
	return true;
}

static void join_ends(struct bbv_thread *t, const struct bbv_thread *later)
{
	CHECKED_RESERVE(t->ends, t->ends.count + later->ends.count);
	for (size_t i = 0; i < later->ends.count; i++) {
		struct bbv_length end = later->ends.at[i];

		end.instructions += t->totals.instructions;
		t->ends.at[t->ends.count++] = end;
	}
}

static void add_totals(struct bbv_totals *totals, const struct bbv_totals *more)
{
	totals->instructions += more->instructions;
	totals->reps += more->reps;
	totals->repetitions += more->repetitions;
	totals->fldcw += more->fldcw;
}

/* Takes over what the end of the later piece leaves for the next execution. */
static void take_end(struct bbv_thread *t, const struct bbv_thread *later, const uint32_t *ids)
{
	t->current = later->current ? ids[later->current] : 0;
	t->has = later->has;
	t->may_have = later->may_have;
	t->next_pc = later->next_pc;
	t->rest = later->rest;
	t->rest_index = later->rest_index;
	t->rep = later->rep;
	t->last_rep = later->last_rep;
	t->restored = later->restored;
	t->marks.count = t->next_mark = 0;
	CHECKED_RESERVE(t->marks, later->marks.count);
	for (size_t i = later->next_mark; i < later->marks.count; i++)
		t->marks.at[t->marks.count++] = later->marks.at[i];
}

bool bbv_join(struct bbv_thread *t, const struct bbv_thread *later, const uint32_t *ids)
{
	if (later->in_head)
		return true;
	if (t->in_head) {
		t->in_head = false;
		t->length = t->assumed = later->assumed;
	} else if (!fits(t, later)) {
		return false;
	}
	join_ends(t, later);
	add_totals(&t->totals, &later->totals);
	for (size_t i = 0; i < later->kept.count; i++) {
		if (!join_interval(t, later, i, ids))
			return false;
		bbv_end_interval(t);
	}
	if (t->counts_only)
		t->totals.intervals += later->totals.intervals;
	t->length = later->totals.intervals ? later->length
					    : t->length + (later->length - later->assumed);
	take_end(t, later, ids);
	return join_rest(t, later, ids);
}
