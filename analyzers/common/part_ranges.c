/* SPDX-License-Identifier: MIT */
#include "analyzers/common/part_ranges.h"

#include <stdlib.h>

#include "cli/common/checked.h"

static uint64_t end_of(const struct replay *replay)
{
	uint64_t end;

	return __builtin_add_overflow(replay->first, replay->count, &end) ? UINT64_MAX : end;
}

/* Returns true if several threads are replayed in the recorded order, as one stream. */
static bool is_one_stream(const struct replay *replay, uint32_t thread)
{
	bool ordered = analyzer_is_ordered(replay->run) || replay->first ||
		       replay->count != UINT64_MAX;

	return thread == TF_MERGED && replay->run->n_threads > 1 && ordered;
}

void part_ranges_add(struct part_ranges *ranges, struct part_range range)
{
	struct part_range *last = ranges->count ? &ranges->at[ranges->count - 1] : NULL;

	if (range.first >= range.end)
		return;
	if (last && last->thread == range.thread && last->end == range.first) {
		last->end = range.end;
		return;
	}
	CHECKED_RESERVE(*ranges, ranges->count + 1);
	ranges->at[ranges->count++] = range;
}

void part_ranges_free(struct part_ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct part_ranges){ 0 };
}

/* ---- executions --------------------------------------------------------------------------- */

/*
 * Finds the execution that contains an instruction of a stream. Returns false if it cannot be read;
 * *ordinal: of its first instruction in its thread; *executed: instructions, of a path.
 */
static bool execution_at(struct tf_reader *reader, enum tf_view view, uint32_t thread,
			 uint64_t instruction, uint64_t *ordinal, uint64_t *executed)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor = NULL;
	struct tf_item item;
	bool found;

	options.view = view;
	options.thread = thread;
	options.first = instruction;
	options.count = 1;
	found = tf_cursor_open(reader, &options, &cursor, NULL) == 0 &&
		tf_next(cursor, &item, NULL) > 0 && item.kind != TF_ITEM_EVENT && item.count;
	if (found) {
		*ordinal = item.ordinal;
		*executed = view == TF_VIEW_PATHS ? item.paths[0].executed : 1;
	}
	tf_cursor_close(cursor);
	return found;
}

uint64_t part_execution_begin(struct tf_reader *reader, uint32_t thread, uint64_t instruction)
{
	uint64_t first, ordinal, executed;

	if (!execution_at(reader, TF_VIEW_BLOCKS, thread, instruction, &first, &executed) ||
	    !execution_at(reader, TF_VIEW_INSNS, thread, instruction, &ordinal, &executed) ||
	    ordinal < first || ordinal - first > instruction)
		return instruction;
	return instruction - (ordinal - first);
}

/* ---- all threads in the recorded order ---------------------------------------------------- */

/* Returns the step, or the end of the path's execution that it is inside of. */
static uint64_t end_of_path(struct tf_reader *reader, uint64_t step)
{
	uint64_t first, executed, ordinal, one;

	if (!execution_at(reader, TF_VIEW_PATHS, TF_MERGED, step, &first, &executed) ||
	    !execution_at(reader, TF_VIEW_INSNS, TF_MERGED, step, &ordinal, &one) ||
	    ordinal <= first || ordinal - first >= executed)
		return step;
	return step + executed - (ordinal - first);
}

/* Returns where a part begins in the recorded order of all threads. */
static uint64_t begin_of(const struct replay *replay, uint64_t part, uint64_t n_parts)
{
	uint64_t end = end_of(replay), known = replay->run->info.totals.instructions;
	uint64_t step;

	if (part == n_parts)
		return end;
	if (known > end)
		known = end;
	if (!part || replay->first >= known)
		return replay->first;
	step = replay->first +
	       (uint64_t)((unsigned __int128)(known - replay->first) * part / n_parts);
	step = end_of_path(replay->run->reader, step);
	return step < end ? step : end;
}

static void cut_one_stream(struct part_ranges *ranges, const struct replay *replay, uint64_t part,
			   uint64_t n_parts)
{
	part_ranges_add(ranges, (struct part_range){ .thread = TF_MERGED,
						     .first = begin_of(replay, part, n_parts),
						     .end = begin_of(replay, part + 1, n_parts) });
}

/* ---- each thread's stream ----------------------------------------------------------------- */

/* Streams that are being cut. */
struct cut {
	struct part_ranges *ranges;
	const struct replay *replay;
	const struct chunk *next, *end; /* chunks that are in no part yet */
	uint64_t part, n_parts;         /* the wanted part */
	uint64_t total, passed;         /* instructions: of all chunks, of those in parts */
};

static uint64_t part_at(const struct cut *cut)
{
	uint64_t part = cut->total ? (unsigned __int128)cut->passed * cut->n_parts / cut->total : 0;

	return part < cut->n_parts ? part : cut->n_parts - 1;
}

/* Adds what the wanted part has of a thread, which begins in the part of its first chunk. */
static void cut_thread(struct cut *cut, uint32_t thread)
{
	struct part_range range = { thread, cut->replay->first, 0 };
	uint64_t part = part_at(cut);

	for (; cut->next < cut->end && cut->next->thread == thread; cut->next++) {
		if (part_at(cut) != part && cut->next->first > range.first) {
			range.end = cut->next->first;
			if (part == cut->part)
				part_ranges_add(cut->ranges, range);
			range.first = range.end;
			part = part_at(cut);
		}
		cut->passed += cut->next->instructions;
	}
	range.end = end_of(cut->replay);
	if (part == cut->part && tf_thread(cut->replay->run->reader, thread))
		part_ranges_add(cut->ranges, range);
}

static void cut_threads(struct cut *cut, uint32_t first_thread, uint32_t end_thread)
{
	const struct replay *replay = cut->replay;
	size_t n;
	struct chunk *chunks = chunks_between(&replay->chunks, first_thread, end_thread,
					      replay->first, end_of(replay), &n);

	for (size_t i = 0; i < n; i++)
		cut->total += chunks[i].instructions;
	cut->next = chunks;
	cut->end = chunks + n;
	for (uint32_t t = first_thread; t < end_thread; t++)
		cut_thread(cut, t);
	free(chunks);
}

void part_ranges_init(struct part_ranges *ranges, const struct replay *replay, uint32_t thread,
		      uint64_t part, uint64_t n_parts)
{
	struct cut cut = { .ranges = ranges, .replay = replay, .part = part, .n_parts = n_parts };

	*ranges = (struct part_ranges){ 0 };
	if (replay->run->n_shares)
		part_ranges_add(ranges, (struct part_range){ TF_MERGED, part, part + 1 });
	else if (is_one_stream(replay, thread))
		cut_one_stream(ranges, replay, part, n_parts);
	else if (thread == TF_MERGED)
		cut_threads(&cut, 0, replay->run->n_threads);
	else
		cut_threads(&cut, thread, thread + 1);
}
