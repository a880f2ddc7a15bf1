/* SPDX-License-Identifier: MIT */
#include "analyzers/common/merge_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/replay.h"
#include "analyzers/common/state_bytes.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

/* The files of a merge; those of empty parts come first. */
struct files {
	struct merge_parts *merge;
	struct partial *at;
	size_t count;
};

/* ---- agreement ---------------------------------------------------------------------------- */

static int differ(const struct partial *p, const char *what, const char *found,
		  const char *expected)
{
	command_error("%s: its %s is '%s', but the other parts and the trace have '%s'", p->path,
		      what, found, expected);
	return EXIT_FAILED;
}

static bool is_ascending(const struct part_ranges *ranges)
{
	for (size_t i = 1; i < ranges->count; i++) {
		const struct part_range *a = &ranges->at[i - 1], *b = &ranges->at[i];

		if (a->thread > b->thread || (a->thread == b->thread && a->end > b->first))
			return false;
	}
	return true;
}

/* Compares the head of a file with the facts that it must have. Returns 0 or an exit code. */
static int check_head(const struct partial *p, const struct partial_head *expect)
{
	const struct partial_head *head = &p->head;

	if (strcmp(head->analyzer, expect->analyzer))
		return differ(p, "analyzer", head->analyzer, expect->analyzer);
	if (strcmp(head->options, expect->options))
		return differ(p, "option text", head->options, expect->options);
	if (head->state_version != expect->state_version)
		command_error("%s: was made by another version of %s; make the part again", p->path,
			      head->analyzer);
	else if (memcmp(head->uuid, expect->uuid, sizeof(head->uuid)) ||
		 head->layout != expect->layout)
		command_error("%s: is a part of another trace, %s, than %s", p->path, head->trace,
			      expect->trace);
	else if (!is_ascending(&head->ranges))
		command_error("%s: its ranges of instructions are not in order", p->path);
	else
		return 0;
	return EXIT_FAILED;
}

static int read_heads(struct files *files)
{
	int status = 0;

	for (size_t i = 0; i < files->merge->n_paths && !status; i++) {
		struct partial *p = &files->at[files->count++];

		status = partial_read(p, files->merge->paths[i]);
		if (!status)
			status = check_head(p, files->merge->expect);
		files->merge->damaged |= p->head.damaged;
		partial_free_state(p);
	}
	return status;
}

/* ---- order -------------------------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
	const struct part_range *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_files(const void *a, const void *b)
{
	const struct part_ranges *x = &((const struct partial *)a)->head.ranges;
	const struct part_ranges *y = &((const struct partial *)b)->head.ranges;

	if (!x->count || !y->count)
		return (x->count > 0) - (y->count > 0);
	return compare_ranges(x->at, y->at);
}

static bool same_ranges(const struct part_ranges *a, const struct part_ranges *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (compare_ranges(&a->at[i], &b->at[i]))
			return false;
	return true;
}

/* Removes files of parts that another file has as well, with the same contents. */
static int drop_repeats(struct files *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct partial *p = &files->at[i], *last = kept ? &files->at[kept - 1] : NULL;

		if (!last || !p->head.ranges.count ||
		    !same_ranges(&p->head.ranges, &last->head.ranges)) {
			struct partial moved = *p;

			memset(p, 0, sizeof(*p));
			files->at[kept++] = moved;
		} else if (p->hash != last->hash) {
			command_error("%s and %s are of the same part, but they differ", last->path,
				      p->path);
			return EXIT_FAILED;
		} else {
			partial_free(p);
			memset(p, 0, sizeof(*p));
		}
	}
	files->count = kept;
	return 0;
}

/* Joins the ranges of all files. Returns 0, or an exit code after a message if some overlap. */
static int join_ranges(struct files *files)
{
	struct part_ranges *all = &files->merge->ranges;

	for (size_t i = 0; i < files->count; i++) {
		const struct part_ranges *its = &files->at[i].head.ranges;

		for (size_t k = 0; k < its->count; k++) {
			const struct part_range *last = all->count ? &all->at[all->count - 1]
								   : NULL;

			if (last &&
			    (last->thread > its->at[k].thread ||
			     (last->thread == its->at[k].thread && last->end > its->at[k].first))) {
				command_error("%s and %s have the same instructions",
					      files->at[i - 1].path, files->at[i].path);
				return EXIT_FAILED;
			}
			part_ranges_add(all, its->at[k]);
		}
	}
	return 0;
}

/* ---- completeness ------------------------------------------------------------------------- */

/* Returns true if every instruction of a range is in one of the others. */
static bool is_covered(const struct part_ranges *by, const struct part_range *range)
{
	for (size_t i = 0; i < by->count; i++)
		if (by->at[i].thread == range->thread && by->at[i].first <= range->first &&
		    by->at[i].end >= range->end)
			return true;
	return false;
}

static bool is_missing(const struct merge_parts *merge, uint64_t part, uint64_t n_parts)
{
	struct part_ranges ranges;
	bool missing = false;

	part_ranges_init(&ranges, merge->replay, merge->thread, part, n_parts);
	for (size_t i = 0; i < ranges.count; i++)
		missing |= !is_covered(&merge->ranges, &ranges.at[i]);
	part_ranges_free(&ranges);
	return missing;
}

/* Names parts that are missing, as arguments to make them again. Finding a part takes a look at all
 * chunks, and a file may claim any number of parts. */
static void name_missing(const struct files *files)
{
	enum { MOST_NAMED = 32, MOST_LOOKS = 1 << 24 };
	uint64_t most = MOST_LOOKS / (1 + files->merge->replay->chunks.count);
	uint64_t n_parts = 0;
	char text[MOST_NAMED * 32] = "";
	size_t length = 0;
	unsigned named = 0;

	for (size_t i = 0; i < files->count && !n_parts; i++)
		n_parts = files->at[i].head.part.n_parts;
	for (uint64_t part = 0; part < n_parts && part < most && named < MOST_NAMED; part++)
		if (is_missing(files->merge, part, n_parts)) {
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   " --part=%" PRIu64 "/%" PRIu64, part, n_parts);
			named++;
		}
	command_error("parts are missing%s%s", named ? ":" : "", text);
}

/*
 * Returns true if the ranges follow each other in the trace without a hole: each of their limits is
 * one of the whole's, except for the two ends.
 */
static bool is_contiguous(const struct part_ranges *ranges, const struct part_ranges *whole)
{
	size_t w = 0;

	while (w < whole->count && ranges->count && whole->at[w].thread != ranges->at[0].thread)
		w++;
	for (size_t i = 0; i < ranges->count; i++, w++) {
		const struct part_range *r = &ranges->at[i];

		if (w == whole->count || r->thread != whole->at[w].thread ||
		    (i && r->first != whole->at[w].first) ||
		    (i + 1 < ranges->count && r->end != whole->at[w].end))
			return false;
	}
	return true;
}

static int check_complete(const struct files *files)
{
	struct merge_parts *merge = files->merge;
	const struct part_ranges *whole = &merge->expect->ranges;

	if (merge->several && is_contiguous(&merge->ranges, whole))
		return 0;
	if (!merge->several && same_ranges(&merge->ranges, whole))
		return 0;
	if (merge->incomplete && !merge->several) {
		merge->damaged = true;
		return 0;
	}
	name_missing(files);
	return EXIT_FAILED;
}

/* ---- merging ------------------------------------------------------------------------------ */

/* Replays the ranges of a file. */
static int feed_ranges(struct merge_parts *merge, const struct part_ranges *ranges, void *state)
{
	int status = 0;

	for (size_t i = 0; i < ranges->count && !status; i++) {
		const struct part_range *range = &ranges->at[i];
		struct replay replay = *merge->replay;

		replay.first = range->first;
		replay.count = range->end == UINT64_MAX ? UINT64_MAX : range->end - range->first;
		status = replay_feed(&replay, range->thread, state, &merge->damaged);
	}
	return status;
}

/* Loads the state of a file and merges it. */
static int merge_file(const struct files *files, struct partial *p, struct part_state *state)
{
	const struct analysis *run = files->merge->replay->run;
	struct state_reader reader;
	struct part_state later = { .state = NULL };
	struct partial again;
	int status = partial_read(&again, p->path);

	if (!status && again.hash != p->hash) {
		command_error("%s changed while it was read", p->path);
		status = EXIT_FAILED;
	}
	if (!status)
		status = part_state_new(run, state->check, &later);
	reader.bytes = again.state;
	if (!status)
		status = part_state_load(run, &later, &reader, p->path);
	if (!status)
		status = part_state_merge(run, state, &later);
	if (status == ANALYZER_FEED_AGAIN)
		status = feed_ranges(files->merge, &p->head.ranges, state->state);
	part_state_free(run, &later);
	partial_free(&again);
	return status;
}

int merge_parts(struct merge_parts *merge, struct part_state *state)
{
	struct files files = { .merge = merge };
	int status;

	files.at = checked_array(merge->n_paths, sizeof(*files.at));
	status = read_heads(&files);
	if (!status && files.count)
		qsort(files.at, files.count, sizeof(*files.at), compare_files);
	if (!status)
		status = drop_repeats(&files);
	if (!status)
		status = join_ranges(&files);
	if (!status)
		status = check_complete(&files);
	for (size_t i = 0; i < files.count && !status; i++)
		status = merge_file(&files, &files.at[i], state);
	for (size_t i = 0; i < files.count; i++)
		partial_free(&files.at[i]);
	free(files.at);
	return status;
}
