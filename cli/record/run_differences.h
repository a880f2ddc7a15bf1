/* SPDX-License-Identifier: MIT */
/* Why a program may execute differently in two runs, by the META lines of their traces. */
#ifndef RUN_DIFFERENCES_H
#define RUN_DIFFERENCES_H

#include "traceformat/traceformat.h"

/*
 * Returns a list of what differs, such as "the arguments differ, environment variable LANG
 * differs", or "" if nothing is known to differ. `second` is the trace of a run with the
 * environment of this process. The caller frees the text.
 */
char *run_differences(struct tf_reader *first, struct tf_reader *second);

#endif
