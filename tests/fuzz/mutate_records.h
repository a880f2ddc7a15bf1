/* SPDX-License-Identifier: MIT */
/* Changes binary files of samples and numbers: perf.data at the level of its records, others by fields. */
#ifndef MUTATE_RECORDS_H
#define MUTATE_RECORDS_H

#include "traceformat/common/bytes.h"

/* Makes a few changes, each decided by the generator of mutate_trace.h. */
void mutate_records(struct buffer *file, uint64_t *state);

#endif
