/* SPDX-License-Identifier: MIT */
/*
 * A trace with repetitions that only models of its slots and control flow find: a walk along links
 * in memory, and values that follow from the positions of the walk.
 */
#ifndef MODELLED_TRACE_H
#define MODELLED_TRACE_H

#include "traceformat/tracewriter.h"

enum { MODELLED_PATHS = 4, MODELLED_SLOTS = 3, MODELLED_PLACES = 64 };

/* Adds one block of as many loads as a path has slots, for each path. */
int modelled_dictionary(struct tf_writer *w, uint32_t *first_exits, struct tf_error *error);

/* Writes a finished trace to fd. */
int modelled_trace_write(int fd, unsigned n_execs, struct tf_error *error);

#endif
