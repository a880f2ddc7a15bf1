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
	memcpy(pairs->ids.at + at, row->ids, row->n * sizeof(*row->ids));
	memcpy(pairs->values.at + at, row->values, row->n * sizeof(*row->values));
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

bool run_each_batch(struct vector_run *run,
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
		if (batch->n)
			use(opaque, batch);
		batch->first += batch->n;
		batch->n = 0;
		pairs.ids.count = 0;
	}
	free(pairs.ids.at);
	free(pairs.values.at);
	free(batch);
	return status == 0;
}
