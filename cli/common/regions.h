/* SPDX-License-Identifier: MIT */
/* Where regions and windows of a trace are. */
#ifndef REGIONS_H
#define REGIONS_H

#include "cli/common/tracereport.h"
#include "traceformat/traceformat.h"

/*
 * Puts a table with one row for each stretch of a region in each thread: its first instruction, an
 * ordinal of the thread; how many the thread executed before it, those of gaps included, unless a
 * gap does not tell; and how many it has. All of the trace's control flow is read. Returns 0,
 * or a negative status as tf_next does.
 */
int regions_put(struct report *report, struct tf_reader *reader, struct tf_error *error);

#endif
