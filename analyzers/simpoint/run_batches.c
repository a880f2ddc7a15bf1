/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/run_batches.h"

#include "cli/common/checked.h"

/* The pairs of a batch's rows, one row after the other. */
struct pairs {
	ARRAY(uint32_t) ids;
	ARRAY(double) values;
};

static void keep(struct pairs *pairs, const struct run_interval *interval, struct run_batch *batch)
{
	const struct bb_row *row = &interval->row;
	size_t at = pairs->ids.count;

	CHECKED_RESERVE(pairs->ids, at + row->n);
	CHECKED_RESERVE(pairs->values, at + row->n);
	if (row->n) { /* an interval without blocks may have no arrays */
		memcpy(pairs->ids.at + at, row->ids, row->n * sizeof(*row->ids));
		memcpy(pairs->values.at + at, row->values, row->n * sizeof(*row->values));
	}
	pairs->ids.count += row->n;
	batch->ends[batch->n] = interval->end;
	batch->rows[batch->n++] = (struct bb_row){ NULL, NULL, row->n, row->sum };
}

/* The pairs do not move any more. */
static void point_to(const struct pairs *pairs, struct run_batch *batch)
{
	size_t at = 0;

	for (size_t i = 0; i < batch->n; i++) {
		batch->rows[i].ids = pairs->ids.at + at;
		batch->rows[i].values = pairs->values.at + at;
		at += batch->rows[i].n;
	}
}

/* ---- the cache ---------------------------------------------------------------------------- */

static void free_batch(struct run_batch *batch)
{
	free((void *)batch->rows[0].ids);
	free((void *)batch->rows[0].values);
	free(batch);
}

void run_cache_free(struct run_cache *cache)
{
	for (size_t i = 0; i < cache->batches.count; i++)
		free_batch(cache->batches.at[i]);
	free(cache->batches.at);
	*cache = (struct run_cache){ .too_much = cache->too_much };
}

/* Keeps a copy of a batch, unless that is too much. */
static void keep_batch(struct run_cache *cache, const struct run_batch *batch,
		       const struct pairs *pairs)
{
	struct pairs copy = { 0 };
	struct run_batch *kept;

	cache->n_pairs += pairs->ids.count;
	if (cache->n_pairs > MOST_CACHED_PAIRS) {
		cache->too_much = true;
		run_cache_free(cache);
	}
	if (cache->too_much)
		return;
	kept = checked_array(1, sizeof(*kept));
	*kept = *batch;
	copy.ids.at = checked_array(pairs->ids.count, sizeof(*copy.ids.at));
	copy.values.at = checked_array(pairs->ids.count, sizeof(*copy.values.at));
	if (pairs->ids.count) {
		memcpy(copy.ids.at, pairs->ids.at, pairs->ids.count * sizeof(*copy.ids.at));
		memcpy(copy.values.at, pairs->values.at,
		       pairs->ids.count * sizeof(*copy.values.at));
	}
	point_to(&copy, kept);
	CHECKED_RESERVE(cache->batches, cache->batches.count + 1);
	cache->batches.at[cache->batches.count++] = kept;
}

/* ------------------------------------------------------------------------------------------- */

static bool read_batches(struct vector_run *run, struct run_cache *cache,
			 void (*use)(void *opaque, const struct run_batch *batch), void *opaque)
{
	struct run_batch *batch = checked_array(1, sizeof(*batch));
	struct run_interval interval;
	struct pairs pairs = { 0 };
	int status = vector_run_rewind(run) ? 1 : -1;

	while (status > 0) {
		while (batch->n < BATCH_ROWS && (status = vector_run_next(run, &interval)) > 0)
			keep(&pairs, &interval, batch);
		if (status < 0)
			break;
		point_to(&pairs, batch);
		if (batch->n) {
			use(opaque, batch);
			keep_batch(cache, batch, &pairs);
		}
		batch->first += batch->n;
		batch->n = 0;
		pairs.ids.count = 0;
	}
	free(pairs.ids.at);
	free(pairs.values.at);
	free(batch);
	return status == 0;
}

bool run_each_batch(struct vector_run *run, struct run_cache *cache,
		    void (*use)(void *opaque, const struct run_batch *batch), void *opaque)
{
	if (!cache->is_whole) {
		bool done = read_batches(run, cache, use, opaque);

		cache->is_whole = done && !cache->too_much;
		return done;
	}
	for (size_t i = 0; i < cache->batches.count; i++)
		use(opaque, cache->batches.at[i]);
	return true;
}
