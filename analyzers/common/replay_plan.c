/* SPDX-License-Identifier: MIT */
/* Cuts streams into parts, and assigns parts to lanes. */
#include "analyzers/common/replay_parts.h"
#include "cli/common/checked.h"

static void add_part(struct plan *plan, uint32_t thread, uint64_t first, uint64_t end)
{
	CHECKED_RESERVE(plan->parts, plan->parts.count + 1);
	plan->parts.at[plan->parts.count++] = (struct part){ thread, first, end - first };
}

static uint64_t end_of(const struct replay *replay)
{
	uint64_t end;

	return __builtin_add_overflow(replay->first, replay->count, &end) ? UINT64_MAX : end;
}

/*
 * Cuts the streams of the threads into lanes of about equal length, before chunks. The parts cover
 * the range without holes, so that losses between chunks are found as well.
 */
static size_t cut(struct plan *plan, struct lane *lanes, uint32_t first_thread, uint32_t end_thread)
{
	const struct replay *replay = plan->replay;
	uint64_t total = 0, passed = 0;
	size_t n_chunks, next = 0, n_lanes = 1;
	struct chunk *chunks = chunks_between(&replay->chunks, first_thread, end_thread,
					      replay->first, end_of(replay), &n_chunks);

	for (size_t i = 0; i < n_chunks; i++)
		total += chunks[i].instructions;
	for (uint32_t t = first_thread; t < end_thread; t++) {
		bool known = tf_thread(replay->run->reader, t);
		uint64_t from = replay->first;

		for (; next < n_chunks && chunks[next].thread == t; next++) {
			if (known && n_lanes < replay->jobs &&
			    passed >= total / replay->jobs * n_lanes && passed) {
				if (chunks[next].first > from)
					add_part(plan, t, from, chunks[next].first);
				from = chunks[next].first;
				lanes[n_lanes++].first_part = plan->parts.count;
			}
			passed += chunks[next].instructions;
		}
		if (known)
			add_part(plan, t, from, end_of(replay));
	}
	for (size_t i = 0; i < n_lanes; i++)
		lanes[i].n_parts = (i + 1 < n_lanes ? lanes[i + 1].first_part : plan->parts.count) -
				   lanes[i].first_part;
	free(chunks);
	return n_lanes;
}

size_t plan_lanes(struct plan *plan, struct lane *lanes, uint32_t thread)
{
	const struct replay *replay = plan->replay;
	uint32_t n_threads = replay->run->n_threads;
	bool ordered = analyzer_is_ordered(replay->run) || replay->interval || replay->first ||
		       replay->count != UINT64_MAX;

	if (thread != TF_MERGED)
		return cut(plan, lanes, thread, thread + 1);
	if (n_threads == 1 || !ordered)
		return cut(plan, lanes, 0, n_threads);
	add_part(plan, TF_MERGED, replay->first, end_of(replay));
	lanes[0].n_parts = 1;
	return 1;
}
