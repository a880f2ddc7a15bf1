/* SPDX-License-Identifier: MIT */
/* The files of slices, PREFIX.NUMBER.trace: their names, and how they are cut. */
#ifndef SLICES_H
#define SLICES_H

#include "cli/common/slice_meta.h"
#include "cli/record/options.h"
#include "traceformat/traceformat.h"

/*
 * Returns the prefix that -o gives: the name of the program, after the folder if -o is one, which
 * is made if it ends with a slash. Returns NULL after a message. The caller frees it.
 */
char *slice_prefix(const struct arguments *arguments);

/* Return the name of the trace of the recorded windows, and of a slice. The caller frees it. */
char *windows_name(const char *prefix);
char *slice_name(const char *prefix, uint64_t number);

/*
 * Records the windows, reports what failed and, with --stats, the measured times. Returns 0 or a
 * negative status.
 */
int windows_record(const struct arguments *arguments, struct record_result *result);

/*
 * Removes the trace that an earlier recording left under the name of a slice that this recording
 * does not have. Other files stay.
 */
void slice_remove_old(const char *path);

/* A slice of the recorded windows. */
struct window_slice {
	uint64_t first, count; /* instructions of the thread, or steps of the merged order */
	uint64_t warmup;       /* of them, the first that only warm up a simulator */
	const struct slice_meta *meta;
};

/*
 * Writes a slice of an open trace of windows to a file with the permissions that --mode asks for.
 * Adds the size of the file to *bytes. Returns false after a message.
 */
bool slice_cut(const struct arguments *arguments, struct tf_reader *windows,
	       const struct window_slice *slice, const char *path, uint64_t *bytes);

#endif
