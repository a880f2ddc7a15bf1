/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzers/calls/heap.h"
#include "cli/common/checked.h"

enum { PATHS_BY_OFFSET = 10 };

/* The objects of a path. */
struct path_uses {
	uint32_t path;
	uint64_t allocated; /* bytes */
	struct heap_use_sums sums;
	bool mixed;    /* objects have different sizes, or are too large for offsets */
	uint64_t size; /* bytes of each object; 0: there was none yet */
};

static void add_sums(struct heap_use_sums *to, const struct heap_use_sums *sums)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		to->accesses[kind] += sums->accesses[kind];
		to->bytes[kind] += sums->bytes[kind];
		to->never[kind] += sums->never[kind];
		to->objects_never[kind] += sums->objects_never[kind];
	}
}

static void add_node(struct path_uses *row, const struct call_heap_node *node)
{
	row->allocated += node->allocated.bytes;
	add_sums(&row->sums, &node->uses);
	row->mixed |= node->has_large;
	if (!node->offsets)
		return;
	row->mixed |= !node->offsets->size || (row->size && row->size != node->offsets->size);
	row->size = node->offsets->size;
}

struct live_visit {
	struct path_uses *rows;
	const struct call_paths *paths;
};

static void add_live(void *opaque, uint32_t owner, const struct heap_use_sums *sums)
{
	const struct live_visit *visit = opaque;

	add_sums(&visit->rows[visit->paths->path_of_node[owner]].sums, sums);
}

static int compare_rows(const void *a, const void *b)
{
	const struct path_uses *x = a, *y = b;

	if (x->sums.never[HEAP_READ] != y->sums.never[HEAP_READ])
		return x->sums.never[HEAP_READ] > y->sums.never[HEAP_READ] ? -1 : 1;
	if (x->allocated != y->allocated)
		return x->allocated > y->allocated ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

/* Returns the rows of all paths, sorted. */
static struct path_uses *rows_of(const struct call_heap *heap, const struct call_paths *paths)
{
	struct path_uses *rows = checked_array(paths->count, sizeof(*rows));
	struct live_visit visit = { rows, paths };

	for (size_t i = 0; i < paths->count; i++)
		rows[i].path = (uint32_t)i;
	for (size_t i = 0; i < heap->nodes.count; i++)
		add_node(&rows[paths->path_of_node[i]], &heap->nodes.at[i]);
	heap_uses_visit_live(&heap->uses, add_live, &visit);
	qsort(rows, paths->count, sizeof(*rows), compare_rows);
	return rows;
}

static void report_rows(const struct path_uses *rows, size_t n, const struct call_paths *paths,
			struct report *report)
{
	static const struct report_column columns[] = {
		{ "bytes_never_read", REPORT_U64, "bytes" },
		{ "bytes_allocated", REPORT_U64, "bytes" },
		{ "bytes_never_written", REPORT_U64, "bytes" },
		{ "bytes_read", REPORT_U64, "bytes" },
		{ "bytes_written", REPORT_U64, "bytes" },
		{ "reads", REPORT_U64, "" },
		{ "writes", REPORT_U64, "" },
		{ "objects_never_read", REPORT_U64, "" },
		{ "call_path", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "object_accesses", columns);
	for (size_t i = 0; i < n; i++) {
		const struct heap_use_sums *s = &rows[i].sums;
		char *text = call_path_text(paths, rows[i].path);

		report_row(report, s->never[HEAP_READ], rows[i].allocated, s->never[HEAP_WRITE],
			   s->bytes[HEAP_READ], s->bytes[HEAP_WRITE], s->accesses[HEAP_READ],
			   s->accesses[HEAP_WRITE], s->objects_never[HEAP_READ], text);
		free(text);
	}
}

/* ---- by offset --------------------------------------------------------------------------- */

/* Sums up the changes of the accesses from byte to byte for the nodes of a path. */
static void sum_changes(const struct call_heap *heap, const struct call_paths *paths, uint32_t path,
			uint64_t (*changes)[2])
{
	for (size_t i = 0; i < heap->nodes.count; i++) {
		const struct heap_offsets *offsets = heap->nodes.at[i].offsets;

		if (paths->path_of_node[i] != path || !offsets)
			continue;
		for (uint64_t at = 0; at < offsets->size; at++)
			for (unsigned kind = 0; kind < 2; kind++)
				changes[at][kind] += offsets->changes[at][kind];
	}
}

/* Reports the bytes of the objects of a path; neighbors with the same accesses are one row. */
static void report_offsets(uint64_t rank, uint64_t size, uint64_t (*sums)[2], struct report *report)
{
	uint64_t end;

	for (uint64_t at = 0; at < size; at = end) {
		for (end = at + 1; end < size && !memcmp(sums[end], sums[at], sizeof(*sums));)
			end++;
		report_row(report, rank, at, end - at, sums[at][HEAP_READ], sums[at][HEAP_WRITE]);
	}
}

static void report_by_offset(const struct call_heap *heap, const struct path_uses *rows, size_t n,
			     const struct call_paths *paths, struct report *report)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },    { "offset", REPORT_U64, "bytes" },
		{ "bytes", REPORT_U64, "" },  { "reads", REPORT_U64, "" },
		{ "writes", REPORT_U64, "" }, { NULL, 0, NULL },
	};

	report_data_table(report, "accesses_by_offset", columns);
	for (size_t i = 0; i < n && i < PATHS_BY_OFFSET; i++) {
		uint64_t sums[HEAP_OFFSETS][2] = { 0 };

		if (rows[i].mixed)
			continue;
		sum_changes(heap, paths, rows[i].path, sums);
		for (uint64_t at = 1; at < rows[i].size; at++)
			for (unsigned kind = 0; kind < 2; kind++)
				sums[at][kind] += sums[at - 1][kind];
		report_offsets(i + 1, rows[i].size, sums, report);
	}
}

/* ------------------------------------------------------------------------------------------ */

static void add_to_total(void *opaque, uint32_t owner, const struct heap_use_sums *sums)
{
	(void)owner;
	add_sums(opaque, sums);
}

void call_heap_report_use_totals(const struct call_heap *heap, struct report *report)
{
	struct heap_use_sums all = { 0 };

	for (size_t i = 0; i < heap->nodes.count; i++)
		add_sums(&all, &heap->nodes.at[i].uses);
	heap_uses_visit_live(&heap->uses, add_to_total, &all);
	report_u64(report, "bytes_read", "bytes", all.bytes[HEAP_READ]);
	report_u64(report, "bytes_written", "bytes", all.bytes[HEAP_WRITE]);
	report_u64(report, "bytes_never_read", "bytes", all.never[HEAP_READ]);
	report_u64(report, "bytes_never_written", "bytes", all.never[HEAP_WRITE]);
}

void call_heap_report_uses(const struct call_heap *heap, const struct call_paths *paths,
			   uint64_t top, struct report *report)
{
	struct path_uses *rows = rows_of(heap, paths);
	size_t n = 0;

	while (n < paths->count && n < top && rows[n].allocated)
		n++;
	report_rows(rows, n, paths, report);
	report_by_offset(heap, rows, n, paths, report);
	free(rows);
}
