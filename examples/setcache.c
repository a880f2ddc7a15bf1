/* SPDX-License-Identifier: MIT */
/* setcache - counts the misses by function of a set-associative LRU cache that all threads share */
#include <analyzer.h>
#include <stdlib.h>
#include <string.h>

struct options {
	uint64_t size, line, ways; /* bytes, bytes, lines of a set */
	unsigned by;               /* enum analyzer_by */
};
#define AT(member) offsetof(struct options, member)
static const struct command_option options[] = {
	{ "size", 's', "BYTES", "of the cache (default 32Ki)", analyzer_option_size, AT(size) },
	{ "line", 'l', "BYTES", "of a line (default 64)", analyzer_option_size, AT(line) },
	{ "ways", 'w', "N", "lines of a set (default 8)", analyzer_option_positive, AT(ways) },
	{ "by", 'b', ANALYZER_BY_WORDS, "rows", analyzer_option_choice, AT(by) },
	{ .name = NULL },
};

struct setcache {
	const struct options *options;
	uint64_t sets, *lines; /* set by set, the most recent first: line number + 1, or 0 */
	struct analyzer_table *table;
};

static int start(void *self, const struct analysis *run)
{
	struct setcache *c = self;
	const struct options *o = c->options = run->options;

	if ((c->sets = o->size / o->line / o->ways) == 0 || o->line > 1 << 20)
		return analyzer_error("needed: a set, and lines of at most 1 MiB"), ANALYZER_USAGE;
	c->lines = analyzer_allocate(c->sets * o->ways, sizeof(*c->lines));
	c->table = analyzer_table_new(run->reader, o->by, 2);
	return 0;
}

static void stop(void *self)
{
	free(((struct setcache *)self)->lines);
	analyzer_table_free(((struct setcache *)self)->table);
}

static int access(void *self, uint32_t thread, const struct tf_block_accesses *access)
{
	struct setcache *c = self;
	const struct options *o = c->options;
	uint64_t *n = analyzer_table_of(c->table, thread, access), line = access->address / o->line;
	uint64_t end = access->size ? access->address % o->line + access->size : 0;

	for (uint64_t byte = 0; byte < end; byte += o->line, line++, n[0]++) {
		uint64_t *set = c->lines + line % c->sets * o->ways, way = 0;

		while (way < o->ways - 1 && set[way] != line + 1)
			way++;
		n[1] += set[way] != line + 1;
		memmove(set + 1, set, way * sizeof(*set));
		set[0] = line + 1;
	}
	return 0;
}

static void clear(void *self)
{
	analyzer_table_clear(((struct setcache *)self)->table);
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	static const struct report_column c[] = { { .name = "lookups" }, { .name = "misses" } };
	(void)run;
	analyzer_table_report(((struct setcache *)self)->table, r, "misses", c, 1, UINT64_MAX);
	return 0;
}

static const struct analyzer setcache = {
	.name = "trace-setcache",
	.summary = "count the misses of a set-associative cache by function",
	.columns = TF_ADDRESSES,
	.options = options,
	.defaults = &(const struct options){ 32 << 10, 64, 8, ANALYZER_BY_FUNCTION },
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct setcache),
	.start = start,
	.stop = stop,
	.access = access,
	.report = report,
	.clear = clear, /* the counts, but not the lines, after the warm-up of a slice */
};
ANALYZER_MAIN(setcache)
