/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/proven_markers.h"

#include <string.h>

#include "analyzers/simpoint/insn_counts.h"
#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

/* A marker at a bound of intervals. */
struct candidate {
	bool known;          /* false: there is none */
	bool matched;        /* the other run has its module */
	uint32_t own, other; /* numbers in the counts */
};

struct comparison {
	struct tf_reader *reader, *other;
	uint64_t each;
	size_t n;
	uint32_t *modules; /* of the other run, by index; TF_NONE: not there */
	struct insn_counts *counts, *other_counts;
	struct candidate *bounds; /* n + 1 */
};

/* ---- modules ------------------------------------------------------------------------------ */

static bool is_same_module(const struct tf_module *a, const struct tf_module *b)
{
	if (a->build_id_size && b->build_id_size)
		return a->build_id_size == b->build_id_size &&
		       !memcmp(a->build_id, b->build_id, a->build_id_size);
	return !strcmp(base_name(a->path), base_name(b->path));
}

uint32_t find_same_module(const struct tf_reader *reader, const struct tf_module *module)
{
	for (uint32_t i = 0; module && i < tf_n_modules(reader); i++) {
		const struct tf_module *candidate = tf_module(reader, i);

		if (candidate && is_same_module(module, candidate))
			return i;
	}
	return TF_NONE;
}

static void match_modules(struct comparison *c)
{
	c->modules = checked_array(tf_n_modules(c->reader), sizeof(*c->modules));
	for (uint32_t i = 0; i < tf_n_modules(c->reader); i++)
		c->modules[i] = find_same_module(c->other, tf_module(c->reader, i));
}

/* ---- counting ----------------------------------------------------------------------------- */

static void add_candidate(struct comparison *c, const struct tf_interval *interval)
{
	const struct tf_block *block = tf_block(c->reader, interval->marker.block);
	uint64_t behind = interval->number + 1;
	struct candidate *candidate;
	struct insn_key key;

	if (behind % c->each || behind / c->each > c->n || !block)
		return;
	candidate = &c->bounds[behind / c->each];
	key = insn_key_of(block, interval->marker.insn);
	candidate->known = true;
	candidate->own = insn_counts_add(c->counts, key);
	candidate->matched = block->module != TF_NONE && c->modules[block->module] != TF_NONE;
	if (!candidate->matched)
		return;
	key.module = c->modules[block->module];
	candidate->other = insn_counts_add(c->other_counts, key);
}

static int add_candidates(struct comparison *c, struct tf_error *error)
{
	struct tf_intervals *intervals = NULL;
	struct tf_interval interval;
	int status = tf_intervals_open(c->reader, false, &intervals, error);

	while (status == 0 && (status = tf_intervals_next(intervals, &interval, error)) > 0) {
		add_candidate(c, &interval);
		status = 0;
	}
	tf_intervals_close(intervals);
	return status;
}

static bool is_proven(const struct comparison *c, const struct candidate *candidate)
{
	return candidate->matched && insn_counts_of(c->counts, candidate->own) ==
					     insn_counts_of(c->other_counts, candidate->other);
}

static void take_results(const struct comparison *c, struct proven_markers *proven)
{
	*proven = (struct proven_markers){ .n = c->n };
	proven->at = checked_array(c->n + 1, sizeof(*proven->at));
	for (size_t i = 0; i <= c->n; i++) {
		proven->at[i] = !c->bounds[i].known || is_proven(c, &c->bounds[i]);
		proven->known += c->bounds[i].known;
		proven->failed += !proven->at[i];
	}
}

bool proven_markers_find(struct tf_reader *reader, struct tf_reader *other, uint64_t each, size_t n,
			 unsigned jobs, struct proven_markers *proven)
{
	struct comparison c = {
		.reader = reader,
		.other = other,
		.each = each,
		.n = n,
		.counts = insn_counts_new(reader),
		.other_counts = insn_counts_new(other),
		.bounds = checked_array(n + 1, sizeof(*c.bounds)),
	};
	struct tf_error error;
	int status;

	match_modules(&c);
	status = add_candidates(&c, &error);
	if (status == 0)
		status = insn_counts_take_all(c.counts, reader, jobs, &error);
	if (status == 0)
		status = insn_counts_take_all(c.other_counts, other, jobs, &error);
	if (status < 0)
		command_error("%s", error.text);
	else
		take_results(&c, proven);
	free(c.modules);
	free(c.bounds);
	insn_counts_free(c.counts);
	insn_counts_free(c.other_counts);
	return status == 0;
}

void proven_markers_free(struct proven_markers *proven)
{
	free(proven->at);
	*proven = (struct proven_markers){ 0 };
}

/* ---- points ------------------------------------------------------------------------------- */

static bool interval_is_proven(const struct proven_markers *proven, size_t interval)
{
	return proven->at[interval] && proven->at[interval + 1];
}

/* Returns the best interval of a cluster without a point, or SIZE_MAX. */
static size_t nearest_proven(const struct proven_markers *proven, const struct selection *s,
			     unsigned cluster, const bool *taken)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < proven->n; i++)
		if (s->labels[i] == cluster && !taken[i] && interval_is_proven(proven, i) &&
		    (best == SIZE_MAX || select_key(s, i) < select_key(s, best)))
			best = i;
	return best;
}

unsigned proven_markers_prefer(const struct proven_markers *proven, struct selection *s)
{
	bool *taken = checked_array(proven->n, sizeof(*taken));
	unsigned stay = 0;

	for (unsigned i = 0; i < s->n; i++)
		taken[s->at[i].interval] = true;
	for (unsigned i = 0; i < s->n; i++) {
		size_t better;

		if (interval_is_proven(proven, s->at[i].interval))
			continue;
		better = nearest_proven(proven, s, s->at[i].cluster, taken);
		if (better == SIZE_MAX) {
			stay++;
			continue;
		}
		taken[better] = true;
		s->at[i].interval = better;
		s->at[i].distance = s->distances[better];
	}
	free(taken);
	return stay;
}
