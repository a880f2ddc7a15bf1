/* SPDX-License-Identifier: MIT */
/* A selection from many points, of which a sample is clustered first. */
#include <math.h>

#include "analyzers/simpoint/simpoints.h"
#include "cli/common/checked.h"

enum { SAMPLE = 20000, REFINEMENTS = 10 };

void simpoints_take_many(struct simpoints *s)
{
	const struct points *p = &s->points;

	float_points_begin(&s->many.points, p->dim);
	float_points_add(&s->many.points, p->n);
	for (size_t i = 0; i < p->n; i++) {
		s->many.points.weights[i] = p->weights[i];
		for (unsigned j = 0; j < p->dim; j++)
			float_point(&s->many.points, i)[j] = (float)point(p, i)[j];
	}
}

void simpoints_sample(struct simpoints *s)
{
	struct many_points *m = &s->many;
	size_t size = s->o.sample_size ? (size_t)s->o.sample_size : SAMPLE;

	m->stands = float_points_merge(&m->points);
	m->first = checked_array(m->points.n, sizeof(*m->first));
	for (size_t i = s->points.n; i--;)
		m->first[m->stands[i]] = i;
	m->places = float_sample_draw(&m->points, size, s->o.seed_sample, &m->sample.points);
	m->sample.represents = s->points.n;
	m->sample.initial = s->o.initial;
	m->sample.iterations = s->o.iterations < UINT32_MAX ? (unsigned)s->o.iterations
							    : UINT32_MAX;
}

void simpoints_refine(struct simpoints *s)
{
	const struct many_points *m = &s->many;
	struct clustering c;
	double *distances;

	float_refine(&m->points, search_best(&s->search, s->search.chosen), REFINEMENTS, s->o.jobs,
		     &c);
	distances = checked_array(m->points.n, sizeof(*distances));
	bounded_distances(&m->points, &c, distances, s->o.jobs);
	s->distances = checked_array(s->points.n, sizeof(*s->distances));
	s->whole = c;
	s->whole.labels = checked_array(s->points.n, sizeof(*s->whole.labels));
	for (size_t i = 0; i < s->points.n; i++) {
		s->whole.labels[i] = c.labels[m->stands[i]];
		s->distances[i] = distances[m->stands[i]];
	}
	free(c.labels);
	free(distances);
}

double simpoints_sample_variance(const struct simpoints *s)
{
	const struct float_points *p = &s->many.sample.points;
	double *mean = checked_array(p->dim, sizeof(*mean)), weight = 0, sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		weight += p->weights[i];
		for (unsigned j = 0; j < p->dim; j++)
			mean[j] += p->weights[i] * (double)float_point(p, i)[j];
	}
	for (size_t i = 0; i < p->n; i++)
		for (unsigned j = 0; j < p->dim; j++) {
			double d = (double)float_point(p, i)[j] - mean[j] / weight;

			sum += p->weights[i] * d * d;
		}
	free(mean);
	return sum / weight / p->dim;
}

void many_points_free(struct many_points *m)
{
	float_points_free(&m->points);
	float_points_free(&m->sample.points);
	free(m->stands);
	free(m->first);
	free(m->places);
}
