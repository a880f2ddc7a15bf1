/* SPDX-License-Identifier: MIT */
/* Makes a trace of samples that other tools have taken. */
#ifndef SAMPLE_IMPORT_H
#define SAMPLE_IMPORT_H

#include "recorder/import/import_meta.h"
#include "recorder/import/perf_file.h"
#include "recorder/samples/sink.h"
#include "traceformat/tracewriter.h"

/* Returns true if a file begins as one that can be imported. */
bool import_knows(const uint8_t *data, size_t size);

/* The input: one file, or those that perf record --threads wrote into a folder. */
struct import_source {
	const char *name; /* for the trace */
	const struct perf_part *parts;
	size_t n_parts;
};

/*
 * Writes the samples of files in memory into a trace, finished but for tf_writer_finish: perf.data,
 * or a file of AMD Research's IBS toolkit. here: files are believed to be those that were sampled,
 * see images.h. watch: or NULL. Errors: FOREIGN (neither of them), DAMAGED, IO, MEMORY.
 */
int import_samples(struct tf_writer *writer, const struct import_source *source, bool here,
		   const struct import_watch *watch, struct sample_counts *counts,
		   struct tf_error *error);

#endif
