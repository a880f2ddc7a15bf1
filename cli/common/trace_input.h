/* SPDX-License-Identifier: MIT */
/*
 * Traces that commands are given: files, "-" for standard input, and URLs (http_file.h).
 *
 * A URL whose trace is read as a whole is staged first: copied to a file in a folder of the user's,
 * TRACELAB_STAGE, or tracelab-UID in TMPDIR or /tmp. Other commands find the copy there as long as
 * the server has the same version, and a copy that was interrupted goes on where it ended. The
 * folder can be removed at any time. If only parts of a trace are read, ranges of bytes are
 * requested, and nothing is kept.
 */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include "traceformat/traceformat.h"

enum trace_use { TRACE_WHOLE, TRACE_PARTS };

/* Opens a trace as tf_open() does. Messages show a URL without its query. Errors: as tf_open(). */
int open_trace_input(const char *path, enum trace_use use, struct tf_reader **reader,
		     struct tf_error *error);

#endif
