/* SPDX-License-Identifier: MIT */
/* The readers of the formats, as struct import_format has them. */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include <stdbool.h>

struct import_job;

bool drmemtrace_import(struct import_job *job);

#endif
