/* SPDX-License-Identifier: MIT */
/* The functions whose calls are in a trace of drmemtrace, and their names in its funclist.log. */
#ifndef DRMEMTRACE_FUNCTIONS_H
#define DRMEMTRACE_FUNCTIONS_H

#include "cli/import/import_job.h"

struct drmemtrace_functions {
	HASH_TABLE(struct drmemtrace_function) by_id;
};

struct drmemtrace_function {
	uint64_t key;   /* FUNC_ID */
	uint32_t index; /* of the trace's record + 1, or 0 */
	uint32_t n_args;
	char *name; /* or NULL */
};

/*
 * Reads a funclist.log: lines "id,arguments,0xpc,MODULE!NAME". A file that is missing names no
 * function.
 */
void drmemtrace_read_functions(struct drmemtrace_functions *functions, const char *path);

/*
 * Returns the index of a function, whose record is added to the trace if need be; TF_NONE after an
 * error, which the code table keeps.
 */
uint32_t drmemtrace_function(struct drmemtrace_functions *functions, struct import_job *job,
			     uint64_t id);

void drmemtrace_functions_free(struct drmemtrace_functions *functions);

#endif
