/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/run_bounds.h"

#include <inttypes.h>
#include <string.h>

#include "analyzers/simpoint/insn_counts.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

typedef void interval_user(void *opaque, const struct tf_interval *interval);

/* Gives the end of each interval to use. Returns their number, or -1 after a message. */
static int64_t read_intervals(struct tf_reader *reader, interval_user *use, void *opaque)
{
	struct tf_intervals *intervals = NULL;
	struct tf_interval interval;
	struct tf_error error;
	int status = tf_intervals_open(reader, false, &intervals, &error);
	int64_t n = 0;

	while (status == 0 && (status = tf_intervals_next(intervals, &interval, &error)) > 0) {
		use(opaque, &interval);
		n++;
		status = 0;
	}
	tf_intervals_close(intervals);
	if (status < 0)
		command_error("%s", error.text);
	return status < 0 ? -1 : n;
}

/* ---- instructions ------------------------------------------------------------------------- */

struct starts {
	uint64_t each;
	size_t n, found;
	uint64_t *starts, *filtered;
};

static void take_start(void *opaque, const struct tf_interval *interval)
{
	struct starts *s = opaque;
	uint64_t behind = interval->number + 1;

	if (behind % s->each || behind / s->each > s->n)
		return;
	s->starts[behind / s->each] = interval->instructions;
	s->filtered[behind / s->each] = interval->filtered;
	s->found++;
}

int run_starts_read(struct tf_reader *reader, uint64_t each, size_t n, uint64_t *starts,
		    uint64_t *filtered)
{
	struct starts s = { each, n, 0, starts, filtered };
	int64_t read = read_intervals(reader, take_start, &s);

	if (read > 0 && s.found < n) {
		command_error("the ends of %zu of its %zu intervals are lost", n - s.found, n);
		return -1;
	}
	return read < 0 ? -1 : read > 0;
}

/* ---- markers ------------------------------------------------------------------------------ */

/* A bound that gets its marker and counts. */
struct run_bound {
	struct bound *bound;
	struct bound *next; /* of the region; NULL: it is the last */
};

struct run_markers {
	struct tf_reader *reader;
	uint64_t each;
	struct run_bound *at; /* ascending by interval */
	size_t n;
	size_t next; /* bounds before it are done */
	struct insn_counts *counts;
};

static int compare_bounds(const void *a, const void *b)
{
	size_t x = ((const struct run_bound *)a)->bound->interval;
	size_t y = ((const struct run_bound *)b)->bound->interval;

	return x < y ? -1 : x > y;
}

static void list_bounds(struct run_markers *m, struct region *regions, size_t n)
{
	m->at = checked_array(3 * n, sizeof(*m->at));
	m->n = 3 * n;
	for (size_t i = 0; i < n; i++) {
		m->at[3 * i] = (struct run_bound){ &regions[i].warmup, &regions[i].start };
		m->at[3 * i + 1] = (struct run_bound){ &regions[i].start, &regions[i].end };
		m->at[3 * i + 2] = (struct run_bound){ &regions[i].end, NULL };
	}
	qsort(m->at, m->n, sizeof(*m->at), compare_bounds);
}

/* Returns the number of the recorded interval that begins at a bound. */
static uint64_t recorded_at(const struct run_markers *m, const struct run_bound *bound)
{
	return bound->bound->interval * m->each;
}

static void set_marker(struct run_markers *m, struct bound *bound,
		       const struct tf_interval *interval)
{
	const struct tf_marker *marker = &interval->marker;
	const struct tf_block *block = tf_block(m->reader, marker->block);
	struct place *place = &bound->marker;

	memcpy(bound->hash, interval->hash, sizeof(bound->hash));
	bound->has_hash = true;
	bound->is_last = !block;
	if (!block)
		return;
	bound->tier = marker->tier;
	*place = (struct place){
		.found = true,
		.ordinal = bound->instructions,
		.pc = block->pc + block->insns[marker->insn].offset,
		.module = block->module,
		.module_offset = block->module_offset + block->insns[marker->insn].offset,
	};
	bound->insn = insn_counts_add(m->counts, insn_key_of(block, marker->insn));
}

static void take_interval(void *opaque, const struct tf_interval *interval)
{
	struct run_markers *m = opaque;

	while (m->next < m->n && recorded_at(m, &m->at[m->next]) <= interval->number)
		m->next++;
	for (size_t i = m->next; i < m->n && recorded_at(m, &m->at[i]) == interval->number + 1; i++)
		set_marker(m, m->at[i].bound, interval);
}

/* Takes the counts for the bounds up to the begin of a recorded interval. */
static void take_counts(struct run_markers *m, uint64_t recorded)
{
	for (; m->next < m->n && recorded_at(m, &m->at[m->next]) <= recorded; m->next++) {
		struct bound *bound = m->at[m->next].bound, *next = m->at[m->next].next;

		if (bound->marker.found)
			bound->marker.count = insn_counts_of(m->counts, bound->insn) + 1;
		if (next && next->marker.found)
			next->marker.before = insn_counts_of(m->counts, next->insn);
	}
}

static bool count_markers(struct run_markers *m, unsigned jobs)
{
	struct tf_vectors *vectors = NULL;
	struct tf_vector vector;
	struct tf_error error;
	int status = tf_vectors_open(m->reader, &vectors, &error);

	m->next = 0;
	if (status == 0)
		tf_vectors_read_ahead(vectors, jobs - 1, true);
	while (status == 0 && (status = tf_vectors_next(vectors, &vector, &error)) > 0) {
		take_counts(m, vector.interval);
		insn_counts_take(m->counts, &vector);
		status = 0;
	}
	take_counts(m, UINT64_MAX);
	tf_vectors_close(vectors);
	if (status < 0)
		command_error("%s", error.text);
	return status == 0;
}

bool run_markers_find(struct tf_reader *reader, uint64_t each, struct region *regions, size_t n,
		      unsigned jobs)
{
	struct run_markers m = {
		.reader = reader,
		.each = each,
		.counts = insn_counts_new(reader),
	};
	bool found;

	list_bounds(&m, regions, n);
	found = read_intervals(reader, take_interval, &m) >= 0 && count_markers(&m, jobs);
	free(m.at);
	insn_counts_free(m.counts);
	return found;
}
