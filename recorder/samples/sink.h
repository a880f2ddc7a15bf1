/* SPDX-License-Identifier: MIT */
/*
 * Writes the records of perf_event_open(2), in the order of time, to a trace: processes, threads,
 * modules, mappings and samples. Functions return 0 or a negative status with *error.
 */
#ifndef SAMPLE_SINK_H
#define SAMPLE_SINK_H

#include <sys/types.h>

#include "recorder/samples/perf_events.h"
#include "recorder/samples/program_place.h"
#include "traceformat/tracewriter.h"

struct sample_sink;

struct sample_counts {
	uint64_t samples, lost, throttled;
	uint64_t damaged;      /* records that were left out */
	uint64_t cut;          /* bytes of an incomplete record at the end of a file */
	bool killed;           /* the writer of the file had not finished it */
	uint64_t unknown;      /* records of unknown types */
	uint32_t unknown_type; /* type of the first of them */
};

/*
 * events: the events of the records. They and the writer must stay. here: the files are the ones
 * that were mapped; otherwise only files with a known build-id are used. Returns NULL if memory is
 * out.
 */
struct sample_sink *sample_sink_new(struct tf_writer *writer, struct perf_events *events,
				    bool here);
void sample_sink_free(struct sample_sink *sink);

/*
 * Adds the events that the trace does not have yet. pmu returns the monitor of an event, or NULL.
 */
int sample_sink_add_events(struct sample_sink *sink,
			   const char *(*pmu)(const void *opaque, uint32_t type),
			   const void *opaque, struct tf_error *error);

/* Sets the build-id of the file at a path; the path must stay. */
int sample_sink_add_build_id(struct sample_sink *sink, const char *path, const uint8_t *id,
			     size_t size, struct tf_error *error);

/*
 * Sets the process and thread of the trace that a thread is, if they are known before its records.
 */
int sample_sink_add_thread(struct sample_sink *sink, uint32_t pid, uint32_t process, uint32_t tid,
			   uint32_t thread, struct tf_error *error);

/* Finds or adds a thread of the trace, by pid and tid. */
int sample_sink_thread(struct sample_sink *sink, uint32_t pid, uint32_t tid, uint32_t *thread,
		       struct tf_error *error);

/*
 * Adds the threads of a running process with their names, and the process's mappings, at a given
 * time.
 */
int sample_sink_add_threads(struct sample_sink *sink, pid_t pid, uint64_t time,
			    struct tf_error *error);
int sample_sink_add_mappings(struct sample_sink *sink, pid_t pid, uint64_t time,
			     struct tf_error *error);

/*
 * Takes a record. place: for a sample, the place in the program that the sampled code stands for;
 * NULL: the code is the program's own.
 */
int sample_sink_record(struct sample_sink *sink, const struct perf_record *record,
		       const struct program_place *place, struct tf_error *error);

/* Adds, after the last record, all that is known only then. */
int sample_sink_finish(struct sample_sink *sink, struct tf_error *error);

const struct sample_counts *sample_sink_counts(const struct sample_sink *sink);

#endif
