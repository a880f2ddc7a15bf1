/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/heap_times.h"

#include "cli/common/checked.h"

void heap_times_init(struct heap_times *times)
{
	*times = (struct heap_times){ .step = 1 };
}

void heap_times_make_room(struct heap_times *times, uint64_t now, void (*halve)(void *opaque),
			  void *opaque)
{
	while (now / times->step >= HEAP_TIMES) {
		for (uint32_t i = 0; 2 * i < times->count; i++)
			times->live[i] = times->live[2 * i];
		times->count = (times->count + 1) / 2;
		times->step *= 2;
		halve(opaque);
	}
}

void heap_times_pass(struct heap_times *times, uint64_t now, const struct call_heap_amount *live)
{
	while (times->count <= now / times->step)
		times->live[times->count++] = *live;
}

void heap_node_times_add(struct heap_node_times *times, uint32_t time,
			 const struct call_heap_amount *live)
{
	CHECKED_RESERVE(times->changes, times->changes.count + 1);
	times->changes.at[times->changes.count++] = (struct heap_node_time){ time, *live };
}

/* A change at an odd time is seen at the next time; a later one takes its place. */
void heap_node_times_halve(struct heap_node_times *times)
{
	size_t n = 0;

	for (size_t i = 0; i < times->changes.count; i++) {
		struct heap_node_time change = times->changes.at[i];

		change.time = (change.time + 1) / 2;
		if (n && times->changes.at[n - 1].time == change.time)
			n--;
		times->changes.at[n++] = change;
	}
	times->changes.count = n;
}

void heap_node_times_sum(const struct heap_node_times *times, uint32_t count,
			 struct call_heap_amount *sums)
{
	for (size_t i = 0; i < times->changes.count; i++) {
		const struct heap_node_time *change = &times->changes.at[i];
		uint32_t end = i + 1 < times->changes.count ? change[1].time : count;

		for (uint32_t t = change->time; t < end && t < count; t++) {
			sums[t].objects += change->live.objects;
			sums[t].bytes += change->live.bytes;
		}
	}
}
