/* SPDX-License-Identifier: MIT */
/* An analyzer whose results depend on the order of all items that it receives. */
#ifndef PROBE_H
#define PROBE_H

#include "analyzers/common/analyzer.h"

/* In the recorded order: by blocks, by instructions. */
extern const struct analyzer probe_ordered, probe_stepping;
/* Thread by thread, on any number of cores. */
extern const struct analyzer probe_unordered;

/* Parts of them. */
extern const struct report_column probe_columns[];
int probe_blocks(void *self, const struct tf_item *item);
int probe_report(void *self, const struct analysis *run, struct report *report);
int probe_row(void *self, const struct analysis *run, const struct analyzer_span *span,
	      struct report *report);

#endif
