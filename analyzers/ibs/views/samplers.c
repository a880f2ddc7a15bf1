/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/samplers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

void ibs_samplers_init(struct ibs_samplers *s, struct tf_reader *reader)
{
	*s = (struct ibs_samplers){ 0 };
	s->n_threads = tf_n_threads(reader);
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
		s->threads[kind] = checked_array((size_t)s->n_threads + 1,
						 sizeof(*s->threads[kind]));
}

void ibs_samplers_free(struct ibs_samplers *s)
{
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
		free(s->threads[kind]);
}

static struct ibs_regularity *sampler_of(struct ibs_samplers *s, enum ibs_kind kind,
					 uint32_t thread)
{
	return &s->threads[kind][thread < s->n_threads ? thread : s->n_threads];
}

void ibs_samplers_add(struct ibs_samplers *s, const struct ibs_sample *sample)
{
	ibs_regularity_add(sampler_of(s, sample->packet->kind, sample->thread), sample->pc,
			   sample->packet->interval);
}

void ibs_samplers_refer(struct ibs_samplers *s, enum ibs_kind kind, uint32_t thread, uint64_t pc)
{
	ibs_repeats_add(&sampler_of(s, kind, thread)->reference, pc);
}

/* ---- the result -------------------------------------------------------------------------- */

static int by_samples(const void *a, const void *b)
{
	const struct ibs_regularity *const *x = a, *const *y = b;
	uint64_t n = (*x)->samples.samples, m = (*y)->samples.samples;

	return n != m ? (n < m) - (n > m) : (*x > *y) - (*x < *y);
}

/*
 * Returns the samplers that have samples, by their samples, descending. The caller frees the array.
 */
static const struct ibs_regularity **sorted(const struct ibs_samplers *s, enum ibs_kind kind,
					    size_t *count)
{
	const struct ibs_regularity **all = checked_array((size_t)s->n_threads + 1, sizeof(*all));

	*count = 0;
	for (uint32_t i = 0; i <= s->n_threads; i++)
		if (s->threads[kind][i].samples.samples)
			all[(*count)++] = &s->threads[kind][i];
	qsort(all, *count, sizeof(*all), by_samples);
	return all;
}

/* Returns the thread of a sampler, or TF_NONE if it is not known. */
static uint32_t thread_of(const struct ibs_samplers *s, enum ibs_kind kind,
			  const struct ibs_regularity *sampler)
{
	ptrdiff_t index = sampler - s->threads[kind];

	return index < s->n_threads ? (uint32_t)index : TF_NONE;
}

static struct report_cell number_cell(double value)
{
	return (struct report_cell){ .known = isfinite(value), .f64 = value };
}

static void report_sampler(const struct ibs_regularity *r, uint32_t thread,
			   const struct ibs_locking *locking, struct report *report)
{
	report_row_of_cells(report,
			    (struct report_cell[]){
				    { .known = thread != TF_NONE, .u64 = thread },
				    { .known = true, .u64 = r->samples.samples },
				    number_cell(ibs_regularity_effective(r)),
				    number_cell(100 * locking->share),
				    { .known = locking->lag, .u64 = locking->lag },
				    number_cell(100 * locking->expected),
				    { .known = true, .string = locking->locked ? "yes" : "no" },
			    });
}

/* Warns of n_locked samplers, the first of which belongs to a thread; TF_NONE: not known. */
static void warn(const struct ibs_locking *first, uint32_t thread, size_t n_locked)
{
	char one[32] = "an unknown thread", others[64] = "";

	if (thread != TF_NONE)
		snprintf(one, sizeof(one), "thread %" PRIu32, thread);
	if (n_locked > 1)
		snprintf(others, sizeof(others), ", and of %zu other thread%s", n_locked - 1,
			 n_locked > 2 ? "s" : "");
	command_warning("the period is locked to a loop: %.0f %% of the samples of %s%s are "
			"of the same instruction as the sample %u before; choose another "
			"period, or a random one",
			100 * first->share, one, others, first->lag);
}

void ibs_samplers_report(const struct ibs_samplers *s, enum ibs_kind kind, uint64_t top,
			 struct report *report)
{
	static const struct report_column columns[] = {
		{ "thread", REPORT_ID, "" },
		{ "samples", REPORT_U64, "" },
		{ "effective_samples", REPORT_F64, "" },
		{ "repeats", REPORT_F64, "%" },
		{ "lag", REPORT_U64, "samples" },
		{ "expected_repeats", REPORT_F64, "%" },
		{ "locked", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	size_t count, n_locked = 0;
	const struct ibs_regularity **all = sorted(s, kind, &count);
	struct ibs_locking first = { 0 };
	uint32_t first_thread = 0;

	if (count)
		report_table(report, kind == IBS_KIND_OP ? "samplers" : "fetch_samplers", columns);
	for (size_t i = 0; i < count; i++) {
		struct ibs_locking locking = ibs_regularity_locking(all[i]);
		uint32_t thread = thread_of(s, kind, all[i]);

		if (i < top)
			report_sampler(all[i], thread, &locking, report);
		if (locking.locked && !n_locked++) {
			first = locking;
			first_thread = thread;
		}
	}
	if (n_locked)
		warn(&first, first_thread, n_locked);
	free(all);
}
