/* SPDX-License-Identifier: MIT */
#include "analyzers/stackdist/tables.h"

#include <math.h>

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
const struct report_column stackdist_bucket_rows[] = {
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

const struct report_column *stackdist_row_columns(const struct stackdist_options *o)
{
	if (o->histogram)
		return distance_rows;
	return o->curve || o->n_caches ? cache_rows : stackdist_bucket_rows;
}

#define STREAM(stream) \
	stackdist_kinds_text((stream)->kind.kinds), UINT64_C(1) << (stream)->kind.shift

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/*
 * Returns the next of the pass's streams that a result has, from `stream` on; NULL: there is none.
 */
static const struct stream *next_stream(const struct stackdist_pass *pass,
					const struct stackdist_options *o,
					const struct stream *stream)
{
	for (; stream < pass->streams + pass->n_streams; stream++)
		if (stackdist_has_stream(o, stream->kind))
			return stream;
	return NULL;
}

static const struct stream *first_stream(const struct stackdist_pass *pass,
					 const struct stackdist_options *o)
{
	return next_stream(pass, o, pass->streams);
}

#define TOUCHES                                                                          \
	"touches of blocks: one for each active lane, and for each repetition of a rep " \
	"instruction"

/* Reports streams of which only distances below a limit are known. */
static void report_limited(const struct stackdist_pass *pass, const struct stackdist_options *o,
			   struct report *r)
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
	for (stream = first_stream(pass, o); stream; stream = next_stream(pass, o, stream + 1))
		report_row(r, STREAM(stream), stream->distances.touches, stream->distances.cold);
}

static void report_streams(const struct stackdist_pass *pass, const struct stackdist_options *o,
			   struct report *r)
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
	for (stream = first_stream(pass, o); stream; stream = next_stream(pass, o, stream + 1))
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
					.string = stackdist_kinds_text(at->stream->kind.kinds) };
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

static void curve_tables(const struct stackdist_pass *pass, const struct stackdist_options *o,
			 struct report *r)
{
	struct place at = { .report = r };

	report_text_table(r, "miss_ratio_curve", cache_columns);
	for (at.stream = first_stream(pass, o); at.stream;
	     at.stream = next_stream(pass, o, at.stream + 1))
		curve_rows_of_powers(&at);
	report_data_table(r, "miss_ratio_curve", cache_columns);
	for (at.stream = first_stream(pass, o); at.stream;
	     at.stream = next_stream(pass, o, at.stream + 1))
		curve_rows(&at);
}

static void cache_size_rows(const struct place *at, const struct stackdist_options *o,
			    const struct stackdist_options *of_pass)
{
	for (unsigned i = 0; i < o->n_caches; i++)
		cache_row(at, o->caches[i] >> at->stream->kind.shift,
			  distances_misses(&at->stream->distances,
					   stackdist_cache_number(of_pass, o->caches[i])));
}

static void cache_table(const struct stackdist_pass *pass, const struct stackdist_options *o,
			struct report *r)
{
	struct place at = { .report = r };

	report_table(r, "caches", cache_columns);
	for (at.stream = first_stream(pass, o); at.stream;
	     at.stream = next_stream(pass, o, at.stream + 1))
		cache_size_rows(&at, o, pass->options);
}

void stackdist_report(const struct stackdist_pass *pass, const struct stackdist_options *o,
		      struct report *r)
{
	struct place at = { .report = r };

	if (o->most)
		report_limited(pass, o, r);
	else
		report_streams(pass, o, r);
	report_table(r, o->histogram ? "histogram" : "buckets", distance_columns);
	for (at.stream = first_stream(pass, o); at.stream;
	     at.stream = next_stream(pass, o, at.stream + 1))
		o->histogram ? histogram_rows(&at) : bucket_table_rows(&at);
	if (o->curve)
		curve_tables(pass, o, r);
	if (o->n_caches)
		cache_table(pass, o, r);
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

void stackdist_report_rows(const struct stackdist_pass *pass, const struct stackdist_options *o,
			   const struct analyzer_span *span, struct report *r)
{
	struct place at = { .span = span, .report = r };

	for (at.stream = first_stream(pass, o); at.stream;
	     at.stream = next_stream(pass, o, at.stream + 1)) {
		if (o->histogram)
			histogram_rows(&at);
		else if (o->curve)
			curve_rows(&at);
		else if (o->n_caches)
			cache_size_rows(&at, o, pass->options);
		else
			bucket_row(&at);
	}
}
