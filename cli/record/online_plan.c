/* SPDX-License-Identifier: MIT */
#include "cli/record/online_plan.h"

#include <inttypes.h>
#include <math.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* Returns the filtered instructions of the run. */
static uint64_t run_filtered(const struct record_clusters *c)
{
	return c->n_intervals ? c->intervals[c->n_intervals - 1].filtered : 0;
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : NAN;
}

double online_weight(const struct record_clusters *c, const struct record_cluster *cluster)
{
	return share(cluster->filtered, run_filtered(c));
}

double online_multiplier(const struct record_cluster *c)
{
	return c->slice == UINT64_MAX ? NAN
				      : share(c->filtered, c->filtered_end - c->filtered_start);
}

double online_represented(const struct record_clusters *c)
{
	uint64_t filtered = 0;

	for (size_t i = 0; i < c->n; i++)
		filtered += c->at[i].slice == UINT64_MAX ? 0 : c->at[i].filtered;
	return share(filtered, run_filtered(c));
}

double online_outside(const struct online_results *r)
{
	const struct record_clusters *c = r->clusters;
	uint64_t outside = 0, before = 0;

	for (size_t i = 0; i < c->n_intervals; i++) {
		if (c->intervals[i].distance > r->options->online.radius)
			outside += c->intervals[i].filtered - before;
		before = c->intervals[i].filtered;
	}
	return share(outside, run_filtered(c));
}

/* Returns the mean distance of intervals from the first of their cluster. */
static double mean_distance(const struct record_clusters *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->n; i++)
		sum += c->at[i].distance * (double)c->at[i].filtered;
	return sum / (double)run_filtered(c);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void add_real(json_t *object, const char *name, double value)
{
	json_member(object, name, isfinite(value) ? json_real(value) : json_null());
}

static void add_number(json_t *object, const char *name, uint64_t value)
{
	json_member(object, name, json_number(value));
}

/* Adds where a slice is, or where the first interval of a cluster without one is. */
static void add_place(json_t *point, const struct record_clusters *c,
		      const struct record_cluster *cluster)
{
	static const struct record_member begin;
	const struct record_member *first = &c->intervals[cluster->first];
	const struct record_member *before = cluster->first ? first - 1 : &begin;
	bool found = cluster->slice != UINT64_MAX;

	add_number(point, "start", found ? cluster->start : before->end);
	add_number(point, "end", found ? cluster->end : first->end);
	add_number(point, "filtered_start", found ? cluster->filtered_start : before->filtered);
	add_number(point, "filtered_end", found ? cluster->filtered_end : first->filtered);
	add_real(point, "multiplier",
		 found ? online_multiplier(cluster)
		       : share(cluster->filtered, first->filtered - before->filtered));
	add_real(point, "slice_distance",
		 c->intervals[found ? cluster->slice : cluster->first].distance);
}

static json_t *point_json(const struct record_clusters *c, size_t i)
{
	const struct record_cluster *cluster = &c->at[i];
	json_t *point = checked(json_object());

	add_number(point, "cluster", i);
	add_number(point, "interval",
		   cluster->slice == UINT64_MAX ? cluster->first : cluster->slice);
	add_real(point, "weight", online_weight(c, cluster));
	add_number(point, "intervals", cluster->intervals);
	add_place(point, c, cluster);
	add_real(point, "distance", cluster->distance);
	add_real(point, "radius", cluster->radius);
	return point;
}

static json_t *points_json(const struct record_clusters *c, bool missing)
{
	json_t *points = checked(json_array());

	for (size_t i = 0; i < c->n; i++)
		if ((c->at[i].slice == UINT64_MAX) == missing)
			json_element(points, point_json(c, i));
	return points;
}

void online_write_plan(const struct online_results *r, bool missing, FILE *out)
{
	const struct record_clusters *c = r->clusters;
	json_t *root = checked(json_object());

	json_member(root, "trace", json_text(r->windows));
	json_member(root, "uuid", json_text(r->uuid));
	json_member(root, "select", json_word("online"));
	json_member(root, "counter", json_word("exact"));
	add_number(root, "interval_size", r->options->online.interval);
	add_number(root, "intervals", c->n_intervals);
	add_number(root, "instructions", c->n_intervals ? c->intervals[c->n_intervals - 1].end : 0);
	add_number(root, "filtered", run_filtered(c));
	add_number(root, "clusters", c->n);
	add_number(root, "max_k", r->options->online.max_clusters);
	add_real(root, "radius", 100 * r->options->online.radius);
	add_real(root, "represented", 100 * online_represented(c));
	add_real(root, "outside", 100 * online_outside(r));
	add_real(root, "mean_distance", 100 * mean_distance(c));
	add_real(root, "sketch_error", 100 * c->error);
	add_number(root, "recorded_in_vain", c->dropped);
	json_member(root, "points", points_json(c, missing));
	if (!missing)
		json_member(root, "missing", points_json(c, true));
	json_put_line(out, root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
}

void online_write_labels(const struct online_results *r, FILE *out)
{
	for (size_t i = 0; i < r->clusters->n_intervals; i++)
		fprintf(out, "%" PRIu32 " %g\n", r->clusters->intervals[i].cluster,
			r->clusters->intervals[i].distance);
}
