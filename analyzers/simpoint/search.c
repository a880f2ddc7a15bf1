/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/search.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "analyzers/common/parallel.h"
#include "analyzers/simpoint/ward.h"
#include "cli/common/checked.h"

double bic_score(const struct scored *p, const struct clustering *c, const double *distances,
		 double noise)
{
	const double pi = 3.14159265358979; /* SimPoint's: the last bits of a score count */
	double *logs = checked_array(c->k, sizeof(*logs));
	double n = p->represents, dim = p->dim, squares = 0, weight = 0, score;

	for (unsigned k = 0; k < c->k; k++)
		logs[k] = c->weights[k] > 0 ? log(c->weights[k]) : 0;
	for (size_t i = 0; i < p->n; i++) {
		squares += distances[i] * p->weights[i];
		weight += p->weights[i];
	}

	double variance = squares / (weight / n) / (dim * n);
	double v = variance > noise ? variance : noise, ratio = v > 0 ? variance / v : 1;

	score = -dim * (log(2 * pi * v) + ratio) / 2 - log(weight);
	for (size_t i = 0; i < p->n; i++)
		if (c->weights[c->labels[i]] > 0)
			score += logs[c->labels[i]] * p->weights[i] / weight;
	free(logs);
	if (v == 0)
		return HUGE_VAL;
	return score * n - ((c->k - 1) + c->k * dim + 1) / 2.0 * log(n);
}

/* ---- one run ----------------------------------------------------------------------------- */

struct trials {
	const struct points *points, *sample;
	const struct search_options *options;
	struct run *run;
	uint32_t seed;
	double *merged; /* the centres that the first trial begins with; NULL: by chance */
};

static double mean_square(const struct points *p, const double *distances)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < p->n; i++) {
		sum += p->weights[i] * distances[i];
		weight += p->weights[i];
	}
	return sum / weight;
}

/* Clusters the points by kmeans.h. */
static void cluster_points(const struct trials *trials, struct clustering *c)
{
	const struct search_options *o = trials->options;
	const struct points *points = trials->points;
	const struct scored scored = { points->n, points->dim, points->weights, (double)points->n };
	size_t size = (size_t)c->k * points->dim;
	double *distances = checked_array(points->n, sizeof(*distances));
	struct random random;

	c->dim = points->dim;
	c->initial = checked_array(size, sizeof(double));
	c->centres = checked_array(size, sizeof(double));
	c->weights = checked_array(c->k, sizeof(double));
	c->labels = checked_array(points->n, sizeof(*c->labels));
	random_seed(&random, c->seed);
	if (o->centres || c->begin)
		memcpy(c->initial, o->centres ? o->centres : c->begin, size * sizeof(double));
	else
		kmeans_initial(trials->sample, c->k, o->initial, &random, c->initial);
	kmeans_iterate(trials->sample, c, o->iterations, o->as_simpoint);
	kmeans_label(points, c, c->labels, distances);
	c->bic = bic_score(&scored, c, distances, o->noise);
	c->squares = mean_square(points, distances);
	free(distances);
}

static void make_trial(void *opaque, size_t t)
{
	const struct trials *trials = opaque;
	const struct search_options *o = trials->options;
	struct clustering *c = &trials->run->trials[t];

	*c = (struct clustering){ .k = trials->run->k,
				  .seed = trials->seed + 2 * (uint32_t)t,
				  .begin = t ? NULL : trials->merged };
	if (o->cluster)
		o->cluster(o->cluster_opaque, c);
	else
		cluster_points(trials, c);
	if (isnan(c->bic)) /* numbers too small or too great to tell: the worst */
		c->bic = -HUGE_VAL;
}

/* Returns the run with the fewest clusters above k; NULL: there is none. */
static const struct run *next_larger(const struct search *s, unsigned k)
{
	const struct run *found = NULL;

	for (size_t r = 0; r < s->runs.count; r++)
		if (s->runs.at[r].k > k && (!found || s->runs.at[r].k < found->k))
			found = &s->runs.at[r];
	return found;
}

/* Returns k centres that are merged from those of more clusters; NULL: there are none. */
static double *merge_larger(const struct search *s, const struct search_options *o, unsigned k)
{
	const struct run *larger = next_larger(s, k);
	const struct clustering *from = larger ? &larger->trials[larger->best] : NULL;
	bool by_chance = o->as_simpoint || o->n_ks || o->initial != INITIAL_PLUS_PLUS;
	double *merged;

	if (by_chance || !from || from->k < k)
		return NULL;
	merged = checked_array((size_t)k * from->dim, sizeof(*merged));
	ward_merge(from->centres, from->weights, from->k, from->dim, k, merged);
	return merged;
}

/* Appends a run of k clusters. */
static void add_run(struct search *s, const struct points *points, const struct points *sample,
		    const struct search_options *o, unsigned k)
{
	CHECKED_RESERVE(s->runs, s->runs.count + 1);

	struct run *run = &s->runs.at[s->runs.count];
	struct trials trials = { points,
				 sample,
				 o,
				 run,
				 o->seed + (uint32_t)s->runs.count * o->n_seeds,
				 merge_larger(s, o, k) };

	*run = (struct run){ .k = k, .trials = checked_array(o->n_seeds, sizeof(*run->trials)) };
	s->runs.count++;
	parallel_for(o->jobs, o->n_seeds, make_trial, &trials);
	run->trials[0].begin = NULL;
	free(trials.merged);
	for (unsigned t = 1; t < o->n_seeds; t++)
		if (run->trials[t].bic > run->trials[run->best].bic)
			run->best = t;
	run->error = o->error ? o->error(o->error_opaque, &run->trials[run->best]) : NAN;
}

/* ---- the search -------------------------------------------------------------------------- */

static double score(const struct search *s, size_t run)
{
	return search_best(s, run)->bic;
}

/* The first of the runs with the highest or lowest score. */
static size_t extreme(const struct search *s, bool highest)
{
	size_t found = 0;

	for (size_t r = 1; r < s->runs.count; r++)
		if (highest ? score(s, r) > score(s, found) : score(s, r) < score(s, found))
			found = r;
	return found;
}

/* The score that is near enough to the best; infinite if some clustering is perfect. */
static double needed(const struct search *s, double threshold)
{
	double high = score(s, extreme(s, true)), low = score(s, extreme(s, false));

	return isinf(high) || isinf(low) ? high : low + (high - low) * threshold;
}

static void bisect(struct search *s, const struct points *points, const struct points *sample,
		   const struct search_options *o)
{
	unsigned low = 1, high = o->max_k, k = (o->max_k + 1) / 2;

	add_run(s, points, sample, o, 1);
	add_run(s, points, sample, o, o->max_k);
	for (;;) {
		add_run(s, points, sample, o, k);

		bool too_few = extreme(s, true) > extreme(s, false) &&
			       score(s, s->runs.count - 1) < needed(s, o->threshold);
		unsigned next = (k + (too_few ? high : low)) / 2;

		*(too_few ? &low : &high) = k;
		if (high <= low + 1)
			return;
		k = next;
	}
}

/* ---- criteria ---------------------------------------------------------------------------- */

/* Returns the run with the fewest clusters that is `good`; SIZE_MAX: none is. */
static size_t fewest(const struct search *s, const bool *good)
{
	size_t found = SIZE_MAX;

	for (size_t r = 0; r < s->runs.count; r++)
		if (good[r] && (found == SIZE_MAX || s->runs.at[r].k < s->runs.at[found].k))
			found = r;
	return found;
}

static size_t choose_by_score(const struct search *s, double threshold, bool *good)
{
	double least = needed(s, threshold);

	for (size_t r = 0; r < s->runs.count; r++)
		good[r] = score(s, r) >= least;
	return fewest(s, good);
}

static size_t choose_by_error(const struct search *s, double limit, bool *good)
{
	for (size_t r = 0; r < s->runs.count; r++)
		good[r] = s->runs.at[r].error <= limit; /* not if it is NaN */
	return fewest(s, good);
}

/* The run with most clusters, at most `most` of them; SIZE_MAX: there is none. */
static size_t greatest(const struct search *s, unsigned most)
{
	size_t found = SIZE_MAX;

	for (size_t r = 0; r < s->runs.count; r++)
		if (s->runs.at[r].k <= most &&
		    (found == SIZE_MAX || s->runs.at[r].k > s->runs.at[found].k))
			found = r;
	return found;
}

static double log_of_squares(const struct search *s, size_t run)
{
	return log(fmax(search_best(s, run)->squares, 1e-12));
}

static size_t choose_elbow(const struct search *s, bool *good)
{
	size_t last = greatest(s, UINT_MAX), first, found = SIZE_MAX;
	double farthest = 0, slope;

	for (size_t r = 0; r < s->runs.count; r++)
		good[r] = true;
	first = fewest(s, good);
	if (s->runs.at[first].k == s->runs.at[last].k)
		return first;
	slope = (log_of_squares(s, last) - log_of_squares(s, first)) /
		(s->runs.at[last].k - s->runs.at[first].k);
	for (size_t r = 0; r < s->runs.count; r++) {
		double line = log_of_squares(s, first) +
			      slope * (s->runs.at[r].k - s->runs.at[first].k);
		double below = line - log_of_squares(s, r);

		if (found == SIZE_MAX || below > farthest) {
			farthest = below;
			found = r;
		}
	}
	return farthest > 0 ? found : first;
}

/*
 * Sets s->choices and s->chosen. Where the criterion of the options chooses none, the run with most
 * clusters is chosen.
 */
static void choose(struct search *s, const struct search_options *o)
{
	bool *good = checked_array(s->runs.count, sizeof(*good));

	s->choices[CHOOSE_BIC] = choose_by_score(s, o->threshold, good);
	s->choices[CHOOSE_ERROR] = choose_by_error(s, o->error_limit, good);
	s->choices[CHOOSE_ELBOW] = choose_elbow(s, good);
	s->choices[CHOOSE_BUDGET] = o->budget ? greatest(s, o->budget) : SIZE_MAX;
	s->chosen = s->choices[o->choice];
	if (s->chosen == SIZE_MAX)
		s->chosen = greatest(s, UINT_MAX);
	free(good);
}

/* ---- numbers of a fixed ratio ------------------------------------------------------------ */

static bool is_tried(const struct search *s, unsigned k)
{
	for (size_t r = 0; r < s->runs.count; r++)
		if (s->runs.at[r].k == k)
			return true;
	return false;
}

/* Returns the greatest number tried below k, or the least above it; k: there is none. */
static unsigned neighbour(const struct search *s, unsigned k, bool below)
{
	unsigned found = k;

	for (size_t r = 0; r < s->runs.count; r++) {
		unsigned other = s->runs.at[r].k;

		if (below ? other < k && (found == k || other > found)
			  : other > k && (found == k || other < found))
			found = other;
	}
	return found;
}

/*
 * Tries the number in the middle between the chosen one and its neighbour. Returns false if there
 * is none.
 */
static bool try_between(struct search *s, const struct points *points, const struct points *sample,
			const struct search_options *o, bool below)
{
	unsigned k = s->runs.at[s->chosen].k, other = neighbour(s, k, below);
	unsigned middle = (k + other) / 2;

	if (is_tried(s, middle))
		return false;
	add_run(s, points, sample, o, middle);
	choose(s, o);
	return true;
}

/*
 * Tries 1, max_k, and numbers between whose ratio is about the square root of 2; then numbers near
 * the chosen one. More clusters may be chosen than are needed if a criterion does not get better
 * with each of them.
 */
static void try_grid(struct search *s, const struct points *points, const struct points *sample,
		     const struct search_options *o)
{
	enum { REFINEMENTS = 10 };

	ARRAY(unsigned) ks = { 0 };

	for (double k = 1; k < o->max_k; k = fmax(k + 1, k * 1.42)) {
		CHECKED_RESERVE(ks, ks.count + 1);
		ks.at[ks.count++] = (unsigned)k;
	}
	add_run(s, points, sample, o, o->max_k);
	while (ks.count)
		add_run(s, points, sample, o, ks.at[--ks.count]);
	free(ks.at);
	if (o->choice == CHOOSE_BUDGET && o->budget < o->max_k && !is_tried(s, o->budget))
		add_run(s, points, sample, o, o->budget);
	choose(s, o);
	for (int i = 0; i < REFINEMENTS && o->choice != CHOOSE_BUDGET; i++) {
		bool more = try_between(s, points, sample, o, true);

		if (o->choice == CHOOSE_ELBOW)
			more |= try_between(s, points, sample, o, false);
		if (!more)
			break;
	}
}

/* ---- sampling ---------------------------------------------------------------------------- */

struct key {
	double key;
	size_t i;
};

static int compare_keys(const void *a, const void *b)
{
	double x = ((const struct key *)a)->key, y = ((const struct key *)b)->key;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_places(const void *a, const void *b)
{
	size_t x = ((const struct key *)a)->i, y = ((const struct key *)b)->i;

	return x < y ? -1 : x > y;
}

/*
 * Draws points by chance and weight, none twice: those with the greatest ln(u) / weight (Efraimidis
 * and Spirakis, IPL 97, 2006). They weigh the same: their weights are in how often they are drawn.
 */
static void draw_sample(const struct points *p, size_t size, uint32_t seed, struct points *sample)
{
	struct key *keys = checked_array(p->n, sizeof(*keys));
	struct random random;

	random_seed(&random, seed);
	for (size_t i = 0; i < p->n; i++) {
		double u = (double)random_unit(&random);

		keys[i] = (struct key){ p->weights[i] > 0 ? log(u) / p->weights[i] : -HUGE_VAL, i };
	}
	qsort(keys, p->n, sizeof(*keys), compare_keys);
	qsort(keys, size, sizeof(*keys), compare_places);
	*sample = (struct points){ .n = size, .dim = p->dim };
	sample->at = checked_array(size * p->dim, sizeof(*sample->at));
	sample->weights = checked_array(size, sizeof(*sample->weights));
	for (size_t i = 0; i < size; i++) {
		memcpy(sample->at + i * p->dim, point(p, keys[i].i), p->dim * sizeof(*sample->at));
		sample->weights[i] = 1.0 / (double)size;
	}
	free(keys);
}

void search_run(const struct points *points, const struct search_options *o, struct search *s)
{
	struct points drawn = { 0 };
	const struct points *sample = points;

	if (!o->cluster && o->sample_size && o->sample_size < points->n) {
		draw_sample(points, o->sample_size, o->sample_seed, &drawn);
		sample = &drawn;
	}
	*s = (struct search){ .n_seeds = o->n_seeds };
	for (size_t i = 0; i < o->n_ks; i++)
		add_run(s, points, sample, o, o->ks[i]);
	if (!o->n_ks && o->grid)
		try_grid(s, points, sample, o);
	else if (!o->n_ks)
		bisect(s, points, sample, o);
	choose(s, o);
	points_free(&drawn);
}

void search_free(struct search *s)
{
	for (size_t r = 0; r < s->runs.count; r++) {
		for (unsigned t = 0; t < s->n_seeds; t++)
			clustering_free(&s->runs.at[r].trials[t]);
		free(s->runs.at[r].trials);
	}
	free(s->runs.at);
	*s = (struct search){ 0 };
}
