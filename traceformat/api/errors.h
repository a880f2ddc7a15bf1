/* SPDX-License-Identifier: MIT */
/* Errors: what went wrong, and where in the file. */
#ifndef TRACEFORMAT_API_ERRORS_H
#define TRACEFORMAT_API_ERRORS_H

#include <stdint.h>

#include "traceformat/api/declarations.h"

TF_BEGIN_DECLARATIONS

/* Values are pinned: they never change meaning. */
enum tf_status {
	TF_OK = 0,
	TF_E_IO = -10, /* the system refused: errno is in the text */
	TF_E_MEMORY = -11,
	TF_E_FOREIGN = -20,   /* not a trace at all */
	TF_E_VERSION = -21,   /* a trace that needs a newer reader */
	TF_E_DAMAGED = -30,   /* a checksum or a rule of FORMAT.md does not hold */
	TF_E_TRUNCATED = -31, /* the file ends inside its header */
	TF_E_ARGUMENT = -40,  /* the caller asked for something that is not there */
};

/* What went wrong and where. text is one sentence for a person: file, offset, section, cure. */
struct tf_error {
	enum tf_status status;
	uint64_t offset;  /* in the file, bytes; 0 if it does not apply */
	uint32_t section; /* section number; UINT32_MAX if it does not apply */
	char text[512];
};

/* Returns the class of a status as a short constant string, for example "damaged". */
const char *tf_status_name(enum tf_status status);

/* Returns "libtraceformat X.Y.Z". */
const char *tf_version(void);

TF_END_DECLARATIONS

#endif
