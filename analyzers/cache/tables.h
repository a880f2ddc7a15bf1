/* SPDX-License-Identifier: MIT */
/* The counts of hierarchies as tables. */
#ifndef CACHE_TABLES_H
#define CACHE_TABLES_H

#include "analyzers/cache/hierarchy.h"
#include "analyzers/common/analyzer.h"

/* Reports the geometry and the counts of each level of each hierarchy. */
void cache_report_tables(struct cache_hierarchy *const *hierarchies, size_t count,
			 uint64_t instructions, struct report *report);

/* The table of intervals and threads: a row for each level. */
extern const struct report_column cache_row_columns[];
void cache_report_rows(struct cache_hierarchy *const *hierarchies, size_t count,
		       const struct analyzer_span *span, struct report *report);

#endif
