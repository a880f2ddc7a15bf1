/* SPDX-License-Identifier: MIT */
/* The blocks of a process, its threads, intervals, and the lines that are written. */
#include "analyzers/bbv/bbv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/bbv/internal.h"
#include "cli/common/checked.h"

/* ---- the blocks of a process ------------------------------------------------------------- */

struct bbv *bbv_new(const struct bbv_setup *setup)
{
	struct bbv *bbv = checked(calloc(1, sizeof(*bbv)));

	bbv->setup = *setup;
	bbv->code = checked(calloc((size_t)setup->n_code + 1, sizeof(*bbv->code)));
	bbv->effects = checked(calloc((size_t)setup->n_exits + 1, sizeof(*bbv->effects)));
	bbv->ids.by_offset = setup->by_offset;
	return bbv;
}

void bbv_free(struct bbv *bbv)
{
	if (!bbv)
		return;
	for (uint32_t i = 0; i < bbv->setup.n_code; i++)
		free(bbv->code[i].specials.at);
	free(bbv->code);
	free(bbv->effects);
	free(bbv->shares.at);
	free(bbv->reps.at);
	free(bbv->head.at);
	free(bbv->extras.at);
	bbv_ids_free(&bbv->ids);
	free(bbv);
}

uint32_t bbv_count(const struct bbv *bbv)
{
	return (uint32_t)bbv->ids.places.count;
}

const struct bbv_start *bbv_start(const struct bbv *bbv, uint32_t id)
{
	return &bbv->ids.places.at[id - 1].start;
}

const uint32_t *bbv_sorted(struct bbv *bbv)
{
	bbv_ids_sort(&bbv->ids);
	return bbv->ids.sorted.at;
}

/* ---- threads ----------------------------------------------------------------------------- */

struct bbv_thread *bbv_thread_new(struct bbv *bbv, uint64_t interval)
{
	struct bbv_thread *t = checked(calloc(1, sizeof(*t)));

	t->bbv = bbv;
	t->interval = t->limit = interval;
	if (bbv->setup.rules == BBV_EXP_BBV && interval != BBV_NO_INTERVAL)
		t->limit++;
	return t;
}

static void free_counts(struct bbv_thread *t)
{
	free(t->counts.at);
	free(t->touched.at);
	free(t->exit_counts);
	free(t->touched_exits);
	free(t->marks.at);
}

void bbv_thread_free(struct bbv_thread *thread)
{
	if (!thread)
		return;
	free_counts(thread);
	free(thread->kept.at);
	buffer_free(&thread->kept_counts);
	free(thread->ends.at);
	free(thread);
}

void bbv_thread_output(struct bbv_thread *thread, FILE *out)
{
	thread->out = out;
}

struct bbv_totals bbv_totals(const struct bbv_thread *thread)
{
	return thread->totals;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Appends ":number"; returns the end. */
static char *put_number(char *at, uint64_t number)
{
	char digits[20];
	unsigned n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	*at++ = ':';
	while (n)
		*at++ = digits[--n];
	return at;
}

static int compare_ranks(const void *a, const void *b, void *opaque)
{
	const uint32_t *ranks = opaque;
	uint32_t x = ranks[*(const uint32_t *)a - 1], y = ranks[*(const uint32_t *)b - 1];

	return x < y ? -1 : x > y;
}

/* Puts the touched ids in the order of their places. */
static void sort_touched(struct bbv_thread *t)
{
	struct bbv_ids *ids = &t->bbv->ids;
	uint32_t n = 0;

	bbv_ids_sort(ids);
	if (t->touched.count < ids->places.count / 16) {
		qsort_r(t->touched.at, t->touched.count, sizeof(*t->touched.at), compare_ranks,
			ids->ranks.at);
		return;
	}
	for (uint32_t i = 0; i < ids->places.count; i++) {
		uint32_t id = ids->sorted.at[i];

		if (id < t->counts.count && t->counts.at[id])
			t->touched.at[n++] = id;
	}
}

static bool is_memory(const struct bbv_thread *t, uint32_t id)
{
	return bbv_start(t->bbv, id)->module == BBV_MEMORY;
}

/*
 * Returns the factor by which to multiply counts of memory, so that their sum is weight times that
 * of blocks.
 */
static double scale_of_memory(const struct bbv_thread *t)
{
	uint64_t instructions = 0;

	if (!t->accesses || t->bbv->setup.memory_weight == 0)
		return 1;
	for (uint32_t i = 0; i < t->touched.count; i++)
		if (!is_memory(t, t->touched.at[i]))
			instructions += t->counts.at[t->touched.at[i]];
	return t->bbv->setup.memory_weight * (double)instructions / (double)t->accesses;
}

/* Writes a part of a line. Returns its size. */
static uint64_t write_part(struct bbv_thread *t, const char *text, const char *end)
{
	fwrite(text, 1, (size_t)(end - text), t->out);
	return (uint64_t)(end - text);
}

static void write_line(struct bbv_thread *t)
{
	char text[4096], *at = text;
	uint64_t size = 0;

	sort_touched(t);
	double scale = scale_of_memory(t);

	*at++ = 'T';
	for (uint32_t i = 0; i < t->touched.count; i++) {
		uint32_t id = t->touched.at[i];
		uint64_t count = t->counts.at[id];

		if (is_memory(t, id))
			count = (uint64_t)((double)count * scale + 0.5);
		if (!count)
			continue;
		if (at > text + sizeof(text) - 64) {
			size += write_part(t, text, at);
			at = text;
		}
		at = put_number(at, id);
		at = put_number(at, count);
		at = mempcpy(at, "   ", 3);
	}
	*at++ = '\n';
	size += write_part(t, text, at);
	if (size > t->totals.longest)
		t->totals.longest = size;
}

/* ---- intervals --------------------------------------------------------------------------- */

static void make_room(struct bbv_thread *t, uint32_t id)
{
	CHECKED_RESERVE(t->counts, id + 1);
	CHECKED_RESERVE(t->touched, id + 1);
	t->counts.count = id + 1;
}

void bbv_add(struct bbv_thread *t, uint32_t id, uint64_t n)
{
	if (id >= t->counts.count)
		make_room(t, id);
	if (t->counts.at[id] == 0)
		t->touched.at[t->touched.count++] = id;
	t->counts.at[id] += n;
}

void bbv_expand_exits(struct bbv_thread *t)
{
	for (uint32_t i = 0; i < t->n_touched_exits; i++) {
		uint32_t exit = t->touched_exits[i];
		const struct effect *effect = &t->bbv->effects[exit];
		const struct share *shares = t->bbv->shares.at + effect->first_share;
		uint64_t n = t->exit_counts[exit];

		t->exit_counts[exit] = 0;
		for (unsigned k = 0; k < effect->n_shares; k++)
			bbv_add(t, shares[k].id, shares[k].count * n);
	}
	t->n_touched_exits = 0;
}

/* Forgets the counts of an interval. */
static void clear_counts(struct bbv_thread *t)
{
	for (uint32_t i = 0; i < t->touched.count; i++)
		t->counts.at[t->touched.at[i]] = 0;
	t->touched.count = 0;
	t->accesses = 0;
}

void bbv_end_interval(struct bbv_thread *t)
{
	bbv_expand_exits(t);
	t->totals.intervals++;
	if (t->is_piece)
		bbv_keep_interval(t);
	else if (t->out)
		write_line(t);
	clear_counts(t);
	t->length = t->length > t->interval ? t->length - t->interval : 0;
}

void bbv_access(struct bbv_thread *t, uint64_t part, uint64_t n)
{
	struct bbv_start start = { part, 0, BBV_MEMORY };

	if (t->in_head) {
		bbv_head_event(t, HEAD_ACCESSES, part, n);
		return;
	}
	bbv_add(t, bbv_id(&t->bbv->ids, start), n);
	t->accesses += n;
}

void bbv_end(struct bbv_thread *t, bool keep_last)
{
	if (keep_last && t->length)
		bbv_end_interval(t);
	free_counts(t);
	t->exit_counts = NULL;
	t->touched_exits = NULL;
	t->counts = (typeof(t->counts)){ 0 };
	t->touched = (typeof(t->touched)){ 0 };
	t->marks = (typeof(t->marks)){ 0 };
	t->n_touched_exits = 0;
	t->next_mark = 0;
	t->length = t->accesses = 0;
}

void bbv_summary(const struct bbv_thread *t, unsigned number, const char *prefix, FILE *out)
{
	const struct bbv_totals *totals = &t->totals;
	bool quirk = t->bbv->setup.rules == BBV_EXP_BBV && t->interval != BBV_NO_INTERVAL;

	fprintf(out, "%s\n%s\n%s# Thread %u\n", prefix, prefix, prefix, number);
	fprintf(out, "%s#   Total intervals: %" PRIu64, prefix,
		quirk ? totals->instructions / t->interval : totals->intervals);
	if (t->interval != BBV_NO_INTERVAL)
		fprintf(out, " (Interval Size %" PRIu64 ")", t->interval);
	fprintf(out, "\n%s#   Total instructions: %" PRIu64 "\n", prefix, totals->instructions);
	if (t->counted)
		fprintf(out, "%s#   Total reps: not recorded\n", prefix);
	else
		fprintf(out, "%s#   Total reps: %" PRIu64 "\n", prefix, totals->repetitions);
	fprintf(out, "%s#   Unique reps: %" PRIu64 "\n", prefix, totals->reps);
	fprintf(out, "%s#   Total fldcw instructions: %" PRIu64 "\n%s\n", prefix, totals->fldcw,
		prefix);
}
