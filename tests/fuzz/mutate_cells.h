/* SPDX-License-Identifier: MIT */
/* Changes binary files of records that have all the same size. */
#ifndef MUTATE_CELLS_H
#define MUTATE_CELLS_H

#include "traceformat/common/bytes.h"

/* Makes a few changes of numbers and records, each decided by the generator of mutate_trace.h. */
void mutate_cells(struct buffer *file, size_t record_size, uint64_t *state);

#endif
