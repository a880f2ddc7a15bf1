/* SPDX-License-Identifier: MIT */
/* The export of one thread to one file, and what the command tells about it. */
#ifndef THREAD_EXPORT_H
#define THREAD_EXPORT_H

#include "cli/common/checked.h"
#include "cli/export/export_request.h"

/* Returned if nothing that is written is worth keeping, after a message. */
enum { EXPORT_UNUSABLE = -1 };

/* Writes the content of e->out. Returns an exit code, or EXPORT_UNUSABLE. */
int write_thread(struct export_run *e, const struct export_request *r, uint32_t region);

/* A file of a folder of files. */
struct export_file {
	char *name;
	uint32_t thread;
	uint64_t instructions, records, bytes;
};

/* The sums of a file, or of a folder of files. */
struct export_result {
	const char *path;
	uint32_t thread; /* of one file */
	uint64_t instructions, records;
	uint64_t bytes; /* before compression */
	uint64_t lost[N_LOSSES];
	ARRAY(struct export_file) files; /* of a folder */
};

/* The summaries on stdout: in JSON, those of several files are one array. */
struct summaries {
	const char
		*uuid; /* of the trace; asking the reader for each file would take quadratic time */
	bool is_array;
	unsigned count; /* printed so far */
};

/* Saves the note OUT.json, and prints the summary unless it is not wanted. Returns an exit code. */
int tell_result(const struct export_request *r, const struct export_result *result,
		const char *note, struct summaries *summaries);

/* Ends the output of the summaries. */
void end_summaries(const struct summaries *summaries);

#endif
