/* SPDX-License-Identifier: MIT */
#include "recorder/core/interval_clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct interval_clusters {
	double radius;
	uint32_t n, most;
	float at[][VECTOR_SKETCH];
};

struct interval_clusters *interval_clusters_new(double radius, uint32_t most)
{
	struct interval_clusters *l = calloc(1, sizeof(*l) + most * sizeof(*l->at));

	if (l) {
		l->radius = radius;
		l->most = most;
	}
	return l;
}

void interval_clusters_free(struct interval_clusters *l)
{
	free(l);
}

uint32_t interval_clusters_n(const struct interval_clusters *l)
{
	return l->n;
}

double interval_clusters_distance(const float a[VECTOR_SKETCH], const float b[VECTOR_SKETCH])
{
	double difference = 0, lengths = 0;

	for (unsigned i = 0; i < VECTOR_SKETCH; i++) {
		double x = a[i], y = b[i];

		difference += (x - y) * (x - y);
		lengths += x * x + y * y;
	}
	return lengths > 0 ? sqrt(difference / lengths) : 0;
}

uint32_t interval_clusters_assign(struct interval_clusters *l, const float sketch[VECTOR_SKETCH],
				  double *distance)
{
	uint32_t nearest = 0;

	*distance = INFINITY;
	for (uint32_t i = 0; i < l->n; i++) {
		double d = interval_clusters_distance(l->at[i], sketch);

		if (d < *distance) {
			*distance = d;
			nearest = i;
		}
	}
	if (*distance <= l->radius || l->n == l->most)
		return nearest;
	memcpy(l->at[l->n], sketch, sizeof(*l->at));
	*distance = 0;
	return l->n++;
}
