/* SPDX-License-Identifier: MIT */
/* The readers of the formats, as struct import_format has them. */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include <stdbool.h>

struct import_job;

bool drmemtrace_import(struct import_job *job); /* drmemtrace.c */
bool champsim_import(struct import_job *job);   /* champsim.c */
bool cloudsuite_import(struct import_job *job);
bool sbbt_import(struct import_job *job); /* sbbt.c */
bool din_import(struct import_job *job);  /* din.c */
bool xdin_import(struct import_job *job);

#endif
