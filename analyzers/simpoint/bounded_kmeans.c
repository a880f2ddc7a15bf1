/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/bounded_kmeans.h"

#include <math.h>
#include <string.h>

#include "analyzers/common/parallel.h"
#include "cli/common/checked.h"

enum { FEW_CLUSTERS = 30, GROUP_SIZE = 10, WAVE = 64 /* chunks whose sums are kept at a time */ };

/* For functions that compute most of the distances; the results are the same. */
#define AVX2_CLONES __attribute__((target_clones("avx2", "default")))

/* The centres, group after group, in single precision. */
struct groups {
	unsigned n;
	unsigned *first;  /* by group: of its centres; n + 1 */
	uint32_t *number; /* of a centre, by its place here */
	uint32_t *of;     /* group, by the number of a centre */
	float *at;        /* k * stride, by place */
	double *moved;    /* the farthest that a centre of the group has moved */
};

/* The sums of a chunk. */
struct sums {
	double *at;      /* k * dim */
	double *weights; /* k */
	size_t *counts;  /* k */
	size_t changed;  /* labels */
};

/* The state of a clustering under way. */
struct iteration {
	const struct float_points *points;
	struct clustering *c;
	struct groups groups;
	float *centres;  /* k * stride, by number */
	double *moved;   /* by number */
	double *nearest; /* by number: half of the distance from the nearest other centre */
	float *upper;    /* of the distance from the own centre, by point */
	float *lower;    /* of those from all other centres of a group: by point, then by group */
	double slack;    /* relative error of a distance, at most */
	bool first;
	size_t wave; /* its first chunk */
	struct sums sums[WAVE];
};

/* ---- initial centres ---------------------------------------------------------------------- */

static void copy_point(const struct float_points *p, size_t i, double *centre)
{
	for (unsigned j = 0; j < p->dim; j++)
		centre[j] = (double)float_point(p, i)[j];
}

/* Points while centres are chosen among them. */
struct choosing {
	const struct float_points *points;
	const size_t *chosen; /* points, by centre */
	unsigned n_chosen;
	float *least;      /* by point: the squared distance from the nearest centre */
	uint32_t *nearest; /* by point: that centre, before least is known: 0 */
	float *far;        /* by centre: room for the squared distances from a point */
};

/*
 * The squared distance from a point is more than `least` if that of the nearest centre from the
 * point is at least four times as great (triangle inequality), with room for rounding.
 */
static bool is_farther(const struct choosing *c, size_t i)
{
	return c->n_chosen && c->least[i] < c->far[c->nearest[i]] * 0.249F;
}

/*
 * Lowers the distances from the centres chosen to those from point `from`, only the lower ones of
 * which are computed; returns their weighted sum.
 */
AVX2_CLONES static double lower_distances(const struct choosing *c, size_t from, float *lowered)
{
	const struct float_points *p = c->points;
	const float *centre = float_point(p, from);
	double sum = 0;

	for (unsigned k = 0; k < c->n_chosen; k++)
		c->far[k] = float_distance(float_point(p, c->chosen[k]), centre, p->stride);
	for (size_t i = 0; i < p->n; i++) {
		lowered[i] = c->least[i];
		if (!is_farther(c, i)) {
			float d = float_distance(float_point(p, i), centre, p->stride);

			lowered[i] = d < c->least[i] ? d : c->least[i];
		}
		sum += p->weights[i] * (double)lowered[i];
	}
	return sum;
}

/* Makes the point `from` the next centre. */
static void add_centre(struct choosing *c, size_t from, float *lowered)
{
	lower_distances(c, from, lowered);
	for (size_t i = 0; i < c->points->n; i++)
		if (lowered[i] < c->least[i]) {
			c->least[i] = lowered[i];
			c->nearest[i] = c->n_chosen;
		}
	c->n_chosen++;
}

/* Returns a random point, with probabilities proportional to weight * least; NULL: to weight. */
static size_t draw(const struct float_points *p, const float *least, struct random *random)
{
	double sum = 0, left;
	size_t i;

	for (i = 0; i < p->n; i++)
		sum += p->weights[i] * (least ? (double)least[i] : 1);
	left = (double)random_unit(random) * sum;
	for (i = 0; i + 1 < p->n; i++) {
		left -= p->weights[i] * (least ? (double)least[i] : 1);
		if (left < 0)
			break;
	}
	return i;
}

static size_t farthest(const float *least, size_t n)
{
	size_t found = 0;

	for (size_t i = 1; i < n; i++)
		if (least[i] > least[found])
			found = i;
	return found;
}

/* Returns the best of several random points. */
static size_t draw_best(const struct choosing *c, unsigned k, float *trial, struct random *random)
{
	unsigned candidates = 2 + (unsigned)log(k);
	double lowest = HUGE_VAL;
	size_t best = 0;

	for (unsigned n = 0; n < candidates; n++) {
		size_t i = draw(c->points, c->least, random);
		double sum = lower_distances(c, i, trial);

		if (sum < lowest) {
			lowest = sum;
			best = i;
		}
	}
	return best;
}

/* Chooses k centres that depend on each other's distances; the first of them is given. */
static void choose_apart(const struct float_points *p, unsigned k, enum initial_centres method,
			 struct random *random, size_t *chosen)
{
	struct choosing c = {
		.points = p,
		.chosen = chosen,
		.least = checked_array(p->n, sizeof(*c.least)),
		.nearest = checked_array(p->n, sizeof(*c.nearest)),
		.far = checked_array(k, sizeof(*c.far)),
	};
	float *trial = checked_array(p->n, sizeof(*trial));

	for (size_t i = 0; i < p->n; i++)
		c.least[i] = INFINITY;
	for (unsigned next = 1; next < k; next++) {
		add_centre(&c, chosen[next - 1], trial);
		chosen[next] = method == INITIAL_FURTHEST ? farthest(c.least, p->n)
							  : draw_best(&c, k, trial, random);
	}
	free(c.least);
	free(c.nearest);
	free(c.far);
	free(trial);
}

void bounded_initial(const struct float_points *p, unsigned k, enum initial_centres method,
		     struct random *random, double *centres)
{
	size_t *chosen = checked_array(k, sizeof(*chosen));

	chosen[0] = draw(p, NULL, random);
	if (method != INITIAL_SAMPLE)
		choose_apart(p, k, method, random, chosen);
	else
		for (unsigned c = 1; c < k; c++)
			chosen[c] = draw(p, NULL, random);
	for (unsigned c = 0; c < k; c++)
		copy_point(p, chosen[c], centres + (size_t)c * p->dim);
	free(chosen);
}

/* ---- groups of centres -------------------------------------------------------------------- */

static void round_centres(struct iteration *it)
{
	const struct clustering *c = it->c;
	unsigned stride = it->points->stride;

	for (unsigned i = 0; i < c->k; i++)
		for (unsigned j = 0; j < c->dim; j++)
			it->centres[(size_t)i * stride + j] =
				(float)c->centres[(size_t)i * c->dim + j];
}

/* Puts centres of the same group beside each other. */
static void arrange(struct iteration *it)
{
	struct groups *g = &it->groups;
	unsigned stride = it->points->stride, n = 0;

	for (unsigned group = 0; group < g->n; group++) {
		g->first[group] = n;
		for (uint32_t c = 0; c < it->c->k; c++)
			if (g->of[c] == group)
				g->number[n++] = c;
	}
	g->first[g->n] = n;
	for (unsigned i = 0; i < n; i++)
		memcpy(g->at + (size_t)i * stride, it->centres + (size_t)g->number[i] * stride,
		       stride * sizeof(*g->at));
}

/* Divides the centres into groups of near ones: any groups give the same result. */
static void make_groups(struct iteration *it)
{
	enum { ROUNDS = 5 };
	unsigned k = it->c->k, n = it->groups.n;
	struct float_points p = {
		.n = k, .dim = it->points->dim, .stride = it->points->stride, .at = it->centres
	};
	struct clustering c = { .k = n, .dim = p.dim };

	if (n == 1) /* all are 0 already */
		return;
	p.weights = checked_array(k, sizeof(*p.weights));
	c.initial = checked_array((size_t)n * p.dim, sizeof(double));
	c.centres = checked_array((size_t)n * p.dim, sizeof(double));
	c.weights = checked_array(n, sizeof(double));
	c.labels = it->groups.of;
	for (unsigned i = 0; i < k; i++)
		p.weights[i] = 1;
	for (unsigned i = 0; i < n; i++)
		copy_point(&p, (size_t)i * k / n, c.initial + (size_t)i * p.dim);
	bounded_iterate(&p, &c, ROUNDS, 1, 1);
	free(p.weights);
	free(c.initial);
	free(c.centres);
	free(c.weights);
}

/* ---- assignment --------------------------------------------------------------------------- */

/* Bounds of a distance that was computed, and after all centres have moved. */
static float raised(const struct iteration *it, double distance)
{
	return (float)(distance * (1 + it->slack));
}

static float lowered(const struct iteration *it, double distance)
{
	return isinf(distance) ? INFINITY : (float)(distance - fabs(distance) * it->slack);
}

/* The least two distances of a group's centres, squared. */
struct least {
	float distance, second;
	uint32_t number;
};

AVX2_CLONES static struct least examine(const struct iteration *it, unsigned group, const float *x)
{
	const struct groups *g = &it->groups;
	unsigned stride = it->points->stride;
	struct least least = { INFINITY, INFINITY, UINT32_MAX };

	for (unsigned i = g->first[group]; i < g->first[group + 1]; i++) {
		float d = float_distance(x, g->at + (size_t)i * stride, stride);

		if (d < least.distance) {
			least.second = least.distance;
			least.distance = d;
			least.number = g->number[i];
		} else if (d < least.second) {
			least.second = d;
		}
	}
	return least;
}

/* Returns true if the point's centre is certainly nearer than all others that are so far away. */
static bool is_nearest(const struct iteration *it, float upper, double others)
{
	return (double)upper * (1 + 4 * it->slack) < others;
}

static float least_bound(const float *lower, unsigned n)
{
	float least = lower[0];

	for (unsigned g = 1; g < n; g++)
		least = lower[g] < least ? lower[g] : least;
	return least;
}

/* Finds the nearest centre of a point whose own centre has this distance, squared. */
static void reassign(struct iteration *it, size_t i, float own)
{
	const float *x = float_point(it->points, i);
	const struct groups *g = &it->groups;
	float *lower = it->lower + i * g->n, upper = it->upper[i], best = own, former = own;
	uint32_t *label = &it->c->labels[i], nearest = *label;
	unsigned left = g->of[nearest], at = left;
	float runner_up = -1; /* in the group of the nearest one, if that was examined */
	bool examined_left = false;

	for (unsigned group = 0; group < g->n; group++) {
		struct least least;

		if (!it->first && is_nearest(it, upper, (double)lower[group]))
			continue;
		least = examine(it, group, x);
		examined_left |= group == left;
		if (least.distance < best || (least.distance == best && least.number <= nearest)) {
			best = least.distance;
			nearest = least.number;
			runner_up = least.second;
			at = group;
		}
		lower[group] = lowered(it, sqrt((double)least.distance));
	}
	if (!it->first && nearest != *label && !examined_left &&
	    lowered(it, sqrt((double)former)) < lower[left])
		lower[left] = lowered(it, sqrt((double)former));
	if (runner_up >= 0)
		lower[at] = lowered(it, sqrt((double)runner_up));
	*label = nearest;
	it->upper[i] = raised(it, sqrt((double)best));
}

/* Assigns a point. Returns true if its label changes. */
static bool assign(struct iteration *it, size_t i)
{
	const struct groups *g = &it->groups;
	uint32_t label = it->c->labels[i];
	float own;

	if (it->first) {
		it->c->labels[i] = 0;
		reassign(it, i, INFINITY);
		return true;
	}

	double others = (double)least_bound(it->lower + i * g->n, g->n);

	others = fmax(others, it->nearest[label]);
	if (is_nearest(it, it->upper[i], others))
		return false;
	own = float_distance(float_point(it->points, i),
			     it->centres + (size_t)label * it->points->stride, it->points->stride);
	it->upper[i] = raised(it, sqrt((double)own));
	if (is_nearest(it, it->upper[i], others))
		return false;
	reassign(it, i, own);
	return it->c->labels[i] != label;
}

/* Moves the bounds of a point with the centres. */
static void move_bounds(struct iteration *it, size_t i)
{
	const struct groups *g = &it->groups;
	float *lower = it->lower + i * g->n;

	it->upper[i] = raised(it, (double)it->upper[i] + it->moved[it->c->labels[i]]);
	for (unsigned group = 0; group < g->n; group++)
		lower[group] = lowered(it, (double)lower[group] - g->moved[group]);
}

static void add_point(const struct iteration *it, size_t i, struct sums *sums)
{
	const struct float_points *p = it->points;
	uint32_t label = it->c->labels[i];
	double *sum = sums->at + (size_t)label * p->dim, weight = p->weights[i];
	const float *x = float_point(p, i);

	for (unsigned j = 0; j < p->dim; j++)
		sum[j] += weight * (double)x[j];
	sums->weights[label] += weight;
	sums->counts[label]++;
}

static void clear(const struct iteration *it, struct sums *sums)
{
	memset(sums->at, 0, (size_t)it->c->k * it->c->dim * sizeof(*sums->at));
	memset(sums->weights, 0, it->c->k * sizeof(*sums->weights));
	memset(sums->counts, 0, it->c->k * sizeof(*sums->counts));
	sums->changed = 0;
}

static void do_chunk(void *opaque, size_t task)
{
	struct iteration *it = opaque;
	struct sums *sums = &it->sums[task];
	size_t from = (it->wave + task) * CHUNK_ROWS, to = from + CHUNK_ROWS;

	clear(it, sums);
	for (size_t i = from; i < to && i < it->points->n; i++) {
		if (!it->first)
			move_bounds(it, i);
		sums->changed += assign(it, i);
		add_point(it, i, sums);
	}
}

static void add_sums(const struct iteration *it, const struct sums *from, struct sums *to)
{
	for (size_t j = 0; j < (size_t)it->c->k * it->c->dim; j++)
		to->at[j] += from->at[j];
	for (unsigned c = 0; c < it->c->k; c++) {
		to->weights[c] += from->weights[c];
		to->counts[c] += from->counts[c];
	}
	to->changed += from->changed;
}

/* Assigns all points, and adds them up by cluster. */
static void assign_all(struct iteration *it, struct sums *all, unsigned jobs)
{
	size_t n = n_chunks(it->points->n);

	clear(it, all);
	for (it->wave = 0; it->wave < n; it->wave += WAVE) {
		size_t tasks = n - it->wave < WAVE ? n - it->wave : WAVE;

		parallel_for(jobs, tasks, do_chunk, it);
		for (size_t t = 0; t < tasks; t++)
			add_sums(it, &it->sums[t], all);
	}
	it->first = false;
}

/* ---- centres ------------------------------------------------------------------------------ */

/* Gives an empty cluster the point that is farthest from its centre, if one can be spared. */
static void refill(struct iteration *it, struct sums *all, uint32_t empty, double *distances)
{
	const struct float_points *p = it->points;
	uint32_t *labels = it->c->labels;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < p->n; i++)
		if (distances[i] > 0 && all->counts[labels[i]] > 1 &&
		    (found == SIZE_MAX || distances[i] > distances[found]))
			found = i;
	if (found == SIZE_MAX)
		return;

	double *from = all->at + (size_t)labels[found] * p->dim;
	double *to = all->at + (size_t)empty * p->dim, weight = p->weights[found];

	for (unsigned j = 0; j < p->dim; j++) {
		to[j] = weight * (double)float_point(p, found)[j];
		from[j] -= to[j];
	}
	all->weights[labels[found]] -= weight;
	all->weights[empty] = weight;
	all->counts[labels[found]]--;
	all->counts[empty]++;
	all->changed++;
	labels[found] = empty;
	distances[found] = 0;
	it->upper[found] = INFINITY;
	for (unsigned g = 0; g < it->groups.n; g++)
		it->lower[found * it->groups.n + g] = 0;
}

static void refill_all(struct iteration *it, struct sums *all, unsigned jobs)
{
	double *distances = NULL;

	for (uint32_t c = 0; c < it->c->k; c++) {
		if (all->counts[c])
			continue;
		if (!distances) {
			distances = checked_array(it->points->n, sizeof(*distances));
			bounded_distances(it->points, it->c, distances, jobs);
		}
		refill(it, all, c, distances);
	}
	free(distances);
}

static void average(struct iteration *it, const struct sums *all)
{
	struct clustering *c = it->c;

	for (unsigned i = 0; i < c->k; i++)
		for (unsigned j = 0; all->weights[i] > 0 && j < c->dim; j++)
			c->centres[(size_t)i * c->dim + j] = all->at[(size_t)i * c->dim + j] /
							     all->weights[i];
}

static double distance_of_centres(const struct iteration *it, const float *a, const float *b)
{
	double sum = 0;

	for (unsigned j = 0; j < it->c->dim; j++) {
		double d = (double)a[j] - (double)b[j];

		sum += d * d;
	}
	return sqrt(sum);
}

/* Sets how far each centre is from the nearest other one. */
static void measure_centres(struct iteration *it)
{
	unsigned k = it->c->k, stride = it->points->stride;

	for (unsigned i = 0; i < k; i++)
		it->nearest[i] = HUGE_VAL;
	for (unsigned i = 0; i < k; i++)
		for (unsigned j = 0; j < i; j++) {
			double d = distance_of_centres(it, it->centres + (size_t)i * stride,
						       it->centres + (size_t)j * stride) /
				   2 * (1 - it->slack);

			it->nearest[i] = fmin(it->nearest[i], d);
			it->nearest[j] = fmin(it->nearest[j], d);
		}
}

/* Moves the centres to the means. */
static void move_centres(struct iteration *it, const struct sums *all)
{
	struct groups *g = &it->groups;
	size_t size = (size_t)it->c->k * it->points->stride * sizeof(*it->centres);
	float *former = checked(malloc(size));

	memcpy(former, it->centres, size);
	average(it, all);
	round_centres(it);
	memset(g->moved, 0, g->n * sizeof(*g->moved));
	for (unsigned c = 0; c < it->c->k; c++) {
		size_t at = (size_t)c * it->points->stride;
		double moved = distance_of_centres(it, former + at, it->centres + at);

		it->moved[c] = moved * (1 + it->slack);
		g->moved[g->of[c]] = fmax(g->moved[g->of[c]], it->moved[c]);
	}
	arrange(it);
	measure_centres(it);
	free(former);
}

/* ---- the iteration ------------------------------------------------------------------------ */

static struct sums new_sums(const struct clustering *c)
{
	return (struct sums){
		.at = checked_array((size_t)c->k * c->dim, sizeof(double)),
		.weights = checked_array(c->k, sizeof(double)),
		.counts = checked_array(c->k, sizeof(size_t)),
	};
}

static void free_sums(struct sums *sums)
{
	free(sums->at);
	free(sums->weights);
	free(sums->counts);
}

static struct iteration *begin(const struct float_points *p, struct clustering *c,
			       unsigned n_groups)
{
	struct iteration *it = checked_array(1, sizeof(*it));
	struct groups *g = &it->groups;

	it->points = p;
	it->c = c;
	it->first = true;
	it->slack = 4 * (p->dim + 8) * 0x1p-24;
	it->centres = checked_array((size_t)c->k * p->stride, sizeof(*it->centres));
	it->moved = checked_array(c->k, sizeof(*it->moved));
	it->nearest = checked_array(c->k, sizeof(*it->nearest));
	g->n = n_groups ? n_groups : c->k <= FEW_CLUSTERS ? 1 : c->k / GROUP_SIZE;
	g->first = checked_array(g->n + 1ul, sizeof(*g->first));
	g->number = checked_array(c->k, sizeof(*g->number));
	g->of = checked_array(c->k, sizeof(*g->of));
	g->at = checked_array((size_t)c->k * p->stride, sizeof(*g->at));
	g->moved = checked_array(g->n, sizeof(*g->moved));
	it->upper = checked_array(p->n, sizeof(*it->upper));
	it->lower = checked_array(p->n * g->n, sizeof(*it->lower));
	for (size_t t = 0; t < WAVE && t < n_chunks(p->n); t++)
		it->sums[t] = new_sums(c);
	memcpy(c->centres, c->initial, (size_t)c->k * c->dim * sizeof(*c->centres));
	round_centres(it);
	make_groups(it);
	arrange(it);
	measure_centres(it);
	return it;
}

static void end(struct iteration *it)
{
	struct groups *g = &it->groups;

	for (size_t t = 0; t < WAVE; t++)
		free_sums(&it->sums[t]);
	free(g->first);
	free(g->number);
	free(g->of);
	free(g->at);
	free(g->moved);
	free(it->centres);
	free(it->moved);
	free(it->nearest);
	free(it->upper);
	free(it->lower);
	free(it);
}

void bounded_iterate(const struct float_points *p, struct clustering *c, unsigned limit,
		     unsigned n_groups, unsigned jobs)
{
	struct iteration *it = begin(p, c, n_groups);
	struct sums all = new_sums(c);

	assign_all(it, &all, jobs);
	for (c->iterations = 0; c->iterations < limit; c->iterations++) {
		refill_all(it, &all, jobs);
		if (!all.changed)
			break;
		move_centres(it, &all);
		assign_all(it, &all, jobs);
	}
	memcpy(c->weights, all.weights, c->k * sizeof(*c->weights));
	free_sums(&all);
	end(it);
}

struct measuring {
	const struct float_points *points;
	const struct clustering *c;
	double *distances;
};

static void measure_chunk(void *opaque, size_t task)
{
	const struct measuring *m = opaque;
	size_t from = task * CHUNK_ROWS, to = from + CHUNK_ROWS;

	for (size_t i = from; i < to && i < m->points->n; i++) {
		const float *x = float_point(m->points, i);
		const double *centre = m->c->centres + (size_t)m->c->labels[i] * m->c->dim;
		double sum = 0;

		for (unsigned j = 0; j < m->c->dim; j++) {
			double d = (double)x[j] - centre[j];

			sum += d * d;
		}
		m->distances[i] = sqrt(sum);
	}
}

void bounded_distances(const struct float_points *p, const struct clustering *c, double *distances,
		       unsigned jobs)
{
	struct measuring measuring = { p, c, distances };

	parallel_for(jobs, n_chunks(p->n), measure_chunk, &measuring);
}
