/* SPDX-License-Identifier: MIT */
/* A selection from the recorded vectors of a run, which are read several times and never kept. */
#include <math.h>
#include <string.h>

#include "analyzers/common/parallel.h"
#include "analyzers/simpoint/row_distance.h"
#include "analyzers/simpoint/run_batches.h"
#include "analyzers/simpoint/sign_projection.h"
#include "analyzers/simpoint/simpoints.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"

enum { DIM = 100, DIM_OF_THREADS = 256 };

static size_t n_parts(const struct run_batch *batch)
{
	return (batch->n + BATCH_PART - 1) / BATCH_PART;
}

/* ---- points ------------------------------------------------------------------------------- */

/* The projection of a batch. */
struct projecting {
	struct simpoints *s;
	const struct run_batch *batch;
	ARRAY(double) sums;  /* of instructions, by dimension */
	double instructions; /* of all */
};

static void project_part(void *opaque, size_t part)
{
	const struct projecting *p = opaque;
	const struct simpoints *s = p->s;
	ARRAY(uint64_t) identities = { 0 };

	for (size_t i = part * BATCH_PART; i < p->batch->n && i < (part + 1) * BATCH_PART; i++) {
		const struct bb_row *row = &p->batch->rows[i];

		CHECKED_RESERVE(identities, row->n);
		for (uint32_t k = 0; k < row->n; k++)
			identities.at[k] = vector_run_identity(s->run, row->ids[k]);
		sign_project(identities.at, row->values, row->n, row->sum, s->many.points.dim,
			     float_point(&s->many.points, p->batch->first + i));
	}
	free(identities.at);
}

static void add_to_sums(struct projecting *p, const struct bb_row *row)
{
	for (uint32_t k = 0; k < row->n; k++)
		p->sums.at[row->ids[k] - 1] += row->values[k];
	p->instructions += row->sum;
}

static void project_batch(void *opaque, const struct run_batch *batch)
{
	struct projecting *p = opaque;
	struct simpoints *s = p->s;

	p->batch = batch;
	float_points_add(&s->many.points, batch->n);
	CHECKED_RESERVE(p->sums, vector_run_dimensions(s->run));
	CHECKED_RESERVE(s->rows, s->rows.n + batch->n);
	for (size_t i = 0; i < batch->n; i++) {
		s->rows.at[s->rows.n++] = (struct bb_row){ .sum = batch->rows[i].sum };
		intervals_append(&s->intervals, batch->ends[i]);
		add_to_sums(p, &batch->rows[i]);
	}
	parallel_for(s->o.jobs, n_parts(batch), project_part, p);
}

static void weigh(struct simpoints *s, double instructions)
{
	bool equally = s->o.fixed_length_given && s->o.fixed_length;

	s->points = (struct points){ .n = s->rows.n, .dim = s->many.points.dim };
	s->points.weights = checked_array(s->rows.n, sizeof(*s->points.weights));
	for (size_t i = 0; i < s->rows.n; i++)
		s->points.weights[i] = equally ? 1 / (double)s->rows.n
					       : s->rows.at[i].sum / instructions;
	if (s->rows.n)
		memcpy(s->many.points.weights, s->points.weights,
		       s->rows.n * sizeof(*s->many.points.weights));
}

static unsigned choose_dim(const struct simpoints *s)
{
	bool side_by_side = s->all_threads && s->o.thread_vectors != THREADS_SUM;

	return s->o.dim_given ? (unsigned)s->o.dim : side_by_side ? DIM_OF_THREADS : DIM;
}

bool simpoints_read_run(struct simpoints *s, uint64_t each)
{
	struct vector_run_options options = {
		.each = each,
		.thread = s->all_threads ? TF_NONE : (uint32_t)s->o.thread,
		.threads = s->o.thread_vectors,
		.jobs = (unsigned)s->o.jobs,
	};
	struct projecting projecting = { .s = s };
	bool done;

	s->run = vector_run_open(s->reader, &options);
	if (!s->run)
		return false;
	float_points_begin(&s->many.points, choose_dim(s));
	done = run_each_batch(s->run, &s->cache, project_batch, &projecting);
	s->rows.n_dims = s->rows.n_numbers = vector_run_dimensions(s->run);
	s->shares = projecting.sums.at;
	for (uint32_t d = 0; d < s->rows.n_dims && done; d++)
		s->shares[d] /= projecting.instructions;
	if (done)
		weigh(s, projecting.instructions);
	return done;
}

/* ---- vectors that are kept ---------------------------------------------------------------- */

/* Intervals whose vectors are kept, and the distances of all from the whole program. */
struct keeping {
	struct simpoints *s;
	const bool *wanted; /* by interval */
	const struct run_batch *batch;
	double *distances; /* by interval; NULL: not wanted */
};

static void spread_part(void *opaque, size_t part)
{
	const struct keeping *k = opaque;

	for (size_t i = part * BATCH_PART; i < k->batch->n && i < (part + 1) * BATCH_PART; i++)
		k->distances[k->batch->first + i] = row_distance(k->s->shares, &k->batch->rows[i]);
}

static void keep_batch(void *opaque, const struct run_batch *batch)
{
	struct keeping *k = opaque;

	k->batch = batch;
	for (size_t i = 0; i < batch->n; i++)
		if (k->wanted[batch->first + i])
			bb_set_row(&k->s->rows, batch->first + i, &batch->rows[i]);
	if (k->distances)
		parallel_for(k->s->o.jobs, n_parts(batch), spread_part, k);
}

/* Returns which intervals are wanted: none yet. */
static bool *new_wanted(const struct simpoints *s)
{
	return checked_array(s->rows.n + 1, sizeof(bool));
}

/* The interval of a point of the sample. */
static size_t sampled_interval(const struct simpoints *s, size_t i)
{
	return s->many.first[s->many.places[i]];
}

/* Reads again. Of a run that the cache does not hold, only rows that are wanted have pairs. */
static bool read_wanted(struct keeping *k)
{
	struct simpoints *s = k->s;
	bool done;

	vector_run_want(s->run, k->wanted);
	done = run_each_batch(s->run, &s->cache, keep_batch, k);
	vector_run_want(s->run, NULL);
	return done;
}

/*
 * Returns the weighted mean over all intervals, or over the sample if the cache does not hold
 * all.
 */
static double mean_of_intervals(const struct simpoints *s, const double *values)
{
	const struct float_points *sample = &s->many.sample.points;
	double sum = 0;

	if (!s->cache.too_much)
		for (size_t i = 0; i < s->rows.n; i++)
			sum += s->points.weights[i] * values[i];
	else
		for (size_t i = 0; i < sample->n; i++)
			sum += sample->weights[i] * values[sampled_interval(s, i)];
	return sum;
}

bool simpoints_run_spread(struct simpoints *s)
{
	bool *wanted = new_wanted(s);
	double *distances = checked_array(s->rows.n, sizeof(*distances));
	struct keeping keeping = { .s = s, .wanted = wanted, .distances = distances };
	bool done;

	for (size_t i = 0; i < s->many.sample.points.n; i++)
		wanted[sampled_interval(s, i)] = true;
	done = read_wanted(&keeping);
	s->spread = mean_of_intervals(s, distances);
	free(wanted);
	free(distances);
	return done;
}

/* ---- the selected points ------------------------------------------------------------------ */

static bool keep_selected(struct simpoints *s)
{
	bool *wanted = new_wanted(s), missing = false, done;
	struct keeping keeping = { .s = s, .wanted = wanted };

	for (unsigned i = 0; i < s->selection.n; i++) {
		size_t interval = s->selection.at[i].interval;

		wanted[interval] = !s->rows.at[interval].n;
		missing |= wanted[interval];
	}
	done = !missing || read_wanted(&keeping);
	free(wanted);
	return done;
}

static void name_dimensions(struct simpoints *s)
{
	bool *named = checked_array(s->rows.n_dims + 1ul, sizeof(*named));

	for (unsigned i = 0; i < s->selection.n; i++) {
		const struct bb_row *row = &s->rows.at[s->selection.at[i].interval];

		for (uint32_t k = 0; k < row->n; k++)
			named[row->ids[k]] = true;
	}
	for (uint32_t id = 1; id <= s->rows.n_dims; id++) {
		bool is_function;
		char *name, *shown;

		if (!named[id])
			continue;
		name = vector_run_name(s->run, id, &is_function);
		shown = escape_text(name);
		free(name);
		pc_names_add(&s->names, id, is_function ? NULL : shown, is_function ? shown : NULL);
		free(shown);
	}
	free(named);
}

struct measuring {
	const struct simpoints *s;
	const struct run_batch *batch;
	double *distances; /* by interval */
};

static void measure_part(void *opaque, size_t part)
{
	const struct measuring *m = opaque;
	double *shares = checked_array(m->s->rows.n_numbers, sizeof(*shares));

	for (size_t i = part * BATCH_PART; i < m->batch->n && i < (part + 1) * BATCH_PART; i++)
		m->distances[m->batch->first + i] = selection_distance(&m->s->selection,
								       &m->s->rows,
								       m->batch->first + i,
								       &m->batch->rows[i], shares);
	free(shares);
}

static void measure_batch(void *opaque, const struct run_batch *batch)
{
	struct measuring *m = opaque;

	m->batch = batch;
	parallel_for(m->s->o.jobs, n_parts(batch), measure_part, m);
}

/* Measures intervals of the sample, whose vectors are kept. */
static void measure_sampled(void *opaque, size_t part)
{
	const struct measuring *m = opaque;
	const struct simpoints *s = m->s;
	size_t n = s->many.sample.points.n;
	double *shares = checked_array(s->rows.n_numbers, sizeof(*shares));

	for (size_t i = part * BATCH_PART; i < n && i < (part + 1) * BATCH_PART; i++) {
		size_t interval = sampled_interval(s, i);

		m->distances[interval] = selection_distance(&s->selection, &s->rows, interval,
							    &s->rows.at[interval], shares);
	}
	free(shares);
}

static bool measure_distances(struct simpoints *s, double *distances)
{
	struct measuring measuring = { .s = s, .distances = distances };
	size_t n = s->many.sample.points.n;

	if (!s->cache.too_much)
		return run_each_batch(s->run, &s->cache, measure_batch, &measuring);
	parallel_for(s->o.jobs, (n + BATCH_PART - 1) / BATCH_PART, measure_sampled, &measuring);
	return true;
}

bool simpoints_run_quality(struct simpoints *s)
{
	double *distances = checked_array(s->rows.n, sizeof(*distances));
	bool done = keep_selected(s);

	if (done)
		name_dimensions(s);
	done = done && measure_distances(s, distances);
	s->quality = select_quality(&s->rows, s->shares, &s->selection);
	s->quality.distance = mean_of_intervals(s, distances);
	free(distances);
	return done;
}
