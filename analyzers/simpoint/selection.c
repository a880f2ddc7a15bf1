/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/selection.h"

#include <math.h>
#include <string.h>

#include "analyzers/common/parallel.h"
#include "analyzers/simpoint/row_distance.h"
#include "analyzers/simpoint/splitmix.h"
#include "cli/common/checked.h"

void selection_free(struct selection *s)
{
	free(s->at);
	free(s->strata);
	free(s->labels);
	free(s->distances);
	*s = (struct selection){ 0 };
}

void select_distances(const struct points *p, const struct clustering *c, double *distances)
{
	for (size_t i = 0; i < p->n; i++)
		distances[i] = sqrt(squared_distance(point(p, i),
						     c->centres + (size_t)c->labels[i] * p->dim,
						     p->dim));
}

/* ---- members ------------------------------------------------------------------------------ */

/* The intervals cluster by cluster, ascending in each. */
struct lists {
	size_t *first; /* by cluster: of its intervals in at; n_clusters + 1 */
	size_t *at;
};

static struct lists list_members(const uint32_t *labels, size_t n, unsigned n_clusters)
{
	struct lists l = { checked_array(n_clusters + 2ul, sizeof(*l.first)),
			   checked_array(n, sizeof(*l.at)) };

	for (size_t i = 0; i < n; i++)
		l.first[labels[i] + 2ul]++;
	for (unsigned c = 2; c < n_clusters + 2; c++)
		l.first[c] += l.first[c - 1];
	for (size_t i = 0; i < n; i++)
		l.at[l.first[labels[i] + 1ul]++] = i;
	return l;
}

static void free_lists(struct lists *l)
{
	free(l->first);
	free(l->at);
}

/* ---- strata ------------------------------------------------------------------------------- */

/* Sums up the clusters; those without weight or intervals are no strata. */
static void sum_up(const struct members *m, const struct lists *l, bool as_simpoint,
		   struct selection *s)
{
	double total = 0;

	s->strata = checked_array(m->n_clusters, sizeof(*s->strata));
	for (unsigned c = 0; c < m->n_clusters; c++) {
		struct stratum sum = { .cluster = c, .intervals = l->first[c + 1] - l->first[c] };

		for (size_t k = l->first[c]; k < l->first[c + 1]; k++) {
			size_t i = l->at[k];

			sum.weight += m->weights[i];
			sum.radius += m->weights[i] * s->distances[i];
		}
		sum.radius = sum.weight > 0 ? sum.radius / sum.weight : 0;
		if (as_simpoint)
			sum.weight = m->cluster_weights[c];
		if (sum.weight > 0)
			total += sum.weight;
		if (sum.weight > 0 && sum.intervals)
			s->strata[s->n_strata++] = sum;
	}
	for (unsigned i = 0; i < s->n_strata; i++)
		s->strata[i].weight /= total;
}

/* A stratum's part of the points that are to be divided, and its remainder. */
struct quota {
	unsigned stratum;
	double remainder;
};

static int compare_quotas(const void *a, const void *b)
{
	const struct quota *x = a, *y = b;

	if (x->remainder != y->remainder)
		return x->remainder < y->remainder ? 1 : -1;
	return x->stratum < y->stratum ? -1 : x->stratum > y->stratum;
}

static uint64_t least_points(const struct stratum *s)
{
	return s->intervals < 2 ? s->intervals : 2;
}

/* Returns the sum of intervals * spread of the strata that can have more points. */
static double sum_shares(const struct stratum *strata, unsigned n, const double *spreads)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (strata[i].points < strata[i].intervals)
			sum += (double)strata[i].intervals * spreads[strata[i].cluster];
	return sum;
}

/* Divides `left` points in proportion; returns how many were more than strata have intervals. */
static uint64_t divide(struct stratum *strata, unsigned n, const double *spreads, uint64_t left)
{
	struct quota *quotas = checked_array(n, sizeof(*quotas));
	double sum = sum_shares(strata, n, spreads);
	uint64_t given = 0;
	unsigned n_quotas = 0;

	for (unsigned i = 0; i < n && sum > 0; i++) {
		struct stratum *s = &strata[i];
		size_t room = s->intervals - s->points;
		double share = (double)left * (double)s->intervals * spreads[s->cluster] / sum;
		double whole = floor(share);

		if (!room)
			continue;
		quotas[n_quotas++] = (struct quota){ i, share - whole };
		whole = fmin(whole, (double)room);
		s->points += (unsigned)whole;
		given += (uint64_t)whole;
	}
	qsort(quotas, n_quotas, sizeof(*quotas), compare_quotas);
	for (unsigned q = 0; q < n_quotas && given < left; q++)
		if (strata[quotas[q].stratum].points < strata[quotas[q].stratum].intervals &&
		    quotas[q].remainder > 0) {
			strata[quotas[q].stratum].points++;
			given++;
		}
	free(quotas);
	return given ? left - given : 0;
}

void select_allocate(struct stratum *strata, unsigned n, const double *spreads, uint64_t total)
{
	uint64_t given = 0;

	for (unsigned i = 0; i < n; i++) {
		strata[i].points = (unsigned)least_points(&strata[i]);
		given += strata[i].points;
	}
	for (uint64_t left = total > given ? total - given : 0; left;)
		left = divide(strata, n, spreads, left);
}

/* Decides how many points each stratum has. */
static void count_points(const struct members *m, const struct select_options *o,
			 struct selection *s)
{
	double *radii;

	for (unsigned i = 0; i < s->n_strata; i++) {
		size_t intervals = s->strata[i].intervals;

		s->strata[i].points = o->per_cluster < intervals ? o->per_cluster
								 : (unsigned)intervals;
	}
	if (!o->total || o->by == SELECT_SYSTEMATIC)
		return;
	radii = checked_array(m->n_clusters, sizeof(*radii));
	for (unsigned i = 0; i < s->n_strata; i++)
		radii[s->strata[i].cluster] = s->strata[i].radius;
	select_allocate(s->strata, s->n_strata, o->spreads ? o->spreads : radii, o->total);
	free(radii);
}

/* ---- points ------------------------------------------------------------------------------- */

struct candidate {
	double key; /* the least are selected */
	size_t interval;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->interval < y->interval ? -1 : x->interval > y->interval;
}

static int compare_intervals(const void *a, const void *b)
{
	size_t x = ((const struct candidate *)a)->interval;
	size_t y = ((const struct candidate *)b)->interval;

	return x < y ? -1 : x > y;
}

static double random_key(const struct select_options *o, size_t interval)
{
	return splitmix_unit(o->seed, interval);
}

double select_key(const struct selection *s, size_t interval)
{
	return s->by_chance ? splitmix_unit(s->seed, interval) : s->distances[interval];
}

/* Returns the mean distance of an interval's vector from those of some others. */
static double mean_distance(const struct bb_rows *rows, size_t interval,
			    const struct candidate *others, size_t n, double *shares)
{
	double sum = 0;

	row_add_shares(&rows->at[interval], 1, shares);
	for (size_t k = 0; k < n; k++)
		sum += row_distance(shares, &rows->at[others[k].interval]);
	row_clear_shares(&rows->at[interval], shares);
	return sum / (double)n;
}

/* Sets the keys of the candidates that are nearest to the center to their mean distances from some
 * of all; returns how many these are. */
static size_t rank_medoids(const struct members *m, const struct select_options *o,
			   struct candidate *candidates, size_t n)
{
	enum { NEAREST = 50, OTHERS = 200 };
	struct candidate *others = checked_array(n, sizeof(*others));
	double *shares = checked_array(m->rows->n_numbers, sizeof(*shares));
	size_t n_others = 0, n_near = 0;

	for (size_t k = 0; k < n; k++)
		if (m->rows->at[candidates[k].interval].n) {
			candidates[n_near++] = candidates[k];
			others[n_others++] = (struct candidate){
				random_key(o, candidates[k].interval), candidates[k].interval
			};
		}
	qsort(candidates, n_near, sizeof(*candidates), compare_candidates);
	qsort(others, n_others, sizeof(*others), compare_candidates);
	n_near = n_near < NEAREST ? n_near : NEAREST;
	n_others = n_others < OTHERS ? n_others : OTHERS;
	for (size_t k = 0; k < n_near; k++)
		candidates[k].key = mean_distance(m->rows, candidates[k].interval, others, n_others,
						  shares);
	free(others);
	free(shares);
	return n_near ? n_near : n;
}

/* Appends the points of a stratum, whose intervals are given. */
static void add_points(const struct members *m, const struct select_options *o,
		       struct candidate *candidates, size_t n, struct stratum *stratum,
		       struct selection *s)
{
	for (size_t k = 0; k < n; k++)
		candidates[k].key = select_key(s, candidates[k].interval);
	if (o->by == SELECT_MEDOID && m->rows)
		n = rank_medoids(m, o, candidates, n);
	if (stratum->points > n)
		stratum->points = (unsigned)n;
	qsort(candidates, n, sizeof(*candidates), compare_candidates);
	qsort(candidates, stratum->points, sizeof(*candidates), compare_intervals);
	for (unsigned k = 0; k < stratum->points; k++)
		s->at[s->n++] = (struct simpoint){
			.cluster = stratum->cluster,
			.interval = candidates[k].interval,
			.weight = stratum->weight / stratum->points,
			.distance = s->distances[candidates[k].interval],
			.radius = stratum->radius,
			.intervals = stratum->intervals,
			.stability = NAN,
		};
}

static void number_points(struct selection *s)
{
	bool several = s->n > s->n_strata;

	for (unsigned i = 0; i < s->n; i++)
		s->at[i].number = several ? i : s->at[i].cluster;
}

/* Divides the program into parts of equal weight, which become the labels; returns how many. */
static unsigned divide_program(const struct members *m, uint64_t parts, uint32_t *labels)
{
	double before = 0, all = 0;

	for (size_t i = 0; i < m->n; i++)
		all += m->weights[i];
	parts = parts < m->n ? parts : m->n;
	for (size_t i = 0; i < m->n; i++) {
		double part = (before + m->weights[i] / 2) / all * (double)parts;

		before += m->weights[i];
		labels[i] = (uint32_t)fmin(part, (double)parts - 1);
	}
	return (unsigned)parts;
}

void select_points(const struct members *given, const struct select_options *o, struct selection *s)
{
	struct members m = *given;
	struct candidate *candidates;
	struct lists lists;
	uint64_t n_points = 0;

	*s = (struct selection){
		.by_chance = o->by == SELECT_RANDOM || o->by == SELECT_SYSTEMATIC,
		.seed = o->seed,
		.labels = checked_array(m.n, sizeof(*s->labels)),
		.distances = checked_array(m.n, sizeof(*s->distances)),
	};
	memcpy(s->labels, m.labels, m.n * sizeof(*s->labels));
	memcpy(s->distances, m.distances, m.n * sizeof(*s->distances));
	m.labels = s->labels;
	if (o->by == SELECT_SYSTEMATIC)
		m.n_clusters = divide_program(&m, o->total, s->labels);
	lists = list_members(s->labels, m.n, m.n_clusters);
	sum_up(&m, &lists, o->as_simpoint, s);
	count_points(&m, o, s);
	for (unsigned i = 0; i < s->n_strata; i++)
		n_points += s->strata[i].points;
	s->at = checked_array(n_points, sizeof(*s->at));
	for (unsigned i = 0; i < s->n_strata; i++) {
		struct stratum *stratum = &s->strata[i];
		size_t first = lists.first[stratum->cluster];

		candidates = checked_array(stratum->intervals, sizeof(*candidates));
		for (size_t k = 0; k < stratum->intervals; k++)
			candidates[k].interval = lists.at[first + k];
		add_points(&m, o, candidates, stratum->intervals, stratum, s);
		free(candidates);
	}
	number_points(s);
	free_lists(&lists);
}

/* ---- stability --------------------------------------------------------------------------- */

/* Adds to each point's stability how well its cluster is found in another clustering. */
static void add_overlap(const struct clustering *best, const struct clustering *other, size_t n,
			struct selection *s)
{
	size_t *both = checked_array((size_t)best->k * other->k, sizeof(*both));
	size_t *sizes = checked_array(other->k, sizeof(*sizes));

	for (size_t i = 0; i < n; i++) {
		both[(size_t)best->labels[i] * other->k + other->labels[i]]++;
		sizes[other->labels[i]]++;
	}
	for (unsigned i = 0; i < s->n; i++) {
		const size_t *with = both + (size_t)s->at[i].cluster * other->k;
		double most = 0;
		size_t own = 0;

		for (unsigned c = 0; c < other->k; c++)
			own += with[c];
		for (unsigned c = 0; c < other->k && own; c++) {
			size_t common = with[c];
			double share = (double)common / (double)(own + sizes[c] - common);

			most = share > most ? share : most;
		}
		s->at[i].stability += most;
	}
	free(both);
	free(sizes);
}

void select_stability(const struct run *run, unsigned n_trials, size_t n, struct selection *s)
{
	const struct clustering *best = &run->trials[run->best];

	if (n_trials < 2)
		return;
	for (unsigned i = 0; i < s->n; i++)
		s->at[i].stability = 0;
	for (unsigned t = 0; t < n_trials; t++)
		if (t != run->best)
			add_overlap(best, &run->trials[t], n, s);
	for (unsigned i = 0; i < s->n; i++)
		s->at[i].stability /= n_trials - 1;
}

/* ---- the vectors themselves -------------------------------------------------------------- */

double *rows_shares(const struct bb_rows *rows, const double *weights)
{
	double *shares = checked_array(rows->n_numbers, sizeof(*shares)), total = 0;

	for (size_t i = 0; i < rows->n; i++)
		total += weights[i];
	for (size_t i = 0; i < rows->n; i++)
		row_add_shares(&rows->at[i], weights[i] / total, shares);
	return shares;
}

struct quality select_quality(const struct bb_rows *rows, const double *all,
			      const struct selection *s)
{
	double *some = checked_array(rows->n_numbers, sizeof(*some));
	struct quality quality = { .distance = NAN };

	for (unsigned i = 0; i < s->n; i++)
		row_add_shares(&rows->at[s->at[i].interval], s->at[i].weight, some);
	for (uint32_t d = 0; d < rows->n_numbers; d++) {
		quality.error += fabs(all[d] - some[d]) / 2;
		quality.coverage += some[d] > 0 ? all[d] : 0;
	}
	for (unsigned i = 0; i < s->n_strata; i++)
		quality.singletons += s->strata[i].intervals == 1 ? s->strata[i].weight : 0;
	free(some);
	return quality;
}

static const struct simpoint *first_point(const struct selection *s, uint32_t cluster)
{
	unsigned low = 0, high = s->n;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (s->at[middle].cluster < cluster)
			low = middle + 1;
		else
			high = middle;
	}
	return &s->at[low];
}

double selection_distance(const struct selection *s, const struct bb_rows *rows, size_t interval,
			  const struct bb_row *row, double *shares)
{
	uint32_t cluster = s->labels[interval];
	double least = 1;

	row_add_shares(row, 1, shares);
	for (const struct simpoint *p = first_point(s, cluster);
	     p < s->at + s->n && p->cluster == cluster; p++)
		least = p->interval == interval
				? 0
				: fmin(least, row_distance(shares, &rows->at[p->interval]));
	row_clear_shares(row, shares);
	return least;
}

enum { TASK_ROWS = 256 };

struct measuring {
	const struct selection *selection;
	const struct bb_rows *rows;
	double *distances;
};

static void measure_some(void *opaque, size_t task)
{
	const struct measuring *m = opaque;
	double *shares = checked_array(m->rows->n_numbers, sizeof(*shares));

	for (size_t i = task * TASK_ROWS; i < m->rows->n && i < (task + 1) * TASK_ROWS; i++)
		m->distances[i] = selection_distance(m->selection, m->rows, i, &m->rows->at[i],
						     shares);
	free(shares);
}

static double weighted_mean(const double *values, const double *weights, size_t n)
{
	double sum = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		sum += weights[i] * values[i];
		total += weights[i];
	}
	return sum / total;
}

double selection_distance_of_all(const struct selection *selection, const struct bb_rows *rows,
				 const double *weights, unsigned jobs)
{
	double *distances = checked_array(rows->n, sizeof(*distances)), mean;
	struct measuring measuring = { selection, rows, distances };

	parallel_for(jobs, (rows->n + TASK_ROWS - 1) / TASK_ROWS, measure_some, &measuring);
	mean = weighted_mean(distances, weights, rows->n);
	free(distances);
	return mean;
}

struct spread {
	const struct bb_rows *rows;
	const double *all;
	double *by_row;
};

/* Computes the spread for the rows of one task. */
static void spread_some(void *opaque, size_t task)
{
	const struct spread *spread = opaque;
	const struct bb_rows *rows = spread->rows;
	double *own = checked_array(rows->n_numbers, sizeof(*own));

	for (size_t i = task * TASK_ROWS; i < rows->n && i < (task + 1) * TASK_ROWS; i++) {
		const struct bb_row *row = &rows->at[i];
		double common = 0; /* what both have, of 1 each */

		row_add_shares(row, 1, own);
		for (uint32_t k = 0; k < row->n; k++) {
			uint32_t d = row->ids[k] - 1;

			common += fmin(own[d], spread->all[d]);
			own[d] = 0; /* an id that comes twice counts once */
		}
		spread->by_row[i] = 1 - common;
	}
	free(own);
}

double rows_spread(const struct bb_rows *rows, const double *weights, const double *all,
		   unsigned jobs)
{
	double *by_row = checked_array(rows->n, sizeof(*by_row)), mean;
	struct spread spread = { rows, all, by_row };

	parallel_for(jobs, (rows->n + TASK_ROWS - 1) / TASK_ROWS, spread_some, &spread);
	mean = weighted_mean(by_row, weights, rows->n);
	free(by_row);
	return mean;
}
