/* SPDX-License-Identifier: MIT */
/* Functions that fill struct tf_error. */
#ifndef ERROR_H
#define ERROR_H

#include "traceformat/traceformat.h"

/* Fills *error (may be NULL) and returns status. offset and section give the place in the file. */
int fail_at(struct tf_error *error, enum tf_status status, uint64_t offset, uint32_t section,
	    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Does the same for an error that has no place in a file. */
#define fail(error, status, ...) fail_at(error, status, 0, TF_NONE, __VA_ARGS__)

static inline int fail_memory(struct tf_error *error)
{
	return fail(error, TF_E_MEMORY, "out of memory");
}

#endif
