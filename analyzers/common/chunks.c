/* SPDX-License-Identifier: MIT */
#include "analyzers/common/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/memory_watch.h"
#include "traceformat/common/sorted.h"

static int compare_chunks(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

void chunk_list_init(struct chunk_list *list, struct tf_reader *reader)
{
	struct tf_section_info section;

	*list = (struct chunk_list){ 0 };
	for (uint32_t i = 0; tf_section(reader, i, &section); i++) {
		if (strcmp(tf_section_kind_name(section.kind), "CHUNK"))
			continue;
		CHECKED_RESERVE(*list, list->count + 1);
		list->at[list->count++] = (struct chunk){ section.thread, section.first_ordinal,
							  section.instructions };
	}
	if (list->count)
		qsort(list->at, list->count, sizeof(*list->at), compare_chunks);
}

void chunk_list_free(struct chunk_list *list)
{
	free(list->at);
	*list = (struct chunk_list){ 0 };
}

static void add_raw(void *opaque, unsigned id, unsigned coding, uint64_t stored, uint64_t raw)
{
	uint64_t *sum = opaque;

	(void)id, (void)coding, (void)stored;
	*sum = raw < UINT64_MAX - *sum ? *sum + raw : UINT64_MAX;
}

unsigned chunk_jobs(struct tf_reader *reader, uint64_t file_size, unsigned jobs)
{
	uint64_t largest = 1, most;
	struct tf_section_info section;

	for (uint32_t i = 0; jobs > 1 && tf_section(reader, i, &section); i++) {
		uint64_t raw = 0;

		if (strcmp(tf_section_kind_name(section.kind), "CHUNK"))
			continue;
		tf_section_columns(reader, i, add_raw, &raw, NULL);
		if (raw > largest)
			largest = raw;
	}
	most = (MEMORY_SPARE + MEMORY_FACTOR * file_size) / 2 / largest;
	return most < jobs ? most ? (unsigned)most : 1 : jobs;
}

/* Returns the index of the first chunk of a thread or of those behind. */
static size_t find_thread(const struct chunk_list *list, uint32_t thread)
{
	return PARTITION_POINT(list->at, list->count, chunk, chunk->thread < thread);
}

struct chunk *chunks_between(const struct chunk_list *list, uint32_t first_thread,
			     uint32_t end_thread, uint64_t first, uint64_t end, size_t *count)
{
	struct chunk_list chunks = { 0 };

	for (size_t i = find_thread(list, first_thread);
	     i < list->count && list->at[i].thread < end_thread; i++) {
		uint64_t from = list->at[i].first, to;

		if (__builtin_add_overflow(from, list->at[i].instructions, &to))
			continue;
		if (from < first)
			from = first;
		if (to > end)
			to = end;
		if (from >= to)
			continue;
		CHECKED_RESERVE(chunks, chunks.count + 1);
		chunks.at[chunks.count++] = (struct chunk){ list->at[i].thread, from, to - from };
	}
	*count = chunks.count;
	return chunks.at;
}
