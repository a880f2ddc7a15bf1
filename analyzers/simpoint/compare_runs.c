/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/compare_runs.h"

#include <math.h>

#include "analyzers/simpoint/compared_heads.h"
#include "analyzers/simpoint/row_distance.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/tracesamples.h"

enum { OWN, OTHER };

/* Distances of intervals, at most. */
static const double alike = 0.001, close_by = 0.05;

/* A distance below this is a sum's error. */
static const double rounding = 1e-9;

/* A dimension of the first run, by its identity. */
struct same_block {
	uint64_t key;
	uint32_t dimension;
};

/* A pair of intervals. */
struct pair {
	double distance;
	uint64_t ends[2]; /* instructions up to their ends */
	enum { UNKNOWN, SAME, DIFFERENT } hash;
	char *function; /* with the greatest difference of shares; NULL: not known */
};

struct comparing {
	const struct run_comparison *c;
	struct vector_run *runs[2];
	HASH_TABLE(struct same_block) blocks;
	uint32_t n_known;     /* dimensions of the first run that are in blocks */
	ARRAY(double) shares; /* of an interval of the first run, by dimension - 1 */
	ARRAY(struct pair) pairs;
	size_t n[2]; /* intervals */
};

/* ---- distances ---------------------------------------------------------------------------- */

/* Adds the dimensions that are new in the first run. */
static void learn_blocks(struct comparing *c)
{
	uint32_t n = vector_run_dimensions(c->runs[OWN]);

	for (; c->n_known < n; c->n_known++) {
		uint64_t identity = vector_run_identity(c->runs[OWN], c->n_known + 1);
		struct same_block *block = TABLE_PUT(c->blocks, identity);

		if (!block)
			out_of_memory();
		block->dimension = c->n_known + 1;
	}
	CHECKED_RESERVE(c->shares, n);
}

/* The block whose shares differ most. */
struct greatest {
	double difference;
	enum { IN_OWN, IN_OTHER } run;
	uint32_t dimension;
};

static void note_difference(struct greatest *g, double difference, int run, uint32_t dimension)
{
	if (fabs(difference) > g->difference)
		*g = (struct greatest){ fabs(difference), run, dimension };
}

/* Returns the distance of two rows. */
static double compare_rows(struct comparing *c, const struct bb_row *own,
			   const struct bb_row *other, struct greatest *greatest)
{
	double common = 0;

	row_add_shares(own, 1, c->shares.at);
	for (uint32_t k = 0; k < other->n; k++) {
		uint64_t identity = vector_run_identity(c->runs[OTHER], other->ids[k]);
		const struct same_block *block = TABLE_FIND(c->blocks, identity);
		double share = other->values[k] / other->sum;
		double *with = block ? &c->shares.at[block->dimension - 1] : NULL;

		common += with ? fmin(*with, share) : 0;
		note_difference(greatest, with ? share - *with : share, OTHER, other->ids[k]);
		if (with)
			*with = 0;
	}
	for (uint32_t k = 0; k < own->n; k++) /* those that the other run lacks */
		note_difference(greatest, c->shares.at[own->ids[k] - 1], OWN, own->ids[k]);
	row_clear_shares(own, c->shares.at);
	return 1 - common < rounding || (own->sum == 0 && other->sum == 0) ? 0 : 1 - common;
}

static char *name_of(const struct comparing *c, const struct greatest *greatest)
{
	bool is_function;
	char *name, *shown;

	if (!greatest->dimension)
		return NULL;
	name = vector_run_name(c->runs[greatest->run], greatest->dimension, &is_function);
	shown = escape_text(name);
	free(name);
	return shown;
}

static void add_pair(struct comparing *c, const struct run_interval *own,
		     const struct run_interval *other)
{
	struct greatest greatest = { 0 };
	struct pair *pair;

	learn_blocks(c);
	CHECKED_RESERVE(c->pairs, c->pairs.count + 1);
	pair = &c->pairs.at[c->pairs.count++];
	*pair = (struct pair){
		.distance = compare_rows(c, &own->row, &other->row, &greatest),
		.ends = { own->end, other->end },
	};
	if (pair->distance > 0)
		pair->function = name_of(c, &greatest);
}

/* Reads both runs to their ends. Returns false after a message. */
static bool compare_intervals(struct comparing *c)
{
	struct run_interval intervals[2];
	int status[2] = { 1, 1 };

	do {
		for (int r = OWN; r <= OTHER; r++)
			if (status[r] > 0)
				c->n[r] += (status[r] = vector_run_next(c->runs[r],
									&intervals[r])) > 0;
		if (status[OWN] > 0 && status[OTHER] > 0)
			add_pair(c, &intervals[OWN], &intervals[OTHER]);
	} while ((status[OWN] > 0 || status[OTHER] > 0) && status[OWN] >= 0 && status[OTHER] >= 0);
	return status[OWN] >= 0 && status[OTHER] >= 0;
}

/* ---- hashes ------------------------------------------------------------------------------- */

/* Sets whether the pairs end with the same hash, if both runs have hashes. Returns a status. */
static int compare_hashes(struct comparing *c, struct tf_error *error)
{
	struct tf_intervals *intervals[2] = { NULL, NULL };
	struct tf_interval interval[2];
	int status = 0;

	for (int r = OWN; r <= OTHER && status == 0; r++)
		status = tf_intervals_open(c->c->readers[r], false, &intervals[r], error);
	while (status == 0) {
		for (int r = OWN; r <= OTHER && status >= 0; r++)
			status = tf_intervals_next(intervals[r], &interval[r], error);
		if (status <= 0 || interval[OWN].number != interval[OTHER].number)
			break;
		status = 0;

		uint64_t behind = interval[OWN].number + 1, i = behind / c->c->options.each;

		if (behind % c->c->options.each || i > c->pairs.count)
			continue;
		c->pairs.at[i - 1].hash = memcmp(interval[OWN].hash, interval[OTHER].hash,
						 TF_INTERVAL_HASH)
						  ? DIFFERENT
						  : SAME;
	}
	tf_intervals_close(intervals[OWN]);
	tf_intervals_close(intervals[OTHER]);
	return status < 0 ? status : 0;
}

/* ---- the report --------------------------------------------------------------------------- */

static bool differs(const struct pair *pair)
{
	return pair->distance > 0 || pair->ends[OWN] != pair->ends[OTHER];
}

/* Returns the first pair behind whose beginning the runs do not execute the same. */
static size_t first_departure(const struct comparing *c)
{
	size_t i = 0;

	while (i < c->pairs.count && !differs(&c->pairs.at[i]) && c->pairs.at[i].hash != DIFFERENT)
		i++;
	return i;
}

static void put_head(const struct comparing *c, struct report *r)
{
	static const char *const names[] = { "identical", "alike", "close", "different" };
	uint64_t counts[4] = { 0 };
	size_t first = first_departure(c);
	double sum = 0;

	for (size_t i = 0; i < c->pairs.count; i++) {
		const struct pair *pair = &c->pairs.at[i];

		sum += pair->distance;
		counts[pair->distance == 0          ? 0
		       : pair->distance <= alike    ? 1
		       : pair->distance <= close_by ? 2
						    : 3]++;
	}
	report_string(r, "trace", c->c->paths[OWN]);
	report_string(r, "other", c->c->paths[OTHER]);
	report_u64(r, "intervals", "", c->n[OWN]);
	report_u64(r, "other_intervals", "", c->n[OTHER]);
	report_f64(r, "mean_distance", "%", 100 * sum / (double)c->pairs.count);
	for (unsigned k = 0; k < 4; k++)
		report_u64(r, names[k], "intervals", counts[k]);
	if (first < c->pairs.count) {
		report_u64(r, "first_departure", "", first);
		report_string(r, "departs_in", c->pairs.at[first].function);
	}
}

/* Text has only the intervals that are not identical. */
static void put_pairs(const struct comparing *c, struct report *r)
{
	static const struct report_column columns[] = {
		{ "interval", REPORT_U64, "" },
		{ "distance", REPORT_F64, "%" },
		{ "end", REPORT_U64, "" },
		{ "other_end", REPORT_U64, "" },
		{ "hash", REPORT_STRING, "" },
		{ "most_in", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const char *const hashes[] = { NULL, "same", "different" };

	report_table(r, "distances", columns);
	for (size_t i = 0; i < c->pairs.count; i++) {
		const struct pair *pair = &c->pairs.at[i];

		if (c->c->format != REPORT_TEXT || differs(pair))
			report_row(r, (uint64_t)i, 100 * pair->distance, pair->ends[OWN],
				   pair->ends[OTHER], hashes[pair->hash], pair->function);
	}
}

static void put_report(const struct comparing *c, const struct compared_heads *heads, FILE *out)
{
	struct report *r = report_begin(out, c->c->format);

	if (c->c->format != REPORT_CSV)
		put_head(c, r);
	put_pairs(c, r);
	if (c->c->format != REPORT_CSV)
		compared_heads_report(heads, r);
	report_end(r);
}

int compare_runs(const struct run_comparison *comparison, FILE *out)
{
	struct comparing c = { .c = comparison };
	struct compared_heads heads = { 0 };
	struct tf_error error;
	bool done = true;

	for (int r = OWN; r <= OTHER && done; r++) {
		c.runs[r] = vector_run_open(comparison->readers[r], &comparison->options);
		done = c.runs[r];
	}
	done = done && compare_intervals(&c);
	if (done && (compare_hashes(&c, &error) < 0 ||
		     compared_heads_compare(comparison->readers, comparison->options.jobs, &heads,
					    &error) < 0)) {
		command_error("%s", error.text);
		done = false;
	}
	if (done && !c.pairs.count) {
		command_error("%s: the two runs have no whole interval in common",
			      comparison->paths[OTHER]);
		done = false;
	}
	if (done)
		put_report(&c, &heads, out);
	compared_heads_free(&heads);
	for (size_t i = 0; i < c.pairs.count; i++)
		free(c.pairs.at[i].function);
	free(c.pairs.at);
	free(c.shares.at);
	TABLE_FREE(c.blocks);
	vector_run_close(c.runs[OWN]);
	vector_run_close(c.runs[OTHER]);
	return done ? EXIT_DONE : EXIT_FAILED;
}
