/* SPDX-License-Identifier: MIT */
/* trace-stackdist - LRU stack distances; locality/lru_stack.h has the definition. */
#include <stdlib.h>

#include "analyzers/stackdist/options.h"
#include "analyzers/stackdist/tables.h"
#include "cli/common/checked.h"

struct stackdist {
	struct access_collector collector;
	struct stackdist_pass pass;
	uint64_t instructions, all_instructions; /* all: of what was cleared */
};

static int prepare(struct analysis *run)
{
	struct access_code *code = checked_array(1, sizeof(*code));
	unsigned kinds = stackdist_all_kinds(run->options);
	int status = stackdist_check_caches(run->options);

	run->shared = code;
	run->row_columns = stackdist_row_columns(run->options);
	if (!status && run->each_thread)
		status = stackdist_check_rows(run->options);
	if (status)
		return status;
	if (kinds & (ACCESS_READ | ACCESS_WRITE)) {
		status = analyzer_needs_addresses(run);
		if (status)
			return status;
		run->columns |= TF_ADDRESSES;
		run->accesses = true;
	}
	access_code_init(code, run->reader, kinds, 0);
	return 0;
}

static void finish(struct analysis *run)
{
	if (run->shared)
		access_code_free(run->shared);
	free(run->shared);
}

static void feed_streams(void *opaque, const struct access *accesses, size_t count)
{
	struct stackdist *s = opaque;

	for (unsigned i = 0; i < s->pass.n_streams; i++)
		stream_feed(&s->pass.streams[i], accesses, count);
}

static void start_stream(struct stream *stream, struct stream_kind kind, const struct analysis *run)
{
	const struct stackdist_options *o = run->options;

	stream_init(stream, kind, run->jobs > 1);
	stream_limit(stream, o->most);
	for (unsigned i = 0; i < o->n_caches; i++)
		distances_add_cache(&stream->distances, o->caches[i] >> kind.shift);
	if (run->keeps_all)
		stream_keep_all(stream);
}

static int start(void *self, const struct analysis *run)
{
	const struct stackdist_options *o = run->options;
	struct stackdist *s = self;

	s->pass.options = o;
	s->collector.code = run->shared;
	s->collector.kinds = stackdist_all_kinds(o);
	s->collector.consume = feed_streams;
	s->collector.opaque = s;
	s->pass.streams = checked_array(o->n_kinds * o->n_sizes, sizeof(*s->pass.streams));
	for (unsigned i = 0; i < o->n_kinds; i++)
		for (unsigned j = 0; j < o->n_sizes; j++)
			start_stream(&s->pass.streams[s->pass.n_streams++],
				     (struct stream_kind){ o->kinds[i], o->shifts[j] }, run);
	return 0;
}

static void stop(void *self)
{
	struct stackdist *s = self;

	for (unsigned i = 0; i < s->pass.n_streams; i++)
		stream_free(&s->pass.streams[i]);
	free(s->pass.streams);
}

static int blocks(void *self, const struct tf_item *item)
{
	struct stackdist *s = self;

	for (size_t i = 0; i < item->count; i++)
		s->instructions += item->blocks[i].executed;
	access_collect(&s->collector, item);
	access_flush(&s->collector);
	return 0;
}

static int merge(void *self, const void *later)
{
	struct stackdist *s = self;
	const struct stackdist *other = later;

	s->instructions += other->instructions;
	for (unsigned i = 0; i < s->pass.n_streams; i++)
		stream_append(&s->pass.streams[i], &other->pass.streams[i]);
	return 0;
}

static int save(void *self, struct state_writer *writer)
{
	struct stackdist *s = self;

	analyzer_put(writer, s->instructions);
	for (unsigned i = 0; i < s->pass.n_streams; i++)
		stream_save(&s->pass.streams[i], writer);
	return 0;
}

static int load(void *self, struct state_reader *reader)
{
	struct stackdist *s = self;

	s->instructions = analyzer_take(reader);
	for (unsigned i = 0; i < s->pass.n_streams; i++)
		stream_load(&s->pass.streams[i], reader);
	return 0;
}

static void clear(void *self)
{
	struct stackdist *s = self;

	s->all_instructions += s->instructions;
	s->instructions = 0;
	for (unsigned i = 0; i < s->pass.n_streams; i++)
		stream_clear(&s->pass.streams[i]);
}
/* Makes everything the present state, behind the last row. */
static void take_all(struct stackdist *s)
{
	if (!s->pass.streams[0].all)
		return;
	clear(s);
	s->instructions = s->all_instructions;
	s->all_instructions = 0;
	for (unsigned i = 0; i < s->pass.n_streams; i++) {
		struct stream *stream = &s->pass.streams[i];

		distances_merge(&stream->distances, stream->all);
		distances_clear(stream->all);
	}
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	struct stackdist *s = self;

	take_all(s);
	report_u64(r, "instructions", "", s->instructions);
	stackdist_report(&s->pass, run->options, r);
	return 0;
}

static int row(void *self, const struct analysis *run, const struct analyzer_span *span,
	       struct report *r)
{
	const struct stackdist *s = self;
	int status = stackdist_check_rows(run->options);

	if (!status)
		stackdist_report_rows(&s->pass, run->options, span, r);
	return status;
}

/* Gives the pass the streams and caches that a result has. */
static bool also(const struct analysis *run, void *all, const void *more)
{
	struct stackdist_options extended = *(struct stackdist_options *)all;

	(void)run;
	if (!stackdist_add_options(&extended, more) ||
	    stackdist_row_columns(&extended) != stackdist_row_columns(more))
		return false;
	*(struct stackdist_options *)all = extended;
	return true;
}

/* A partial result depends on these options. */
static const char *const state_options[] = { "accesses", "block-size", "cache-size", "max-distance",
					     NULL };

static const struct analyzer stackdist = {
	.name = "trace-stackdist",
	.summary =
		"count LRU stack (reuse) distances of memory blocks, and the implied miss ratios",
	.example = "trace-stackdist --accesses=reads,writes --block-size=64,4Ki ls.trace",
	.options = stackdist_option_table,
	.defaults = &stackdist_option_defaults,
	.options_size = sizeof(struct stackdist_options),
	.state_size = sizeof(struct stackdist),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.merge = merge,
	.save = save,
	.load = load,
	.state_version = 1,
	.state_options = state_options,
	.report = report,
	.row = row,
	.row_columns = stackdist_bucket_rows,
	.also = also,
	.clear = clear,
};
ANALYZER_MAIN(stackdist)
