/* SPDX-License-Identifier: MIT */
#include "cli/record/profile.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/trace_meta.h"

enum { GUIDES = 8 }; /* before each slice */

/* ---- the file ---------------------------------------------------------------------------- */

/* Returns the path of the profile, or NULL if there is no such file. The caller frees it. */
static char *find(const struct points_plan *plan)
{
	const char *slash = strrchr(plan->path, '/');
	char *beside;

	if (access(plan->trace, R_OK) == 0)
		return checked_copy(plan->trace);
	beside = text_format("%.*s%s", slash ? (int)(slash + 1 - plan->path) : 0, plan->path,
			     base_name(plan->trace));
	if (access(beside, R_OK) == 0)
		return beside;
	free(beside);
	return NULL;
}

/* Compares two UUIDs, with or without dashes. */
static bool is_same_uuid(const char *a, const char *b)
{
	for (;;) {
		a += *a == '-';
		b += *b == '-';
		if (!*a || *a != *b)
			return *a == *b;
		a++;
		b++;
	}
}

/* Returns whether the trace is the one that the plan was made from, and has vectors. */
static bool is_usable(const struct points_plan *plan, const char *path, struct tf_reader *reader)
{
	struct tf_info info;
	struct tf_error error;
	char uuid[UUID_TEXT];

	if (tf_load(reader, &error) < 0 || tf_get_info(reader, &info, &error) < 0) {
		command_warning("%s", error.text);
		return false;
	}
	if (plan->profile && !is_same_uuid(plan->profile, uuid_text(info.uuid, uuid)))
		command_warning("%s: is not the trace that %s was made from: slices cannot be "
				"compared with it",
				path, plan->path);
	else if (!tf_meta(reader, "vectors.interval"))
		command_note("%s: has no vectors: slices are not compared with it", path);
	else
		return true;
	return false;
}

static void open_profile(const struct points_plan *plan, struct profile *p)
{
	char *path = find(plan);
	struct tf_error error;

	if (!path) {
		command_note("%s: the trace that it was made from is not there: slices cannot be "
			     "compared with the first run",
			     plan->path);
		return;
	}
	if (tf_open(path, &p->reader, &error) < 0)
		command_warning("%s", error.text);
	else if (!is_usable(plan, path, p->reader)) {
		tf_close(p->reader);
		p->reader = NULL;
	}
	free(path);
}

/* ---- intervals --------------------------------------------------------------------------- */

static char *build_id_text(const struct tf_module *module)
{
	char *text = checked_array(2 * sizeof(module->build_id) + 1, 1);

	for (unsigned i = 0; i < module->build_id_size; i++)
		snprintf(text + 2 * i, 3, "%02x", module->build_id[i]);
	return text;
}

/* Sets the place where an interval ends. The build-id is allocated. */
static void set_place(struct tf_reader *reader, const struct tf_interval *interval,
		      struct record_place *place)
{
	const struct tf_marker *m = &interval->marker;
	const struct tf_block *block = m->block == TF_NONE ? NULL : tf_block(reader, m->block);
	const struct tf_module *module = block && block->module != TF_NONE
						 ? tf_module(reader, block->module)
						 : NULL;

	*place = (struct record_place){ .instructions = interval->instructions,
					.filtered = interval->filtered };
	if (!block || m->insn >= block->n_insns)
		return;
	place->marker = (struct record_marker){
		.pc = block->pc + block->insns[m->insn].offset,
		.offset = block->module_offset + block->insns[m->insn].offset,
		.count = m->count,
	};
	if (!module)
		return;
	place->marker.module = base_name(module->path);
	if (module->build_id_size)
		place->marker.build_id = build_id_text(module);
}

/* Returns true if the place is one of the last before a slice. */
static bool is_guide(const struct points_plan *plan, const struct tf_interval *interval,
		     uint64_t interval_size)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct record_slice *slice = &plan->slices[i];
		uint64_t first = slice->first.instructions;

		first -= slice->warmup < first ? slice->warmup : first;
		if (interval->instructions < first &&
		    first - interval->instructions <= GUIDES * interval_size)
			return true;
	}
	return false;
}

static void add_interval(const struct points_plan *plan, struct profile *p,
			 const struct tf_interval *interval, uint64_t interval_size)
{
	struct record_interval *added;

	CHECKED_RESERVE(p->intervals, p->intervals.count + 1);
	added = &p->intervals.at[p->intervals.count++];
	added->number = interval->number;
	added->instructions = interval->instructions;
	CHECKED_RESERVE(p->filtered, p->filtered.count + 1);
	p->filtered.at[p->filtered.count++] = interval->filtered;
	memcpy(added->hash, interval->hash, sizeof(added->hash));
	for (size_t i = 0; i < interval->n_excluded; i++) {
		const struct tf_block *block = tf_block(p->reader, interval->excluded[i].block);

		if (block)
			code_shares_add_block(p->excluded_code, p->reader, block);
	}
	if (!interval->marker.count || !is_guide(plan, interval, interval_size))
		return;
	CHECKED_RESERVE(p->guides, p->guides.count + 1);
	set_place(p->reader, interval, &p->guides.at[p->guides.count++]);
}

static int read_intervals(const struct points_plan *plan, struct profile *p, struct tf_error *error)
{
	uint64_t interval_size = strtoull(tf_meta(p->reader, "vectors.interval"), NULL, 10);
	struct tf_intervals *intervals;
	struct tf_interval interval;
	int status = tf_intervals_open(p->reader, true, &intervals, error);

	if (status < 0)
		return status;
	while ((status = tf_intervals_next(intervals, &interval, error)) > 0)
		add_interval(plan, p, &interval, interval_size);
	tf_intervals_close(intervals);
	return status;
}

/* ---- vectors ----------------------------------------------------------------------------- */

/* The intervals of a point: from number `first` to before `behind`. */
struct extent {
	uint64_t first, behind;
};

/* Finds the intervals that end after the point's begin, and not after its end. */
static struct extent find_extent(const struct profile *p, const struct record_slice *slice)
{
	struct extent e = { UINT64_MAX, 0 };

	for (size_t i = 0; i < p->intervals.count; i++) {
		const struct record_interval *interval = &p->intervals.at[i];

		if (interval->instructions <= slice->first.instructions)
			continue;
		if (interval->instructions > slice->end.instructions)
			break;
		if (e.first == UINT64_MAX)
			e.first = interval->number;
		e.behind = interval->number + 1;
	}
	return e;
}

static void add_to_point(struct point_vector *point, const struct tf_vector *vector)
{
	CHECKED_RESERVE(point->counts, point->counts.count + vector->n_counts);
	memcpy(point->counts.at + point->counts.count, vector->counts,
	       vector->n_counts * sizeof(*vector->counts));
	point->counts.count += vector->n_counts;
}

static int read_vectors(const struct points_plan *plan, struct profile *p, struct tf_error *error)
{
	struct extent *extents = checked_array(plan->n, sizeof(*extents));
	struct tf_vectors *vectors;
	struct tf_vector vector;
	int status = tf_vectors_open(p->reader, &vectors, error);

	for (size_t i = 0; i < plan->n; i++)
		extents[i] = find_extent(p, &plan->slices[i]);
	while (status >= 0 && (status = tf_vectors_next(vectors, &vector, error)) > 0)
		for (size_t i = 0; i < plan->n; i++)
			if (vector.interval >= extents[i].first &&
			    vector.interval < extents[i].behind)
				add_to_point(&p->points[i], &vector);
	if (status >= 0)
		tf_vectors_close(vectors);
	free(extents);
	return status;
}

/* Returns the names of a META line "NAME: COUNT, NAME: COUNT", separated by commas. */
static char *excluded_names(const char *line)
{
	char *names = checked_copy(line), *to = names;

	for (const char *from = line; from && *from;) {
		size_t length = strcspn(from, ":");

		memmove(to, from, length);
		to += length;
		from = strstr(from, ", ");
		if (from) {
			from += 2;
			*to++ = ',';
		}
	}
	*to = '\0';
	return names;
}

/* ---- the whole --------------------------------------------------------------------------- */

bool profile_read(const struct points_plan *plan, struct profile *p)
{
	struct tf_error error;

	*p = (struct profile){ .points = checked_array(plan->n, sizeof(*p->points)),
			       .excluded_code = code_shares_new() };
	open_profile(plan, p);
	if (!p->reader)
		return true;
	if (tf_meta(p->reader, "vectors.excluded"))
		p->excluded = excluded_names(tf_meta(p->reader, "vectors.excluded"));
	if (read_intervals(plan, p, &error) >= 0 && read_vectors(plan, p, &error) >= 0)
		return true;
	command_error("%s", error.text);
	return false;
}

double profile_compare(const struct profile *p, size_t point, struct tf_reader *run, uint64_t first,
		       uint64_t end, struct tf_error *error)
{
	const struct tf_vector vector = { .counts = p->points[point].counts.at,
					  .n_counts = p->points[point].counts.count };
	struct code_shares *ours, *theirs;
	double distance = NAN;

	error->status = 0;
	if (!p->reader || !vector.n_counts)
		return NAN;
	ours = code_shares_new();
	theirs = code_shares_new();
	if (code_shares_add_trace(ours, run, first, end, error) >= 0) {
		code_shares_add_vector(theirs, p->reader, &vector);
		code_shares_exclude(ours, p->excluded_code);
		code_shares_exclude(theirs, p->excluded_code);
		distance = code_shares_distance(theirs, ours, NULL);
	}
	code_shares_free(ours);
	code_shares_free(theirs);
	return distance;
}

/* Adds the vectors of an interval. Errors are left out: only a message depends on the result. */
static void add_interval_vectors(const struct profile *p, uint64_t interval,
				 struct code_shares *shares)
{
	struct tf_vectors *vectors;
	struct tf_vector vector;
	struct tf_error error;

	if (tf_vectors_open(p->reader, &vectors, &error) < 0)
		return;
	while (tf_vectors_next(vectors, &vector, &error) > 0 && vector.interval <= interval)
		if (vector.interval == interval)
			code_shares_add_vector(shares, p->reader, &vector);
	tf_vectors_close(vectors);
}

double profile_distance(const struct profile *p, uint64_t interval, struct tf_reader *run,
			const struct tf_vector_count *counts, size_t n_counts, char **where)
{
	struct code_shares *first = code_shares_new(), *second = code_shares_new();
	const struct tf_vector vector = { .counts = counts, .n_counts = n_counts };
	double distance;

	add_interval_vectors(p, interval, first);
	code_shares_add_vector(second, run, &vector);
	code_shares_exclude(first, p->excluded_code);
	code_shares_exclude(second, p->excluded_code);
	distance = code_shares_distance(first, second, where);
	code_shares_free(first);
	code_shares_free(second);
	return distance;
}

double profile_share(const struct profile *p, size_t interval)
{
	const struct record_interval *last = &p->intervals.at[p->intervals.count - 1];

	return last->instructions
		       ? (double)p->intervals.at[interval].instructions / (double)last->instructions
		       : 0;
}

void profile_count_filtered(struct profile *p)
{
	for (size_t i = 0; i < p->filtered.count; i++)
		p->intervals.at[i].instructions = p->filtered.at[i];
}

void profile_free(struct profile *p, const struct points_plan *plan)
{
	for (size_t i = 0; p->points && i < plan->n; i++)
		free(p->points[i].counts.at);
	for (size_t i = 0; i < p->guides.count; i++)
		free((char *)p->guides.at[i].marker.build_id);
	free(p->points);
	free(p->guides.at);
	free(p->intervals.at);
	free(p->filtered.at);
	free(p->excluded);
	code_shares_free(p->excluded_code);
	tf_close(p->reader);
	*p = (struct profile){ 0 };
}
