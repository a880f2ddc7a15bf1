/* SPDX-License-Identifier: MIT */
/* Makes a trace of a file of AMD Research's IBS toolkit. */
#ifndef IBS_TOOLKIT_H
#define IBS_TOOLKIT_H

#include "recorder/import/import_meta.h"
#include "recorder/samples/sink.h"
#include "traceformat/tracewriter.h"

/* Returns true if the file in memory begins as a file of the toolkit does. */
bool ibs_toolkit_is(const uint8_t *data, size_t size);

/* Does for such a file what import_samples() does for every file. */
int ibs_toolkit_import(struct tf_writer *writer, const uint8_t *data, size_t size, const char *name,
		       const struct import_watch *watch, struct sample_counts *counts,
		       struct tf_error *error);

#endif
