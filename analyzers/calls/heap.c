/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/heap.h"

#include <string.h>
#include <sys/syscall.h>

#include "cli/common/checked.h"

enum {
	YOUNG = 10000,              /* instructions */
	MOST_OFFSET_BYTES = 1 << 26 /* of all offsets; the paths of later objects have none */
};

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

/* Remembers that the live objects of a node change before the next time. */
static void note_change(struct call_heap *heap, uint32_t node)
{
	if (heap->nodes.at[node].times.changed)
		return;
	heap->nodes.at[node].times.changed = true;
	CHECKED_RESERVE(heap->changed, heap->changed.count + 1);
	heap->changed.at[heap->changed.count++] = node;
}

static void halve_nodes(void *opaque)
{
	struct call_heap *heap = opaque;

	for (size_t i = 0; i < heap->nodes.count; i++)
		heap_node_times_halve(&heap->nodes.at[i].times);
}

/* Records what has been live at the times up to now. */
static void pass_times(struct call_heap *heap, uint64_t now)
{
	if (!heap_times_are_due(&heap->times, now))
		return;
	heap_times_make_room(&heap->times, now, halve_nodes, heap);
	if (!heap_times_are_due(&heap->times, now))
		return;
	for (size_t i = 0; i < heap->changed.count; i++) {
		struct call_heap_node *node = &heap->nodes.at[heap->changed.at[i]];

		heap_node_times_add(&node->times, heap->times.count, &node->live);
		node->times.changed = false;
	}
	heap->changed.count = 0;
	heap_times_pass(&heap->times, now, &heap->live);
}

/* Returns where the accesses of an object of a node are counted by offset, or NULL. */
static struct heap_offsets *offsets_of(struct call_heap *heap, struct call_heap_node *node,
				       uint64_t size)
{
	size_t bytes = sizeof(*node->offsets) + (size + 1) * sizeof(*node->offsets->changes);

	if (!size)
		return NULL;
	if (node->offsets && node->offsets->size != size)
		node->offsets->size = 0;
	if (size > HEAP_OFFSETS ||
	    (!node->offsets && heap->offset_bytes + bytes > MOST_OFFSET_BYTES))
		node->has_large = true;
	if (!node->offsets && !node->has_large) {
		node->offsets = checked(calloc(1, bytes));
		node->offsets->size = size;
		node->offsets->changes = (void *)(node->offsets + 1);
		heap->offset_bytes += bytes;
	}
	return node->offsets;
}

static void begin_uses(struct call_heap *heap, struct call_heap_node *node,
		       struct heap_object *object)
{
	heap_uses_begin(&heap->uses, object, offsets_of(heap, node, object->size));
	heap_uses_access_object(object, heap->objects.kept_bytes, HEAP_WRITE);
}

static void end_uses(struct call_heap *heap, struct call_heap_node *node,
		     struct heap_object *object, bool replaced)
{
	heap_uses_access_object(object, heap->objects.kept_bytes, HEAP_READ);
	heap_uses_end(&heap->uses, object, replaced ? NULL : &node->uses);
}

static void allocate(struct call_heap *heap, struct heap_object *object)
{
	struct call_heap_node *node;

	if (object->owner == TF_NONE) /* no instruction of the call is recorded */
		object->owner = heap->node;
	node = node_at(heap, object->owner);
	note_peak(heap, node);
	note_change(heap, object->owner);
	add(&node->allocated, object->size);
	add(&node->live, object->size);
	add(&heap->allocated, object->size);
	add(&heap->live, object->size);
	if (object->size > node->largest)
		node->largest = object->size;
	if (heap->has_uses)
		begin_uses(heap, node, object);
	if (heap->live.bytes > heap->peak.bytes) {
		heap->peak = heap->live;
		heap->peak_at = heap->instructions;
		heap->peaks++;
	}
}

static void release(struct call_heap *heap, struct heap_object *object, bool replaced)
{
	struct call_heap_node *node = &heap->nodes.at[object->owner];

	if (heap->has_uses)
		end_uses(heap, node, object, replaced);

	note_peak(heap, node);
	note_change(heap, object->owner);
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

void call_heap_init(struct call_heap *heap, struct tf_reader *reader, const char *functions,
		    bool has_addresses)
{
	*heap = (struct call_heap){ .has_uses = has_addresses };
	heap_uses_init(&heap->uses, tf_n_processes(reader));
	heap->threads = checked_array(tf_n_threads(reader), sizeof(*heap->threads));
	heap_times_init(&heap->times);
	heap_objects_init(&heap->objects, reader, functions, NULL, false);
	heap->objects.changed = changed;
	heap->objects.opaque = heap;
}

void call_heap_free(struct call_heap *heap)
{
	heap_uses_free(&heap->uses);
	heap_objects_free(&heap->objects);
	for (size_t i = 0; i < heap->nodes.count; i++) {
		free(heap->nodes.at[i].times.changes.at);
		free(heap->nodes.at[i].offsets);
	}
	free(heap->nodes.at);
	free(heap->changed.at);
	free(heap->threads);
}

/* ---- uses -------------------------------------------------------------------------------- */

/* Notes a system call that reads or writes a buffer, of the length that its result tells. */
static void note_system_call(struct call_heap_thread *thread, const struct tf_event *event)
{
	thread->kernel = (struct call_heap_kernel){
		event->syscall.number,
		event->syscall.args[1],
		event->syscall.args[2],
	};
}

static void end_system_call(struct call_heap *heap, const struct tf_event *event)
{
	uint32_t process = tf_thread(heap->objects.reader, event->thread)->process;
	struct call_heap_kernel *kernel = &heap->threads[event->thread].kernel;
	uint64_t size = (uint64_t)event->syscall_result.result;
	bool reads = kernel->number == SYS_write || kernel->number == SYS_pwrite64 ||
		     kernel->number == SYS_sendto;
	bool writes = kernel->number == SYS_read || kernel->number == SYS_pread64 ||
		      kernel->number == SYS_recvfrom;

	if (process < heap->uses.n_processes && (reads || writes) &&
	    kernel->number == event->syscall_result.number && event->syscall_result.result > 0)
		heap_uses_access_range(&heap->uses, process, kernel->address,
				       size < kernel->size ? size : kernel->size,
				       reads ? HEAP_READ : HEAP_WRITE);
	kernel->size = 0;
}

/* Notes that a thread begins or ends a call of malloc, free, ... */
static void note_call(struct call_heap *heap, size_t frames, const struct tf_event *event)
{
	size_t *inside = &heap->threads[event->thread].inside;

	if (!heap_objects_call(&heap->objects, event->thread))
		*inside = 0;
	else if (!*inside || frames < *inside)
		*inside = frames;
}

static void use_event(struct call_heap *heap, size_t frames, const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_CALL:
	case TF_EVENT_RETURN: note_call(heap, frames, event); break;
	case TF_EVENT_SYSCALL: note_system_call(&heap->threads[event->thread], event); break;
	case TF_EVENT_SYSCALL_RESULT: end_system_call(heap, event); break;
	default: break;
	}
}

bool call_heap_counts(struct call_heap *heap, uint32_t thread, size_t frames)
{
	size_t *inside = &heap->threads[thread].inside;

	if (frames < *inside)
		*inside = 0;
	return !*inside && heap->uses.all;
}

/* Remembers the frames of a call that begins, for call_heap_execute. */
static void begin_call(struct call_heap *heap, size_t frames, const struct tf_event *event)
{
	struct heap_call *call = heap_objects_call(&heap->objects, event->thread);

	if (event->kind == TF_EVENT_CALL && call && !call->frames)
		call->frames = frames;
}

void call_heap_event(struct call_heap *heap, uint32_t node, size_t frames,
		     const struct tf_event *event, uint64_t instructions)
{
	if (instructions > heap->instructions)
		pass_times(heap, instructions - 1);
	heap->instructions = instructions;
	heap->node = node;
	heap->ordinal = event->ordinal;
	heap->thread = event->thread;
	heap_objects_event(&heap->objects, event);
	begin_call(heap, frames, event);
	if (heap->has_uses)
		use_event(heap, frames, event);
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

/* ---- over time --------------------------------------------------------------------------- */

enum { PATHS_OVER_TIME = 10 };

/*
 * Calls put for each time, for the peak among the times, and for the end. index: of a time, or
 * HEAP_TIMES at the peak and HEAP_TIMES + 1 at the end.
 */
static void for_each_time(const struct call_heap *heap, uint64_t end,
			  void (*put)(void *opaque, uint64_t instructions, uint32_t index),
			  void *opaque)
{
	bool at_peak = !heap->peaks;

	for (uint32_t i = 0; i < heap->times.count; i++) {
		uint64_t time = i * heap->times.step;

		if (!at_peak && heap->peak_at < time) {
			put(opaque, heap->peak_at, HEAP_TIMES);
			at_peak = true;
		}
		put(opaque, time, i);
	}
	if (!at_peak)
		put(opaque, heap->peak_at, HEAP_TIMES);
	put(opaque, end, HEAP_TIMES + 1);
}

/* The live objects at regular times, for the rows of a table. */
struct time_rows {
	struct report *report;
	uint64_t rank; /* of the path, from 1; 0: the whole heap */
	struct call_heap_amount live[HEAP_TIMES + 2];
};

static void put_time(void *opaque, uint64_t instructions, uint32_t index)
{
	const struct time_rows *rows = opaque;
	const struct call_heap_amount *live = &rows->live[index];

	if (rows->rank)
		report_row(rows->report, rows->rank, instructions, live->bytes, live->objects);
	else
		report_row(rows->report, instructions, live->bytes, live->objects);
}

static void report_times(const struct call_heap *heap, uint64_t end, struct report *report)
{
	static const struct report_column columns[] = {
		{ "instructions", REPORT_U64, "" },
		{ "bytes", REPORT_U64, "bytes" },
		{ "objects", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	struct time_rows rows = { .report = report };

	memcpy(rows.live, heap->times.live, sizeof(heap->times.live));
	rows.live[HEAP_TIMES] = heap->peak;
	rows.live[HEAP_TIMES + 1] = heap->live;
	report_data_table(report, "over_time", columns);
	for_each_time(heap, end, put_time, &rows);
}

/* Reports the times of the paths of the first rows. */
static void report_times_of_paths(const struct call_heap *heap, const struct path_row *rows,
				  const struct call_paths *paths, uint64_t top, uint64_t end,
				  struct report *report)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		{ "instructions", REPORT_U64, "" },
		{ "bytes", REPORT_U64, "bytes" },
		{ "objects", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};

	report_data_table(report, "over_time_by_path", columns);
	for (size_t i = 0;
	     i < paths->count && i < top && i < PATHS_OVER_TIME && rows[i].sums.allocated.objects;
	     i++) {
		struct time_rows times = { .report = report, .rank = i + 1 };

		for (size_t n = 0; n < heap->nodes.count; n++)
			if (paths->path_of_node[n] == rows[i].path)
				heap_node_times_sum(&heap->nodes.at[n].times, heap->times.count,
						    times.live);
		times.live[HEAP_TIMES] = rows[i].sums.peak;
		times.live[HEAP_TIMES + 1] = rows[i].sums.live;
		for_each_time(heap, end, put_time, &times);
	}
}

/* ------------------------------------------------------------------------------------------ */

void call_heap_report(struct call_heap *heap, const struct call_paths *paths, uint64_t top,
		      uint64_t instructions, struct report *report)
{
	struct path_row *rows = checked_array(paths->count, sizeof(*rows));

	pass_times(heap, instructions);
	for (size_t i = 0; i < paths->count; i++)
		rows[i].path = (uint32_t)i;
	for (size_t i = 0; i < heap->nodes.count; i++)
		add_node(heap, &rows[paths->path_of_node[i]].sums, &heap->nodes.at[i]);
	qsort(rows, paths->count, sizeof(*rows), compare_rows);
	report_u64(report, "bytes_at_peak", "bytes", heap->peak.bytes);
	report_u64(report, "objects_at_peak", "", heap->peak.objects);
	report_u64(report, "peak_after", "instructions", heap->peak_at);
	report_u64(report, "bytes_allocated", "bytes", heap->allocated.bytes);
	report_u64(report, "allocations", "", heap->allocated.objects);
	report_u64(report, "bytes_at_end", "bytes", heap->live.bytes);
	report_u64(report, "objects_at_end", "", heap->live.objects);
	if (heap->has_uses)
		call_heap_report_use_totals(heap, report);
	report_rows(rows, paths, top, report);
	if (heap->has_uses)
		call_heap_report_uses(heap, paths, top, report);
	report_times(heap, instructions, report);
	report_times_of_paths(heap, rows, paths, top, instructions, report);
	free(rows);
}
