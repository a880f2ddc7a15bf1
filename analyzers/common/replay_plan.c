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

/* Streams that are being cut. */
struct cut {
	struct plan *plan;
	struct lane *lanes;
	size_t n_lanes;                 /* so far */
	const struct chunk *next, *end; /* chunks that are not in a lane yet */
	uint64_t total, passed;         /* instructions: of all chunks, of those in lanes */
};

/* Returns true if the lane has its share of the instructions and another lane can follow. */
static bool lane_is_full(const struct cut *cut)
{
	uint64_t jobs = cut->plan->replay->jobs;

	return cut->passed && cut->n_lanes < jobs &&
	       cut->passed >= cut->total / jobs * cut->n_lanes;
}

static void cut_thread(struct cut *cut, uint32_t thread)
{
	const struct replay *replay = cut->plan->replay;
	bool known = tf_thread(replay->run->reader, thread);
	uint64_t from = replay->first;

	for (; cut->next < cut->end && cut->next->thread == thread; cut->next++) {
		if (known && lane_is_full(cut)) {
			if (cut->next->first > from)
				add_part(cut->plan, thread, from, cut->next->first);
			from = cut->next->first;
			cut->lanes[cut->n_lanes++].first_part = cut->plan->parts.count;
		}
		cut->passed += cut->next->instructions;
	}
	if (known)
		add_part(cut->plan, thread, from, end_of(replay));
}

/*
 * Cuts the streams of the threads into lanes of about equal length, before chunks. The parts cover
 * the range without holes, so that losses between chunks are found as well.
 */
static size_t cut(struct plan *plan, struct lane *lanes, uint32_t first_thread, uint32_t end_thread)
{
	const struct replay *replay = plan->replay;
	struct cut cut = { .plan = plan, .lanes = lanes, .n_lanes = 1 };
	size_t n;
	struct chunk *chunks = chunks_between(&replay->chunks, first_thread, end_thread,
					      replay->first, end_of(replay), &n);

	for (size_t i = 0; i < n; i++)
		cut.total += chunks[i].instructions;
	cut.next = chunks;
	cut.end = chunks + n;
	for (uint32_t t = first_thread; t < end_thread; t++)
		cut_thread(&cut, t);
	for (size_t i = 0; i < cut.n_lanes; i++)
		lanes[i].n_parts = (i + 1 < cut.n_lanes ? lanes[i + 1].first_part
							: plan->parts.count) -
				   lanes[i].first_part;
	free(chunks);
	return cut.n_lanes;
}

size_t plan_lanes(struct plan *plan, struct lane *lanes, uint32_t thread)
{
	const struct replay *replay = plan->replay;
	uint32_t n_threads = replay->run->n_threads;
	bool ordered = analyzer_is_ordered(replay->run) || replay->interval || replay->first ||
		       replay->warmup || replay->count != UINT64_MAX;

	if (thread != TF_MERGED)
		return cut(plan, lanes, thread, thread + 1);
	if (n_threads == 1 || !ordered)
		return cut(plan, lanes, 0, n_threads);
	add_part(plan, TF_MERGED, replay->first, end_of(replay));
	lanes[0].n_parts = 1;
	return 1;
}
