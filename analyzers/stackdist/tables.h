/* SPDX-License-Identifier: MIT */
/* Stack distances as tables: histograms, MICA's buckets, miss-ratio curves, given caches. */
#ifndef STACKDIST_TABLES_H
#define STACKDIST_TABLES_H

#include "analyzers/stackdist/options.h"

/* The streams of one pass over a trace, which may serve several results. */
struct stackdist_pass {
	const struct stackdist_options *options;
	unsigned n_streams;
	struct stream *streams;
};

/* Reports what the options of one result ask for. */
void stackdist_report(const struct stackdist_pass *pass, const struct stackdist_options *options,
		      struct report *report);

/* The table of intervals and threads, and the rows of one span in this table. */
extern const struct report_column stackdist_bucket_rows[];
const struct report_column *stackdist_row_columns(const struct stackdist_options *options);
void stackdist_report_rows(const struct stackdist_pass *pass,
			   const struct stackdist_options *options,
			   const struct analyzer_span *span, struct report *report);

#endif
