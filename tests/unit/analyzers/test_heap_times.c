/* SPDX-License-Identifier: MIT */
/* The live objects at regular times, against a list of all changes. */
#include <check.h>
#include <stdlib.h>

#include "analyzers/calls/heap_times.h"
#include "tests/unit/run_suite.h"

enum { CHANGES = 3000, NODES = 3 };

struct heap {
	struct heap_times times;
	struct heap_node_times nodes[NODES];
	struct call_heap_amount live[NODES], all;
};

static void halve(void *opaque)
{
	struct heap *heap = opaque;

	for (unsigned i = 0; i < NODES; i++)
		heap_node_times_halve(&heap->nodes[i]);
}

/* Records the times up to now. */
static void pass(struct heap *heap, uint64_t now)
{
	if (heap_times_are_due(&heap->times, now))
		heap_times_make_room(&heap->times, now, halve, heap);
	if (!heap_times_are_due(&heap->times, now))
		return;
	for (unsigned i = 0; i < NODES; i++)
		if (heap->nodes[i].changed) {
			heap_node_times_add(&heap->nodes[i], heap->times.count, &heap->live[i]);
			heap->nodes[i].changed = false;
		}
	heap_times_pass(&heap->times, now, &heap->all);
}

START_TEST(as_listed)
{
	static struct {
		uint64_t at;
		unsigned node;
		struct call_heap_amount live;
	} changes[CHANGES];
	struct heap heap = { 0 };
	uint64_t now = 0;

	heap_times_init(&heap.times);
	srand(1);
	for (unsigned i = 0; i < CHANGES; i++) {
		unsigned node = (unsigned)rand() % NODES;

		now += (uint64_t)(rand() % 100) * (rand() % 50 ? 1 : 1000);
		if (now)
			pass(&heap, now - 1);
		heap.all.bytes -= heap.live[node].bytes;
		heap.all.objects -= heap.live[node].objects;
		heap.live[node] = (struct call_heap_amount){ (uint64_t)rand() % 9,
							     (uint64_t)rand() % 999 };
		heap.all.bytes += heap.live[node].bytes;
		heap.all.objects += heap.live[node].objects;
		heap.nodes[node].changed = true;
		changes[i].at = now;
		changes[i].node = node;
		changes[i].live = heap.live[node];
	}
	pass(&heap, now);
	ck_assert_uint_gt(heap.times.step, 256);
	ck_assert_uint_gt(heap.times.count, HEAP_TIMES / 2);
	ck_assert_uint_le(heap.times.count, HEAP_TIMES);
	for (unsigned node = 0; node < NODES; node++) {
		struct call_heap_amount sums[HEAP_TIMES] = { 0 };

		heap_node_times_sum(&heap.nodes[node], heap.times.count, sums);
		ck_assert_uint_le(heap.nodes[node].changes.count, HEAP_TIMES);
		for (uint32_t t = 0; t < heap.times.count; t++) {
			struct call_heap_amount live = { 0 };

			for (unsigned i = 0; i < CHANGES && changes[i].at <= t * heap.times.step;
			     i++)
				if (changes[i].node == node)
					live = changes[i].live;
			ck_assert_uint_eq(sums[t].bytes, live.bytes);
			ck_assert_uint_eq(sums[t].objects, live.objects);
			heap.times.live[t].bytes -= live.bytes;
			heap.times.live[t].objects -= live.objects;
		}
		free(heap.nodes[node].changes.at);
	}
	for (uint32_t t = 0; t < heap.times.count; t++)
		ck_assert(!heap.times.live[t].bytes && !heap.times.live[t].objects);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("heap_times");
	TCase *tcase = tcase_create("heap_times");

	tcase_add_test(tcase, as_listed);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
