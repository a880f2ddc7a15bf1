/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/heap.h"

#include "cli/common/checked.h"

enum { YOUNG = 10000 }; /* instructions */

/* ---- counting ---------------------------------------------------------------------------- */

static void add(struct call_heap_amount *amount, uint64_t bytes)
{
	amount->objects++;
	amount->bytes += bytes;
}

static void take(struct call_heap_amount *amount, uint64_t bytes)
{
	amount->objects--;
	amount->bytes -= bytes;
}

/*
 * Brings a node's peak up to date before its live objects change: they have not changed since the
 * latest peak of the whole heap if the node does not know of the peak.
 */
static void note_peak(const struct call_heap *heap, struct call_heap_node *node)
{
	if (node->peaks != heap->peaks)
		node->peak = node->live;
	node->peaks = heap->peaks;
}

static struct call_heap_node *node_at(struct call_heap *heap, uint32_t node)
{
	CHECKED_RESERVE(heap->nodes, node + (size_t)1);
	if (heap->nodes.count <= node)
		heap->nodes.count = node + (size_t)1;
	return &heap->nodes.at[node];
}

static void allocate(struct call_heap *heap, struct heap_object *object)
{
	struct call_heap_node *node = node_at(heap, heap->node);

	object->owner = heap->node;
	note_peak(heap, node);
	add(&node->allocated, object->size);
	add(&node->live, object->size);
	add(&heap->allocated, object->size);
	add(&heap->live, object->size);
	if (object->size > node->largest)
		node->largest = object->size;
	if (heap->live.bytes > heap->peak.bytes) {
		heap->peak = heap->live;
		heap->peaks++;
	}
}

static void release(struct call_heap *heap, const struct heap_object *object, bool replaced)
{
	struct call_heap_node *node = &heap->nodes.at[object->owner];

	note_peak(heap, node);
	take(&node->live, object->size);
	take(&heap->live, object->size);
	if (replaced) {
		take(&node->allocated, object->size);
		take(&heap->allocated, object->size);
	} else if (object->thread == heap->thread && heap->ordinal - object->allocated <= YOUNG) {
		node->young++;
	}
}

static void changed(void *opaque, struct heap_object *object, enum heap_change change)
{
	if (change == HEAP_ALLOCATED)
		allocate(opaque, object);
	else if (object->owner != TF_NONE)
		release(opaque, object, change == HEAP_REPLACED);
}

void call_heap_init(struct call_heap *heap, struct tf_reader *reader)
{
	*heap = (struct call_heap){ 0 };
	heap_objects_init(&heap->objects, reader, NULL, false);
	heap->objects.changed = changed;
	heap->objects.opaque = heap;
}

void call_heap_free(struct call_heap *heap)
{
	heap_objects_free(&heap->objects);
	free(heap->nodes.at);
}

void call_heap_event(struct call_heap *heap, uint32_t node, const struct tf_event *event)
{
	heap->node = node;
	heap->ordinal = event->ordinal;
	heap->thread = event->thread;
	heap_objects_event(&heap->objects, event);
}

/* ---- reports ----------------------------------------------------------------------------- */

struct path_row {
	uint32_t path;
	struct call_heap_node sums;
};

static void add_amount(struct call_heap_amount *sum, const struct call_heap_amount *amount)
{
	sum->objects += amount->objects;
	sum->bytes += amount->bytes;
}

static void add_node(struct call_heap *heap, struct call_heap_node *sums,
		     struct call_heap_node *node)
{
	note_peak(heap, node);
	add_amount(&sums->allocated, &node->allocated);
	add_amount(&sums->live, &node->live);
	add_amount(&sums->peak, &node->peak);
	sums->young += node->young;
	if (node->largest > sums->largest)
		sums->largest = node->largest;
}

static int compare_rows(const void *a, const void *b)
{
	const struct path_row *x = a, *y = b;

	if (x->sums.peak.bytes != y->sums.peak.bytes)
		return x->sums.peak.bytes > y->sums.peak.bytes ? -1 : 1;
	if (x->sums.allocated.bytes != y->sums.allocated.bytes)
		return x->sums.allocated.bytes > y->sums.allocated.bytes ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

static void report_rows(const struct path_row *rows, const struct call_paths *paths, uint64_t top,
			struct report *report)
{
	static const struct report_column columns[] = {
		{ "bytes_at_peak", REPORT_U64, "bytes" },   { "objects_at_peak", REPORT_U64, "" },
		{ "bytes_allocated", REPORT_U64, "bytes" }, { "allocations", REPORT_U64, "" },
		{ "bytes_at_end", REPORT_U64, "bytes" },    { "objects_at_end", REPORT_U64, "" },
		{ "short_lived", REPORT_U64, "" },          { "largest", REPORT_U64, "bytes" },
		{ "call_path", REPORT_STRING, "" },         { NULL, 0, NULL },
	};

	report_table(report, "allocation_paths", columns);
	for (size_t i = 0; i < paths->count && i < top && rows[i].sums.allocated.objects; i++) {
		const struct call_heap_node *s = &rows[i].sums;
		char *text = call_path_text(paths, rows[i].path);

		report_row(report, s->peak.bytes, s->peak.objects, s->allocated.bytes,
			   s->allocated.objects, s->live.bytes, s->live.objects, s->young,
			   s->largest, text);
		free(text);
	}
}

void call_heap_report(struct call_heap *heap, const struct call_paths *paths, uint64_t top,
		      struct report *report)
{
	struct path_row *rows = checked_array(paths->count, sizeof(*rows));

	for (size_t i = 0; i < paths->count; i++)
		rows[i].path = (uint32_t)i;
	for (size_t i = 0; i < heap->nodes.count; i++)
		add_node(heap, &rows[paths->path_of_node[i]].sums, &heap->nodes.at[i]);
	qsort(rows, paths->count, sizeof(*rows), compare_rows);
	report_u64(report, "bytes_at_peak", "bytes", heap->peak.bytes);
	report_u64(report, "objects_at_peak", "", heap->peak.objects);
	report_u64(report, "bytes_allocated", "bytes", heap->allocated.bytes);
	report_u64(report, "allocations", "", heap->allocated.objects);
	report_u64(report, "bytes_at_end", "bytes", heap->live.bytes);
	report_u64(report, "objects_at_end", "", heap->live.objects);
	report_rows(rows, paths, top, report);
	free(rows);
}
