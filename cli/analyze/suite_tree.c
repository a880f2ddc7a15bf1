/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_tree.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"

struct tree {
	size_t n;
	double *distances; /* n * n, between clusters; a place is that of a cluster's first trace */
	size_t *numbers;   /* by place: of the cluster; SIZE_MAX: none is there */
	size_t *sizes;     /* by place: traces */
	size_t *nearest;   /* by place: the nearest later place, the first of several */
};

static double between(const struct tree *t, size_t a, size_t b)
{
	return t->distances[a * t->n + b];
}

static bool is_free(const struct tree *t, size_t place)
{
	return t->numbers[place] == SIZE_MAX;
}

/* Compares pairs of places by distance, and then by the numbers of their clusters. */
static bool is_closer(const struct tree *t, size_t a, size_t b, size_t c, size_t d)
{
	double x = between(t, a, b), y = between(t, c, d);
	size_t p = t->numbers[a], q = t->numbers[b], r = t->numbers[c], s = t->numbers[d];

	if (x != y)
		return x < y;
	if ((p < q ? p : q) != (r < s ? r : s))
		return (p < q ? p : q) < (r < s ? r : s);
	return (p < q ? q : p) < (r < s ? s : r);
}

static void find_nearest(struct tree *t, size_t place)
{
	size_t best = SIZE_MAX;

	for (size_t other = place + 1; other < t->n; other++)
		if (!is_free(t, other) &&
		    (best == SIZE_MAX || is_closer(t, place, other, place, best)))
			best = other;
	t->nearest[place] = best;
}

/* Returns the place whose pair with its nearest is the closest one of all. */
static size_t closest(const struct tree *t)
{
	size_t best = SIZE_MAX;

	for (size_t place = 0; place < t->n; place++)
		if (!is_free(t, place) && t->nearest[place] != SIZE_MAX &&
		    (best == SIZE_MAX ||
		     is_closer(t, place, t->nearest[place], best, t->nearest[best])))
			best = place;
	return best;
}

/* Merges the cluster at b into that at a, a < b; `number` is that of the merged one. */
static void merge(struct tree *t, size_t a, size_t b, size_t number)
{
	double x = (double)t->sizes[a], y = (double)t->sizes[b];

	for (size_t c = 0; c < t->n; c++) {
		if (is_free(t, c) || c == a || c == b)
			continue;
		t->distances[a * t->n + c] = (x * between(t, a, c) + y * between(t, b, c)) /
					     (x + y);
		t->distances[c * t->n + a] = between(t, a, c);
	}
	t->numbers[a] = number;
	t->numbers[b] = SIZE_MAX;
	t->sizes[a] += t->sizes[b];
	for (size_t c = 0; c < t->n; c++)
		if (!is_free(t, c) && (c == a || t->nearest[c] == a || t->nearest[c] == b))
			find_nearest(t, c);
		else if (!is_free(t, c) && c < a && is_closer(t, c, a, c, t->nearest[c]))
			t->nearest[c] = a;
}

void suite_tree(const double *distances, size_t n, struct suite_merge *merges)
{
	struct tree t = { .n = n,
			  .distances = checked_array(n * n, sizeof(double)),
			  .numbers = checked_array(n, sizeof(size_t)),
			  .sizes = checked_array(n, sizeof(size_t)),
			  .nearest = checked_array(n, sizeof(size_t)) };

	memcpy(t.distances, distances, n * n * sizeof(*distances));
	for (size_t i = 0; i < n; i++) {
		t.numbers[i] = i;
		t.sizes[i] = 1;
	}
	for (size_t i = 0; i < n; i++)
		find_nearest(&t, i);
	for (size_t m = 0; m + 1 < n; m++) {
		size_t a = closest(&t), b = t.nearest[a];
		size_t x = t.numbers[a], y = t.numbers[b];

		merges[m] = (struct suite_merge){ x < y ? x : y, x < y ? y : x, between(&t, a, b),
						  t.sizes[a] + t.sizes[b] };
		merge(&t, a, b, n + m);
	}
	free(t.distances);
	free(t.numbers);
	free(t.sizes);
	free(t.nearest);
}

void suite_tree_order(const struct suite_merge *merges, size_t n, size_t *order)
{
	size_t *open = checked_array(2 * n, sizeof(*open)), depth = 0, count = 0;

	open[depth++] = 2 * n - 2; /* the last merge, or the only trace */
	while (depth) {
		size_t cluster = open[--depth];

		if (cluster < n) {
			order[count++] = cluster;
		} else {
			open[depth++] = merges[cluster - n].second;
			open[depth++] = merges[cluster - n].first;
		}
	}
	free(open);
}
