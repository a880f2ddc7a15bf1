/* SPDX-License-Identifier: MIT */
/* The basic block vectors of a trace's thread, as trace-bbv makes them. */
#ifndef TRACE_VECTORS_H
#define TRACE_VECTORS_H

#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/intervals.h"
#include "analyzers/simpoint/pc_file.h"

/* Returns true if a file begins as a trace does; a pipe is not read. */
bool is_trace(const char *path);

/*
 * Runs the trace-bbv beside this command with files in a folder of its own, and reads them.
 * options: more of trace-bbv's, with blanks between; NULL: none. Returns false after a message.
 */
bool trace_vectors(struct tf_reader *reader, const char *path, uint32_t thread, uint64_t interval,
		   enum counter counter, const char *options, unsigned jobs, struct bb_rows *rows,
		   struct pc_names *names);

#endif
