/* SPDX-License-Identifier: MIT */
/* trace-stackdist - LRU stack distances; locality/lru_stack.h has the definition. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/locality/stream.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

/* ---- options ----------------------------------------------------------------------------- */

enum { MAX_KINDS = 7, MAX_SIZES = 16, WORD_SIZE = 32 };

struct options {
	unsigned n_kinds, kinds[MAX_KINDS];  /* enum access_kind, or-ed */
	unsigned n_sizes, shifts[MAX_SIZES]; /* log2 of bytes */
	unsigned n_caches;
	uint64_t caches[MAX_CACHES]; /* bytes */
	bool histogram, curve;
	uint64_t most; /* distances of so many and more are not told apart; 0: no limit */
};

static const struct options defaults = {
	.n_kinds = 1,
	.kinds = { ACCESS_READ | ACCESS_WRITE },
	.n_sizes = 1,
	.shifts = { 6 },
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

/*
 * Copies the next word of a list, and moves *text behind it. Returns false at the end of the list.
 * Words that are too long are cut.
 */
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

/* Returns the kinds (enum access_kind, or-ed) of a text such as "reads+writes"; 0: none. */
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

OPTION_PARSER(option_kinds)
{
	struct options *o = destination;
	char word[WORD_SIZE];

	o->n_kinds = 0;
	while (next_word(&text, ',', word)) {
		unsigned kinds = parse_kinds(word);

		if (!kinds)
			return "a list of reads, writes and fetches, or sums of these (reads+writes), is expected";
		if (o->n_kinds == MAX_KINDS)
			return "there are too many elements";
		o->kinds[o->n_kinds++] = kinds;
	}
	return NULL;
}

OPTION_PARSER(option_sizes)
{
	struct options *o = destination;
	uint64_t bytes[MAX_SIZES];
	unsigned count = parse_list(text, parse_size, bytes, MAX_SIZES);

	for (unsigned i = 0; i < count && i < MAX_SIZES; i++) {
		if (!bytes[i] || bytes[i] & (bytes[i] - 1))
			return "a list of powers of two is expected, such as 64,4Ki";
		o->shifts[i] = __builtin_ctzll(bytes[i]);
	}
	o->n_sizes = count;
	if (!count)
		return "a list of powers of two is expected, such as 64,4Ki";
	return count > MAX_SIZES ? "there are too many sizes" : NULL;
}

OPTION_PARSER(option_caches)
{
	struct options *o = destination;
	unsigned count = parse_list(text, parse_size, o->caches, MAX_CACHES);

	for (unsigned i = 0; i < count && i < MAX_CACHES; i++)
		if (!o->caches[i])
			return "a list of sizes is expected, such as 32Ki,1Mi";
	o->n_caches = count;
	if (!count)
		return "a list of sizes is expected, such as 32Ki,1Mi";
	return count > MAX_CACHES ? "there are too many sizes" : NULL;
}

/* Parses a limit that is one of a bin of the histogram. */
OPTION_PARSER(option_most)
{
	uint64_t most;

	if (!parse_count(text, &most) || !most || most > UINT64_C(1) << 31 ||
	    (most > EXACT_BINS && most & (most - 1)))
		return "a number of blocks is expected: 1 to 65536, or a power of two up to 2Gi";
	*(uint64_t *)destination = most;
	return NULL;
}

static const struct command_option options[] = {
	{ "accesses", 'a', "LIST", "count reads, writes, fetches, reads+writes, ...", option_kinds,
	  0 },
	{ "block-size", 'b', "LIST", "sizes of a memory block in bytes (default 64)", option_sizes,
	  0 },
	{ "histogram", 0, NULL, "print all distances instead of MICA's buckets",
	  analyzer_option_flag, offsetof(struct options, histogram) },
	{ "curve", 0, NULL, "add the miss ratios of caches of all sizes", analyzer_option_flag,
	  offsetof(struct options, curve) },
	{ "cache-size", 0, "LIST", "add the miss ratios of caches of these sizes", option_caches,
	  0 },
	{ "max-distance", 0, "BLOCKS", NULL, option_most, offsetof(struct options, most) },
	{ 0 },
};

static const char *const state_options[] = { "accesses", "block-size", "cache-size", "max-distance",
					     NULL };

static int check_cache(uint64_t bytes, unsigned shift)
{
	uint64_t block_size = UINT64_C(1) << shift;

	if (bytes % block_size == 0)
		return 0;
	return command_usage_error("--cache-size: %" PRIu64
				   " bytes are not a multiple of the block "
				   "size, %" PRIu64,
				   bytes, block_size);
}

/* Checks that the distances that decide about a cache are below the limit. */
static int check_limit(const struct options *o, uint64_t bytes, unsigned shift)
{
	if (!o->most || bytes >> shift <= o->most)
		return 0;
	return command_usage_error("--cache-size: %" PRIu64 " bytes are more than %" PRIu64
				   " blocks of %" PRIu64 " bytes, the --max-distance",
				   bytes, o->most, UINT64_C(1) << shift);
}

static int check_caches(const struct options *o)
{
	int status = 0;

	for (unsigned i = 0; i < o->n_caches && !status; i++)
		for (unsigned j = 0; j < o->n_sizes && !status; j++)
			status = check_cache(o->caches[i], o->shifts[j])
					 ?: check_limit(o, o->caches[i], o->shifts[j]);
	return status;
}

/* Refuses two kinds of rows, because the table of intervals or threads has rows of one kind. */
static int check_rows(const struct options *o)
{
	const char *names[3];
	unsigned n = 0;

	if (o->most)
		return command_usage_error("--max-distance excludes --interval and --threads=each");
	if (o->histogram)
		names[n++] = "--histogram";
	if (o->curve)
		names[n++] = "--curve";
	if (o->n_caches)
		names[n++] = "--cache-size";
	if (n < 2)
		return 0;
	return command_usage_error(
		"with --interval or --threads=each, %s and %s exclude each other", names[0],
		names[1]);
}

/* ---- columns ----------------------------------------------------------------------------- */

#define STREAM_COLUMNS                        \
	{ "accesses", REPORT_STRING, "" },    \
	{                                     \
		"block_size", REPORT_U64, "B" \
	}
#define DISTANCE_COLUMNS                                                                \
	STREAM_COLUMNS, { "distance_from", REPORT_U64, "blocks" },                      \
		{ "distance_to", REPORT_U64, "blocks" }, { "touches", REPORT_U64, "" }, \
	{                                                                               \
		"share_percent", REPORT_F64, ""                                         \
	}
#define CACHE_COLUMNS                                                                 \
	STREAM_COLUMNS, { "cache_blocks", REPORT_U64, "" },                           \
		{ "cache_size_bytes", REPORT_U64, "" }, { "misses", REPORT_U64, "" }, \
	{                                                                             \
		"miss_ratio_percent", REPORT_F64, ""                                  \
	}

static const struct report_column distance_columns[] = { DISTANCE_COLUMNS, { NULL, 0, NULL } };
static const struct report_column cache_columns[] = { CACHE_COLUMNS, { NULL, 0, NULL } };

/* The columns of rows for intervals and threads. */
static const struct report_column distance_rows[] = {
	ANALYZER_SPAN_COLUMNS,
	DISTANCE_COLUMNS,
	{ NULL, 0, NULL },
};
static const struct report_column cache_rows[] = {
	ANALYZER_SPAN_COLUMNS,
	CACHE_COLUMNS,
	{ NULL, 0, NULL },
};
/* clang-format off */
static const struct report_column bucket_rows[] = {
	ANALYZER_SPAN_COLUMNS, STREAM_COLUMNS, { "touches", REPORT_U64, "" }, { "cold", REPORT_U64, "" },
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
/* clang-format on */

static const struct report_column *row_columns_of(const struct options *o)
{
	if (o->histogram)
		return distance_rows;
	return o->curve || o->n_caches ? cache_rows : bucket_rows;
}

/* ---- counting ---------------------------------------------------------------------------- */

struct stackdist {
	struct access_collector collector;
	const struct options *options;           /* of the pass */
	uint64_t instructions, all_instructions; /* all: of what was cleared */
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
	int status = check_caches(run->options);

	run->shared = code;
	run->row_columns = row_columns_of(run->options);
	if (!status && run->each_thread)
		status = check_rows(run->options);
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

	for (unsigned i = 0; i < s->n_streams; i++)
		stream_feed(&s->streams[i], accesses, count);
}

static void start_stream(struct stream *stream, struct stream_kind kind, const struct analysis *run)
{
	const struct options *o = run->options;

	stream_init(stream, kind, run->jobs > 1);
	stream_limit(stream, o->most);
	for (unsigned i = 0; i < o->n_caches; i++)
		distances_add_cache(&stream->distances, o->caches[i] >> kind.shift);
	if (run->keeps_all)
		stream_keep_all(stream);
}

static int start(void *self, const struct analysis *run)
{
	const struct options *o = run->options;
	struct stackdist *s = self;

	s->options = o;
	s->collector.code = run->shared;
	s->collector.kinds = wanted_kinds(o);
	s->collector.consume = feed_streams;
	s->collector.opaque = s;
	s->streams = checked_array(o->n_kinds * o->n_sizes, sizeof(*s->streams));
	for (unsigned i = 0; i < o->n_kinds; i++)
		for (unsigned j = 0; j < o->n_sizes; j++)
			start_stream(&s->streams[s->n_streams++],
				     (struct stream_kind){ o->kinds[i], o->shifts[j] }, run);
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

static int save(void *self, struct state_writer *writer)
{
	struct stackdist *s = self;

	analyzer_put(writer, s->instructions);
	for (unsigned i = 0; i < s->n_streams; i++)
		stream_save(&s->streams[i], writer);
	return 0;
}

static int load(void *self, struct state_reader *reader)
{
	struct stackdist *s = self;

	s->instructions = analyzer_take(reader);
	for (unsigned i = 0; i < s->n_streams; i++)
		stream_load(&s->streams[i], reader);
	return 0;
}

static void clear(void *self)
{
	struct stackdist *s = self;

	s->all_instructions += s->instructions;
	s->instructions = 0;
	for (unsigned i = 0; i < s->n_streams; i++)
		stream_clear(&s->streams[i]);
}

/* ---- results ----------------------------------------------------------------------------- */

#define STREAM(stream) kind_names[(stream)->kind.kinds], UINT64_C(1) << (stream)->kind.shift

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static bool has(const unsigned *list, unsigned count, unsigned value)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

/*
 * Returns the next of the pass's streams that a result has, from `stream` on; NULL: there is none.
 */
static const struct stream *next_stream(const struct stackdist *s, const struct options *o,
					const struct stream *stream)
{
	for (; stream < s->streams + s->n_streams; stream++)
		if (has(o->kinds, o->n_kinds, stream->kind.kinds) &&
		    has(o->shifts, o->n_sizes, stream->kind.shift))
			return stream;
	return NULL;
}

static const struct stream *first_stream(const struct stackdist *s, const struct options *o)
{
	return next_stream(s, o, s->streams);
}

#define TOUCHES                                                                          \
	"touches of blocks: one for each active lane, and for each repetition of a rep " \
	"instruction"

/* Reports streams of which only distances below a limit are known. */
static void report_limited(const struct stackdist *s, const struct options *o, struct report *r)
{
	static const struct report_column columns[] = {
		STREAM_COLUMNS,
		{ "touches", REPORT_U64, "" },
		{ "far", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	const struct stream *stream;

	report_u64(r, "max_distance", "blocks", o->most);
	report_define(r, "touches", TOUCHES);
	report_define(r, "far", "touches whose distance is max_distance or more, or cold ones");
	report_table(r, "streams", columns);
	for (stream = first_stream(s, o); stream; stream = next_stream(s, o, stream + 1))
		report_row(r, STREAM(stream), stream->distances.touches, stream->distances.cold);
}

static void report_streams(const struct stackdist *s, const struct options *o, struct report *r)
{
	static const struct report_column columns[] = {
		STREAM_COLUMNS,
		{ "touches", REPORT_U64, "" },
		{ "cold", REPORT_U64, "" },
		{ "working_set_bytes", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	const struct stream *stream;

	report_define(r, "touches", TOUCHES);
	report_define(r, "cold", "touches of blocks that were never touched before");
	report_table(r, "streams", columns);
	for (stream = first_stream(s, o); stream; stream = next_stream(s, o, stream + 1))
		report_row(r, STREAM(stream), stream->distances.touches, stream->distances.cold,
			   stream->distances.cold << stream->kind.shift);
}

/* The place of a row: the stream, and in a table of intervals or threads also the span. */
struct place {
	const struct analyzer_span *span; /* NULL: none */
	const struct stream *stream;
	struct report *report;
};

/* Reports the touches with distances from `from` to `to`; UINT64_MAX: to any distance. */
static void distance_row(const struct place *at, uint64_t from, uint64_t to, uint64_t touches)
{
	struct report_cell cells[9], *cell = cells;

	if (at->span) {
		*cell++ = (struct report_cell){ .known = true, .string = at->span->thread };
		*cell++ = (struct report_cell){ .known = true, .u64 = at->span->first };
		*cell++ = (struct report_cell){ .known = true, .u64 = at->span->instructions };
	}
	*cell++ = (struct report_cell){ .known = true,
					.string = kind_names[at->stream->kind.kinds] };
	*cell++ = (struct report_cell){ .known = true,
					.u64 = UINT64_C(1) << at->stream->kind.shift };
	*cell++ = (struct report_cell){ .known = true, .u64 = from };
	*cell++ = (struct report_cell){ .known = to != UINT64_MAX, .u64 = to };
	*cell++ = (struct report_cell){ .known = true, .u64 = touches };
	*cell++ = (struct report_cell){ .known = true,
					.f64 = percent(touches, at->stream->distances.touches) };
	report_row_of_cells(at->report, cells);
}

static void histogram_rows(const struct place *at)
{
	const struct distances *d = &at->stream->distances;

	for (uint32_t bin = 0; bin < d->n_bins; bin++)
		if (d->bins[bin])
			distance_row(at, distances_of_bin(bin), distances_of_bin(bin + 1) - 1,
				     d->bins[bin]);
}

static void bucket_table_rows(const struct place *at)
{
	uint64_t buckets[MICA_BUCKETS];

	uint64_t most = at->stream->most ? at->stream->most : UINT64_MAX;

	distances_to_buckets(&at->stream->distances, buckets);
	for (unsigned k = 0; k < MICA_BUCKETS; k++) {
		uint64_t from = k ? UINT64_C(1) << k : 0;
		uint64_t to = k == MICA_BUCKETS - 1 ? UINT64_MAX : (2ull << k) - 1;

		if (from < most)
			distance_row(at, from, to < most ? to : most - (most != UINT64_MAX),
				     buckets[k]);
	}
}

/* Reports the misses of a cache: cold touches, and distances of its number of blocks or more. */
static void cache_row(const struct place *at, uint64_t blocks, uint64_t misses)
{
	const struct stream *stream = at->stream;
	uint64_t touches = stream->distances.touches, bytes = blocks << stream->kind.shift;
	double ratio = touches ? percent(misses, touches) : NAN;

	if (at->span)
		report_row(at->report, ANALYZER_SPAN(at->span), STREAM(stream), blocks, bytes,
			   misses, ratio);
	else
		report_row(at->report, STREAM(stream), blocks, bytes, misses, ratio);
}

static void curve_rows(const struct place *at)
{
	const struct distances *d = &at->stream->distances;
	uint64_t misses = d->touches - d->bins[0];

	cache_row(at, 1, misses);
	for (uint32_t bin = 1; bin < d->n_bins; bin++) {
		misses -= d->bins[bin];
		if (d->bins[bin])
			cache_row(at, distances_of_bin(bin + 1), misses);
	}
}

/* Reports the caches of 1, 2, 4, ... blocks, up to one in which all blocks fit. */
static void curve_rows_of_powers(const struct place *at)
{
	const struct distances *d = &at->stream->distances;
	uint64_t misses = d->touches, blocks = 1;

	for (uint32_t bin = 0; bin < d->n_bins; bin++) {
		misses -= d->bins[bin];
		if (distances_of_bin(bin + 1) == blocks) {
			cache_row(at, blocks, misses);
			blocks *= 2;
		}
	}
	if (!at->stream->most || blocks <= at->stream->most)
		cache_row(at, blocks, misses);
}

static void curve_tables(const struct stackdist *s, const struct options *o, struct report *r)
{
	struct place at = { .report = r };

	report_text_table(r, "miss_ratio_curve", cache_columns);
	for (at.stream = first_stream(s, o); at.stream;
	     at.stream = next_stream(s, o, at.stream + 1))
		curve_rows_of_powers(&at);
	report_data_table(r, "miss_ratio_curve", cache_columns);
	for (at.stream = first_stream(s, o); at.stream;
	     at.stream = next_stream(s, o, at.stream + 1))
		curve_rows(&at);
}

/* Returns the number of the first cache of that size in a list, or n_caches. */
static unsigned cache_of(const struct options *o, uint64_t bytes)
{
	unsigned i = 0;

	while (i < o->n_caches && o->caches[i] != bytes)
		i++;
	return i;
}

static void cache_size_rows(const struct place *at, const struct options *o,
			    const struct options *of_pass)
{
	for (unsigned i = 0; i < o->n_caches; i++)
		cache_row(at, o->caches[i] >> at->stream->kind.shift,
			  distances_misses(&at->stream->distances,
					   cache_of(of_pass, o->caches[i])));
}

/* Makes everything the present state, behind the last row. */
static void take_all(struct stackdist *s)
{
	if (!s->streams[0].all)
		return;
	clear(s);
	s->instructions = s->all_instructions;
	s->all_instructions = 0;
	for (unsigned i = 0; i < s->n_streams; i++) {
		struct stream *stream = &s->streams[i];

		distances_merge(&stream->distances, stream->all);
		distances_clear(stream->all);
	}
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	const struct options *o = run->options;
	struct stackdist *s = self;
	struct place at = { .report = r };

	take_all(s);
	report_u64(r, "instructions", "", s->instructions);
	if (o->most)
		report_limited(s, o, r);
	else
		report_streams(s, o, r);
	report_table(r, o->histogram ? "histogram" : "buckets", distance_columns);
	for (at.stream = first_stream(s, o); at.stream;
	     at.stream = next_stream(s, o, at.stream + 1))
		o->histogram ? histogram_rows(&at) : bucket_table_rows(&at);
	if (o->curve)
		curve_tables(s, o, r);
	if (o->n_caches) {
		report_table(r, "caches", cache_columns);
		for (at.stream = first_stream(s, o); at.stream;
		     at.stream = next_stream(s, o, at.stream + 1))
			cache_size_rows(&at, o, s->options);
	}
	return 0;
}

static void bucket_row(const struct place *at)
{
	const struct distances *d = &at->stream->distances;
	uint64_t b[MICA_BUCKETS];

	distances_to_buckets(d, b);
	report_row(at->report, ANALYZER_SPAN(at->span), STREAM(at->stream), d->touches, d->cold,
		   b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
		   b[13], b[14], b[15], b[16], b[17], b[18]);
}

static int row(void *self, const struct analysis *run, const struct analyzer_span *span,
	       struct report *r)
{
	const struct options *o = run->options;
	const struct stackdist *s = self;
	struct place at = { .span = span, .report = r };
	int status = check_rows(o);

	if (status)
		return status;
	for (at.stream = first_stream(s, o); at.stream;
	     at.stream = next_stream(s, o, at.stream + 1)) {
		if (o->histogram)
			histogram_rows(&at);
		else if (o->curve)
			curve_rows(&at);
		else if (o->n_caches)
			cache_size_rows(&at, o, s->options);
		else
			bucket_row(&at);
	}
	return 0;
}

/* Adds a number to a list unless it is there. Returns false if the list is full. */
static bool add_missing(unsigned *list, unsigned *count, unsigned most, unsigned value)
{
	if (has(list, *count, value))
		return true;
	if (*count == most)
		return false;
	list[(*count)++] = value;
	return true;
}

static bool add_missing_cache(struct options *o, uint64_t bytes)
{
	if (cache_of(o, bytes) < o->n_caches)
		return true;
	if (o->n_caches == MAX_CACHES)
		return false;
	o->caches[o->n_caches++] = bytes;
	return true;
}

/* Gives the pass the streams and caches that a result has. */
static bool also(const struct analysis *run, void *all, const void *more)
{
	const struct options *other = more;
	struct options *pass = all, extended = *pass;
	bool fits = pass->most == other->most;

	(void)run;
	for (unsigned i = 0; i < other->n_kinds; i++)
		fits &= add_missing(extended.kinds, &extended.n_kinds, MAX_KINDS, other->kinds[i]);
	for (unsigned i = 0; i < other->n_sizes; i++)
		fits &= add_missing(extended.shifts, &extended.n_sizes, MAX_SIZES,
				    other->shifts[i]);
	for (unsigned i = 0; i < other->n_caches; i++)
		fits &= add_missing_cache(&extended, other->caches[i]);
	if (!fits || row_columns_of(&extended) != row_columns_of(other))
		return false;
	*pass = extended;
	return true;
}

static const struct analyzer stackdist = {
	.name = "trace-stackdist",
	.summary =
		"count LRU stack (reuse) distances of memory blocks, and the implied miss ratios",
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
	.save = save,
	.load = load,
	.state_version = 1,
	.state_options = state_options,
	.report = report,
	.row = row,
	.row_columns = bucket_rows,
	.also = also,
	.clear = clear,
};
ANALYZER_MAIN(stackdist)
