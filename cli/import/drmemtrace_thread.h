/* SPDX-License-Identifier: MIT */
/* Imports one thread's file of drmemtrace. */
#ifndef DRMEMTRACE_THREAD_H
#define DRMEMTRACE_THREAD_H

#include "cli/import/drmemtrace_input.h"
#include "cli/import/import_job.h"

/* A file, and the facts in the records before its first time. */
struct drmemtrace_head {
	char *path;
	uint64_t version, file_type; /* enum drmemtrace_filetype, or-ed */
	bool has_file_type;
	uint64_t time; /* the first one, as in the file */
	uint32_t pid, tid;
};

/*
 * Reads the head of a file, whose path is set. Returns false after a message, also if the file is
 * not of drmemtrace, or is of a kind that cannot be imported.
 */
bool drmemtrace_read_head(struct drmemtrace_head *head);

/* Imports all of a file. functions: by FUNC_ID, see drmemtrace_functions.h. Returns false after a
 * message. */
struct drmemtrace_functions;
bool drmemtrace_import_file(struct import_job *job, const struct drmemtrace_head *head,
			    struct drmemtrace_functions *functions);

#endif
