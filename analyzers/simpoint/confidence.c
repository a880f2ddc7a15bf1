/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/confidence.h"

#include <math.h>

#include "analyzers/simpoint/student.h"
#include "cli/common/checked.h"

/* The moments of a stratum's points. */
struct moments {
	double x, y;     /* means */
	double z;        /* mean */
	double variance; /* of z; NaN: of one point */
};

/* Returns true if the stratum's variance is needed but not known. */
static bool is_single(const struct sampled_stratum *s)
{
	return s->points == 1 && s->intervals > 1;
}

enum confidence_kind confidence_kind(const struct strata *s)
{
	size_t single = 0;

	for (size_t h = 0; h < s->n; h++)
		single += is_single(&s->at[h]);
	if (!s->by_chance || single == 1)
		return CONFIDENCE_NONE;
	return single ? CONFIDENCE_COLLAPSED : CONFIDENCE_STRATIFIED;
}

static double size_of(const struct sampled_stratum *s, bool by_weight)
{
	return by_weight ? s->weight : s->intervals;
}

static double ratio(const struct strata *s, const struct moments *m, bool by_weight)
{
	double x = 0, y = 0;

	for (size_t h = 0; h < s->n; h++) {
		x += size_of(&s->at[h], by_weight) * m[h].x;
		y += size_of(&s->at[h], by_weight) * m[h].y;
	}
	return x / y;
}

/* Computes the moments. Returns R. */
static double take_moments(const struct strata *s, const double *x, const double *y, bool by_weight,
			   struct moments *m)
{
	double r;

	for (size_t i = 0; i < s->n_points; i++) {
		m[s->of[i]].x += x[i] / (double)s->at[s->of[i]].points;
		m[s->of[i]].y += y[i] / (double)s->at[s->of[i]].points;
	}
	r = ratio(s, m, by_weight);
	for (size_t h = 0; h < s->n; h++) {
		m[h].z = m[h].x - r * m[h].y;
		m[h].variance = s->at[h].points > 1 ? 0 : NAN;
	}
	for (size_t i = 0; i < s->n_points; i++) {
		struct moments *own = &m[s->of[i]];
		double z = x[i] - r * y[i] - own->z;

		own->variance += z * z / ((double)s->at[s->of[i]].points - 1);
	}
	return r;
}

/* The sum of the parts of a variance, with what its degrees of freedom follow from. */
struct parts {
	double sum, squares;
};

static void add_part(struct parts *parts, double part, double freedom)
{
	parts->sum += part;
	parts->squares += part * part / freedom;
}

/* Adds a group of n strata with one point each. */
static void add_group(struct parts *parts, const double *totals, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		mean += totals[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (totals[i] - mean) * (totals[i] - mean);
	add_part(parts, (double)n / (double)(n - 1) * sum, (double)(n - 1));
}

static void add_single(struct parts *parts, const struct strata *s, const struct moments *m,
		       bool by_weight)
{
	double *totals = checked_array(s->n, sizeof(*totals));
	size_t n = 0;

	for (size_t h = 0; h < s->n; h++)
		if (is_single(&s->at[h]))
			totals[n++] = size_of(&s->at[h], by_weight) * m[h].z;
	for (size_t i = 0; i + 1 < n; i += 2)
		if (n - i == 3)
			add_group(parts, totals + i++, 3);
		else
			add_group(parts, totals + i, 2);
	free(totals);
}

static struct parts variance_of(const struct strata *s, const struct moments *m, bool by_weight)
{
	struct parts parts = { 0 };

	for (size_t h = 0; h < s->n; h++) {
		const struct sampled_stratum *t = &s->at[h];
		double size = size_of(t, by_weight), n = (double)t->points;

		if (n > 1)
			add_part(&parts, size * size * (1 - n / t->intervals) * m[h].variance / n,
				 n - 1);
	}
	add_single(&parts, s, m, by_weight);
	return parts;
}

/* Returns the variance of z in the whole program. That of a single point counts as 0. */
static double variance_in_program(const struct strata *s, const struct moments *m, bool by_weight)
{
	double size = 0, mean = 0, sum = 0;

	for (size_t h = 0; h < s->n; h++) {
		size += size_of(&s->at[h], by_weight);
		mean += size_of(&s->at[h], by_weight) * m[h].z;
	}
	mean /= size;
	for (size_t h = 0; h < s->n; h++) {
		double within = isnan(m[h].variance) ? 0 : m[h].variance;
		double between = (m[h].z - mean) * (m[h].z - mean);

		sum += size_of(&s->at[h], by_weight) * (within + between);
	}
	return sum / size;
}

/* Sets the numbers of intervals. */
static void count_intervals(const struct strata *s, const struct moments *m, bool by_weight,
			    double variance, const struct confidence_options *o,
			    struct confidence *c)
{
	double size = 0, x = 0, all = 0, n;
	double in_program = variance_in_program(s, m, by_weight);

	for (size_t h = 0; h < s->n; h++) {
		size += size_of(&s->at[h], by_weight);
		x += size_of(&s->at[h], by_weight) * m[h].x;
		all += s->at[h].intervals;
	}
	c->effective = in_program / (variance / (size * size));
	n = student_quantile(o->confidence, HUGE_VAL) * sqrt(in_program) / (x / size) /
	    o->precision;
	c->needed = n * n / (1 + n * n / all);
}

struct confidence confidence_of(const struct strata *s, const double *x, const double *y,
				bool by_weight, const struct confidence_options *o)
{
	struct moments *m = checked_array(s->n, sizeof(*m));
	struct confidence c = { NAN, NAN, NAN, NAN, NAN };
	double size = 0, half;
	struct parts parts;

	c.value = take_moments(s, x, y, by_weight, m);
	if (isnan(c.value) || confidence_kind(s) == CONFIDENCE_NONE) {
		free(m);
		return c;
	}
	for (size_t h = 0; h < s->n; h++)
		size += size_of(&s->at[h], by_weight) * m[h].y;
	parts = variance_of(s, m, by_weight);
	half = parts.sum > 0
		       ? student_quantile(o->confidence, parts.sum * parts.sum / parts.squares) *
				 sqrt(parts.sum) / size
		       : 0;
	c.low = c.value - half;
	c.high = c.value + half;
	if (parts.sum > 0)
		count_intervals(s, m, by_weight, parts.sum, o, &c);
	free(m);
	return c;
}

void confidence_spreads(const struct strata *s, const double *x, const double *y, double *spreads,
			double *means)
{
	struct moments *m = checked_array(s->n, sizeof(*m));

	take_moments(s, x, y, false, m);
	for (size_t h = 0; h < s->n; h++) {
		spreads[h] = sqrt(m[h].variance);
		means[h] = m[h].x;
	}
	free(m);
}
