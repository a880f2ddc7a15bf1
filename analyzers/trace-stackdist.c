/* SPDX-License-Identifier: MIT */
/* trace-stackdist - LRU stack distances; locality/lru_stack.h has the definition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/locality/stream.h"
#include "cli/common/checked.h"
#include "cli/common/quantity.h"

/* ---- options ----------------------------------------------------------------------------- */

enum { MAX_KINDS = 7, MAX_SIZES = 16, WORD_SIZE = 32 };

struct options {
	unsigned n_kinds, kinds[MAX_KINDS];	/* enum access_kind, or-ed */
	unsigned n_sizes, shifts[MAX_SIZES];	/* log2 of bytes */
	bool histogram, curve;
};

static const struct options defaults = {
	.n_kinds = 1, .kinds = { ACCESS_READ | ACCESS_WRITE }, .n_sizes = 1, .shifts = { 6 },
};

static const char *const kind_names[MAX_KINDS + 1] = {
	[ACCESS_READ] = "reads",
	[ACCESS_WRITE] = "writes",
	[ACCESS_READ | ACCESS_WRITE] = "reads+writes",
	[ACCESS_FETCH] = "fetches",
	[ACCESS_READ | ACCESS_FETCH] = "reads+fetches",
	[ACCESS_WRITE | ACCESS_FETCH] = "writes+fetches",
	[ACCESS_READ | ACCESS_WRITE | ACCESS_FETCH] = "reads+writes+fetches",
};

/* Takes the next word of a list off *text; false at its end. Words that are too long are cut. */
static bool next_word(const char **text, char separator, char word[WORD_SIZE])
{
	const char separators[] = { separator, 0 };

	if (!*text)
		return false;
	size_t length = strcspn(*text, separators);

	snprintf(word, WORD_SIZE, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), *text);
	*text = (*text)[length] ? *text + length + 1 : NULL;
	return true;
}

/* Returns enum access_kind of "reads+writes" and the like, or-ed; 0 if it is none. */
static unsigned parse_kinds(const char *text)
{
	unsigned kinds = 0, kind;
	char word[WORD_SIZE];

	while (next_word(&text, '+', word)) {
		for (kind = ACCESS_FETCH; kind && strcmp(word, kind_names[kind]); kind /= 2)
			continue;
		if (!kind)
			return 0;
		kinds |= kind;
	}
	return kinds;
}

static const char *option_kinds(const struct analyzer_option *option, void *destination,
				const char *text)
{
	struct options *o = destination;
	char word[WORD_SIZE];

	(void)option;
	o->n_kinds = 0;
	while (next_word(&text, ',', word)) {
		unsigned kinds = parse_kinds(word);

		if (!kinds)
			return "not a list of reads, writes, fetches, or sums of these";
		if (o->n_kinds == MAX_KINDS)
			return "too many";
		o->kinds[o->n_kinds++] = kinds;
	}
	return NULL;
}

static const char *option_sizes(const struct analyzer_option *option, void *destination,
				const char *text)
{
	struct options *o = destination;
	char word[WORD_SIZE];
	uint64_t bytes;

	(void)option;
	o->n_sizes = 0;
	while (next_word(&text, ',', word)) {
		if (!parse_count(word, &bytes) || !bytes || bytes & (bytes - 1))
			return "not a list of powers of two";
		if (o->n_sizes == MAX_SIZES)
			return "too many";
		o->shifts[o->n_sizes++] = __builtin_ctzll(bytes);
	}
	return NULL;
}

static const struct analyzer_option options[] = {
	{ "accesses", 'a', "LIST", "of reads, writes, fetches, reads+writes, ...",
	  option_kinds, 0 },
	{ "block-size", 'b', "LIST", "sizes of a block in bytes (default 64)", option_sizes, 0 },
	{ "histogram", 0, NULL, "all distances instead of MICA's buckets", option_flag,
	  offsetof(struct options, histogram) },
	{ "curve", 0, NULL, "the miss ratio of a cache by its size, too", option_flag,
	  offsetof(struct options, curve) },
	{ 0 },
};

/* ---- counting ---------------------------------------------------------------------------- */

struct stackdist {
	struct access_collector collector;
	uint64_t instructions;
	unsigned n_streams;
	struct stream *streams;
};

static unsigned wanted_kinds(const struct options *o)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < o->n_kinds; i++)
		kinds |= o->kinds[i];
	return kinds;
}

static int prepare(struct analysis *run)
{
	struct access_code *code = checked_array(1, sizeof(*code));
	unsigned kinds = wanted_kinds(run->options);

	run->shared = code;
	if (kinds & (ACCESS_READ | ACCESS_WRITE)) {
		int status = analysis_needs_addresses(run);

		if (status)
			return status;
		run->columns |= TF_ADDRESSES;
	}
	access_code_init(code, run->reader, kinds);
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

	for (unsigned i = 0; i < s->n_streams; i++)
		stream_feed(&s->streams[i], accesses, count);
}

static int start(void *self, const struct analysis *run)
{
	const struct options *o = run->options;
	struct stackdist *s = self;

	s->collector.code = run->shared;
	s->collector.kinds = wanted_kinds(o);
	s->collector.consume = feed_streams;
	s->collector.opaque = s;
	s->streams = checked_array(o->n_kinds * o->n_sizes, sizeof(*s->streams));
	for (unsigned i = 0; i < o->n_kinds; i++)
		for (unsigned j = 0; j < o->n_sizes; j++)
			stream_init(&s->streams[s->n_streams++],
				    (struct stream_kind){ o->kinds[i], o->shifts[j] },
				    run->jobs > 1);
	return 0;
}

static void stop(void *self)
{
	struct stackdist *s = self;

	for (unsigned i = 0; i < s->n_streams; i++)
		stream_free(&s->streams[i]);
	free(s->streams);
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
	for (unsigned i = 0; i < s->n_streams; i++)
		stream_append(&s->streams[i], &other->streams[i]);
	return 0;
}

static void clear(void *self)
{
	struct stackdist *s = self;

	s->instructions = 0;
	for (unsigned i = 0; i < s->n_streams; i++)
		stream_clear(&s->streams[i]);
}

/* ---- results ----------------------------------------------------------------------------- */

#define STREAM_COLUMNS \
	{ "accesses", REPORT_STRING, "" }, { "block_size", REPORT_U64, "B" }
#define STREAM(stream) kind_names[(stream)->kind.kinds], UINT64_C(1) << (stream)->kind.shift

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void report_streams(const struct stackdist *s, struct report *r)
{
	static const struct report_column columns[] = {
		STREAM_COLUMNS, { "touches", REPORT_U64, "" }, { "cold", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};

	report_table(r, "streams", columns);
	for (unsigned i = 0; i < s->n_streams; i++)
		report_row(r, STREAM(&s->streams[i]), s->streams[i].distances.touches,
			   s->streams[i].distances.cold);
}

static const struct report_column distance_columns[] = {
	STREAM_COLUMNS,
	{ "distance_from", REPORT_U64, "blocks" }, { "distance_to", REPORT_U64, "blocks" },
	{ "touches", REPORT_U64, "" }, { "share", REPORT_F64, "%" },
	{ NULL, 0, NULL },
};

static void report_histogram(const struct stackdist *s, struct report *r)
{
	report_table(r, "histogram", distance_columns);
	for (unsigned i = 0; i < s->n_streams; i++) {
		const struct stream *stream = &s->streams[i];
		const struct distances *d = &stream->distances;

		for (uint32_t bin = 0; bin < d->n_bins; bin++)
			if (d->bins[bin])
				report_row(r, STREAM(stream), distances_of_bin(bin),
					   distances_of_bin(bin + 1) - 1, d->bins[bin],
					   percent(d->bins[bin], d->touches));
	}
}

static void report_buckets(const struct stackdist *s, struct report *r)
{
	report_table(r, "buckets", distance_columns);
	for (unsigned i = 0; i < s->n_streams; i++) {
		const struct stream *stream = &s->streams[i];
		uint64_t buckets[MICA_BUCKETS];

		distances_to_buckets(&stream->distances, buckets);
		for (unsigned k = 0; k < MICA_BUCKETS; k++) {
			uint64_t to = k == MICA_BUCKETS - 1 ? LRU_COLD - 1 : (2ull << k) - 1;

			report_row(r, STREAM(stream), k ? UINT64_C(1) << k : 0, to, buckets[k],
				   percent(buckets[k], stream->distances.touches));
		}
	}
}

/* A cache of n blocks misses what is cold, and distances of n and more. */
static void report_curve(const struct stackdist *s, struct report *r)
{
	static const struct report_column columns[] = {
		STREAM_COLUMNS, { "cache_blocks", REPORT_U64, "" },
		{ "cache_size", REPORT_F64, "KiB" }, { "misses", REPORT_U64, "" },
		{ "miss_ratio", REPORT_F64, "%" }, { NULL, 0, NULL },
	};

	report_table(r, "miss_ratio_curve", columns);
	for (unsigned i = 0; i < s->n_streams; i++) {
		const struct stream *stream = &s->streams[i];
		const struct distances *d = &stream->distances;
		uint64_t misses = d->touches;

		for (uint32_t bin = 0; bin < d->n_bins; bin++) {
			uint64_t size = distances_of_bin(bin + 1);

			misses -= d->bins[bin];
			if (d->bins[bin])
				report_row(r, STREAM(stream), size,
					   (double)(size << stream->kind.shift) / 1024, misses,
					   percent(misses, d->touches));
		}
	}
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	const struct options *o = run->options;
	const struct stackdist *s = self;

	report_u64(r, "instructions", "", s->instructions);
	report_streams(self, r);
	if (o->histogram)
		report_histogram(self, r);
	else
		report_buckets(self, r);
	if (o->curve)
		report_curve(self, r);
	return 0;
}

static const struct report_column row_columns[] = {
	SPAN_COLUMNS, STREAM_COLUMNS, { "touches", REPORT_U64, "" }, { "cold", REPORT_U64, "" },
	{ "from_0", REPORT_U64, "" }, { "from_2", REPORT_U64, "" }, { "from_4", REPORT_U64, "" },
	{ "from_8", REPORT_U64, "" }, { "from_16", REPORT_U64, "" }, { "from_32", REPORT_U64, "" },
	{ "from_64", REPORT_U64, "" }, { "from_128", REPORT_U64, "" },
	{ "from_256", REPORT_U64, "" }, { "from_512", REPORT_U64, "" },
	{ "from_1024", REPORT_U64, "" }, { "from_2048", REPORT_U64, "" },
	{ "from_4096", REPORT_U64, "" }, { "from_8192", REPORT_U64, "" },
	{ "from_16384", REPORT_U64, "" }, { "from_32768", REPORT_U64, "" },
	{ "from_65536", REPORT_U64, "" },
	{ "from_131072", REPORT_U64, "" }, { "from_262144", REPORT_U64, "" },
	{ NULL, 0, NULL },
};

static int row(void *self, const struct analysis *run, const struct span *span, struct report *r)
{
	const struct stackdist *s = self;

	(void)run;
	for (unsigned i = 0; i < s->n_streams; i++) {
		const struct stream *stream = &s->streams[i];
		uint64_t b[MICA_BUCKETS];

		distances_to_buckets(&stream->distances, b);
		report_row(r, SPAN(span), STREAM(stream), stream->distances.touches,
			   stream->distances.cold, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
			   b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15], b[16], b[17],
			   b[18]);
	}
	return 0;
}

static const struct analyzer stackdist = {
	.name = "trace-stackdist",
	.summary = "count LRU stack distances of memory blocks, and the miss ratios they mean",
	.example = "trace-stackdist --accesses=reads,writes --block-size=64,4Ki ls.trace",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct stackdist),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.merge = merge,
	.report = report,
	.row = row,
	.row_columns = row_columns,
	.clear = clear,
};
ANALYZER_MAIN(stackdist)
