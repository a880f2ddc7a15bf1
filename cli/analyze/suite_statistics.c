/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_statistics.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"

/* ---- what takes part ----------------------------------------------------------------------- */

struct input {
	const double *values;
	size_t n_rows, n_columns;
	const bool *use;
};

static double value_at(const struct input *in, size_t row, size_t column)
{
	return in->values[row * in->n_columns + column];
}

/* Chooses the traces that have at least half of the characteristics. */
static void choose_rows(struct suite_statistics *s, const struct input *in)
{
	s->rows = checked_array(in->n_rows, sizeof(*s->rows));
	for (size_t i = 0; i < in->n_rows; i++) {
		size_t known = 0, all = 0;

		for (size_t j = 0; j < in->n_columns; j++) {
			all += in->use[j];
			known += in->use[j] && isfinite(value_at(in, i, j));
		}
		if (known && 2 * known >= all)
			s->rows[s->n++] = i;
	}
}

static double mean_of(const struct suite_statistics *s, const struct input *in, size_t column)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += value_at(in, s->rows[i], column);
	return sum / (double)s->n;
}

/* Returns 0 also if the values differ by no more than they are rounded. */
static double deviation_of(const struct suite_statistics *s, const struct input *in, size_t column,
			   double mean)
{
	double squares = 0, deviation;

	for (size_t i = 0; i < s->n; i++)
		squares += pow(value_at(in, s->rows[i], column) - mean, 2);
	deviation = sqrt(squares / (double)(s->n - 1));
	return isfinite(deviation) && deviation > 1e-12 * fabs(mean) ? deviation : 0;
}

static bool is_known(const struct suite_statistics *s, const struct input *in, size_t column)
{
	for (size_t i = 0; i < s->n; i++)
		if (!isfinite(value_at(in, s->rows[i], column)))
			return false;
	return true;
}

/* Chooses the characteristics that all traces have, and that differ. */
static void choose_columns(struct suite_statistics *s, const struct input *in)
{
	s->columns = checked_array(in->n_columns, sizeof(*s->columns));
	s->mean = checked_array(in->n_columns, sizeof(*s->mean));
	s->deviation = checked_array(in->n_columns, sizeof(*s->deviation));
	for (size_t j = 0; j < in->n_columns && s->n > 1; j++) {
		double mean = mean_of(s, in, j), deviation;

		if (!in->use[j] || !is_known(s, in, j))
			continue;
		deviation = deviation_of(s, in, j, mean);
		if (deviation == 0)
			continue;
		s->columns[s->dim] = j;
		s->mean[s->dim] = mean;
		s->deviation[s->dim++] = deviation;
	}
}

static void normalise(struct suite_statistics *s, const struct input *in)
{
	s->normalised = checked_array(s->n * s->dim, sizeof(*s->normalised));
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->dim; j++)
			s->normalised[i * s->dim + j] = (value_at(in, s->rows[i], s->columns[j]) -
							 s->mean[j]) /
							s->deviation[j];
}

/* ---- components, distances, clusters ------------------------------------------------------- */

static void find_components(struct suite_statistics *s)
{
	struct points points = { .n = s->n,
				 .dim = (unsigned)s->dim,
				 .at = s->normalised,
				 .weights = checked_array(s->n, sizeof(double)) };
	size_t most = s->n - 1 < s->dim ? s->n - 1 : s->dim;

	for (size_t i = 0; i < s->n; i++)
		points.weights[i] = 1 / (double)(s->n - 1);
	principal_project(&points, (unsigned)most, &s->principal);
	for (s->kept = 1; s->kept < most; s->kept++)
		if (s->principal.shares[s->kept] * s->principal.variance < 1)
			break;
	free(points.weights);
}

static double distance(const struct suite_statistics *s, const double *a, const double *b)
{
	return sqrt(squared_distance(a, b, s->kept) / (double)s->dim);
}

static void find_distances(struct suite_statistics *s)
{
	s->distances = checked_array(s->n * s->n, sizeof(*s->distances));
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->n; j++)
			s->distances[i * s->n + j] = distance(s, suite_point(s, i),
							      suite_point(s, j));
	s->merges = checked_array(s->n, sizeof(*s->merges));
	s->order = checked_array(s->n, sizeof(*s->order));
	suite_tree(s->distances, s->n, s->merges);
	suite_tree_order(s->merges, s->n, s->order);
}

/* Marks the traces that are nearest to the centres of their clusters, the first of several. */
static void find_representatives(struct suite_statistics *s)
{
	const struct clustering *c = chosen_clusters(s);
	size_t *nearest = checked_array(c->k, sizeof(*nearest));

	s->to_centre = checked_array(s->n, sizeof(*s->to_centre));
	s->representative = checked_array(s->n, sizeof(*s->representative));
	for (size_t i = 0; i < s->n; i++)
		s->to_centre[i] = distance(s, suite_point(s, i),
					   c->centres + (size_t)c->labels[i] * c->dim);
	for (unsigned k = 0; k < c->k; k++)
		nearest[k] = SIZE_MAX;
	for (size_t i = 0; i < s->n; i++) {
		size_t *best = &nearest[c->labels[i]];

		if (*best == SIZE_MAX || s->to_centre[i] < s->to_centre[*best])
			*best = i;
	}
	for (unsigned k = 0; k < c->k; k++)
		if (nearest[k] != SIZE_MAX)
			s->representative[nearest[k]] = true;
	free(nearest);
}

static void find_clusters(struct suite_statistics *s)
{
	struct points points = { .n = s->n,
				 .dim = s->kept,
				 .at = checked_array(s->n * s->kept, sizeof(double)),
				 .weights = checked_array(s->n, sizeof(double)) };

	for (size_t i = 0; i < s->n; i++) {
		memcpy(points.at + i * s->kept, suite_point(s, i), s->kept * sizeof(double));
		points.weights[i] = 1 / (double)s->n;
	}
	find_suite_clusters(&points, &s->clusters);
	find_representatives(s);
	free(points.at);
	free(points.weights);
}

void suite_statistics(const double *values, size_t n_rows, size_t n_columns, const bool *use,
		      struct suite_statistics *s)
{
	struct input in = { values, n_rows, n_columns, use };

	*s = (struct suite_statistics){ 0 };
	choose_rows(s, &in);
	choose_columns(s, &in);
	if (!s->dim)
		s->n = 0; /* nothing is known, or all traces are the same */
	if (s->n < 2)
		return;
	normalise(s, &in);
	find_components(s);
	find_distances(s);
	find_clusters(s);
}

void suite_statistics_free(struct suite_statistics *s)
{
	free(s->rows);
	free(s->columns);
	free(s->mean);
	free(s->deviation);
	free(s->normalised);
	principal_free(&s->principal);
	free(s->distances);
	free(s->merges);
	free(s->order);
	free(s->to_centre);
	free(s->representative);
	suite_clusters_free(&s->clusters);
}
