/* SPDX-License-Identifier: MIT */
/*
 * memsize - how many bytes each data access moves.
 *
 * Counts executed memory operands by size and direction. One that reads and writes, as in
 * add %eax,(%rbx), counts in both columns; each repetition of a rep instruction and each active
 * lane of a gather is an access. Instruction fetches and prefetches are not counted.
 * Cost: one pass, O(1) memory.
 */
#include "analyzers/common/analyzer.h"

enum { LARGEST = 4096 }; /* bytes; what is larger (xsave) counts as this */

struct memsize {
	uint64_t reads[LARGEST + 1], writes[LARGEST + 1]; /* accesses, by bytes */
};

static int blocks(void *self, const struct tf_item *item)
{
	struct memsize *m = self;

	for (size_t i = 0; i < item->count; i++) {
		struct tf_block_accesses it;

		tf_block_accesses_begin(&it, &item->blocks[i]);
		while (tf_block_accesses_next(&it)) {
			uint32_t bytes = it.size < LARGEST ? it.size : LARGEST;

			m->reads[bytes] += !!(it.operand->access & TF_LOAD);
			m->writes[bytes] += !!(it.operand->access & TF_STORE);
		}
	}
	return 0;
}

static int merge(void *self, const void *later)
{
	struct memsize *m = self;
	const struct memsize *other = later;

	for (unsigned bytes = 0; bytes <= LARGEST; bytes++) {
		m->reads[bytes] += other->reads[bytes];
		m->writes[bytes] += other->writes[bytes];
	}
	return 0;
}

static const struct report_column columns[] = {
	{ "bytes", REPORT_U64, "" },
	{ "reads", REPORT_U64, "" },
	{ "writes", REPORT_U64, "" },
	{ NULL, 0, NULL },
};

static int report(void *self, const struct analysis *run, struct report *r)
{
	const struct memsize *m = self;

	(void)run;
	report_table(r, "accesses", columns);
	for (unsigned bytes = 0; bytes <= LARGEST; bytes++)
		if (m->reads[bytes] || m->writes[bytes])
			report_row(r, (uint64_t)bytes, m->reads[bytes], m->writes[bytes]);
	return 0;
}

static const struct analyzer memsize = {
	.name = "trace-memsize",
	.summary = "count data accesses by size and direction",
	.example = "trace-memsize --format=csv ls.trace",
	.columns = TF_ADDRESSES,
	.unordered = true,
	.state_size = sizeof(struct memsize),
	.blocks = blocks,
	.merge = merge,
	.report = report,
};
ANALYZER_MAIN(memsize)
