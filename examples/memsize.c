/* SPDX-License-Identifier: MIT */
/*
 * memsize - counts data accesses by size and direction. An access that reads and writes, as in
 * add %eax,(%rbx), counts in both columns; each repetition and active lane is an access.
 */
#include <analyzer.h>

enum { LARGEST = 4096 }; /* bytes; larger accesses (xsave) count as this */

struct memsize {
	uint64_t reads[LARGEST + 1], writes[LARGEST + 1]; /* accesses, by bytes */
};

static int access(void *self, uint32_t thread, const struct tf_block_accesses *access)
{
	struct memsize *m = self;
	uint32_t bytes = access->size < LARGEST ? access->size : LARGEST;

	(void)thread;
	m->reads[bytes] += !!(access->operand->access & TF_LOAD);
	m->writes[bytes] += !!(access->operand->access & TF_STORE);
	return 0;
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	static const struct report_column columns[] = {
		{ .name = "bytes" }, { .name = "reads" }, { .name = "writes" }, { .name = NULL }
	};
	const struct memsize *m = self;

	(void)run;
	report_table(r, "accesses", columns);
	for (uint32_t bytes = 0; bytes <= LARGEST; bytes++)
		if (m->reads[bytes] || m->writes[bytes])
			report_row(r, bytes, m->reads[bytes], m->writes[bytes]);
	return 0;
}

static const struct analyzer memsize = {
	.name = "trace-memsize",
	.summary = "count data accesses by size and direction",
	.columns = TF_ADDRESSES,
	.unordered = true,
	.state_size = sizeof(struct memsize),
	.state_is_counts = true,
	.access = access,
	.report = report,
};
ANALYZER_MAIN(memsize)
