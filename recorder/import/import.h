/* SPDX-License-Identifier: MIT */
/* Makes a trace of samples that other tools have taken. */
#ifndef SAMPLE_IMPORT_H
#define SAMPLE_IMPORT_H

#include "recorder/import/import_meta.h"
#include "recorder/import/perf_file.h"
#include "recorder/samples/sink.h"
#include "traceformat/tracewriter.h"

/* Returns true if a file begins as a file that can be imported. */
bool import_knows(const uint8_t *data, size_t size);

/* An input file. perf record --threads writes several of them into a folder. */
struct import_source {
	const char *name; /* for the trace */
	const struct perf_part *parts;
	size_t n_parts;
};

/*
 * Writes the samples of files in memory into a trace: perf.data, or a file of AMD Research's IBS
 * toolkit. The caller then calls tf_writer_finish(). here: the program files on this machine are
 * the sampled ones, see images.h. watch may be NULL. Errors: FOREIGN (the file is neither of
 * these), DAMAGED, IO, MEMORY.
 */
int import_samples(struct tf_writer *writer, const struct import_source *source, bool here,
		   const struct import_watch *watch, struct sample_counts *counts,
		   struct tf_error *error);

#endif
