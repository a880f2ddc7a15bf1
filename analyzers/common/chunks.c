/* SPDX-License-Identifier: MIT */
#include "analyzers/common/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

static int compare_chunks(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

struct chunk *chunks_between(struct tf_reader *reader, uint32_t first_thread, uint32_t end_thread,
			     uint64_t first, uint64_t end, size_t *count)
{
	struct tf_section_info section;
	struct chunk *chunks = NULL;
	size_t n = 0, room = 0;

	for (uint32_t i = 0; tf_section(reader, i, &section); i++) {
		uint64_t from = section.first_ordinal, to;

		if (section.thread < first_thread || section.thread >= end_thread ||
		    strcmp(tf_section_kind_name(section.kind), "CHUNK") ||
		    __builtin_add_overflow(from, section.instructions, &to))
			continue;
		if (from < first)
			from = first;
		if (to > end)
			to = end;
		if (from >= to)
			continue;
		MAKE_ROOM(chunks, n, room);
		chunks[n++] = (struct chunk){ section.thread, from, to - from };
	}
	if (n)
		qsort(chunks, n, sizeof(*chunks), compare_chunks);
	*count = n;
	return chunks;
}
