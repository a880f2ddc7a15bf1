/* SPDX-License-Identifier: MIT */
/*
 * From the records of perf_event_open(2), in the order of time, to a trace: processes, threads,
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
	uint64_t cut;          /* bytes at the end of a file that are no whole record */
	bool killed;           /* whoever wrote the file had not finished */
	uint64_t unknown;      /* records of types that nobody knows */
	uint32_t unknown_type; /* of the first one */
};

/*
 * events: those of the records; must stay, as must the writer. here: files are those that were
 * mapped, else only files whose build-ids are known are believed to be. NULL: memory is out.
 */
struct sample_sink *sample_sink_new(struct tf_writer *writer, struct perf_events *events,
				    bool here);
void sample_sink_free(struct sample_sink *sink);

/* Adds the events that the trace does not have yet. pmu: of an event; may return NULL. */
int sample_sink_add_events(struct sample_sink *sink,
			   const char *(*pmu)(const void *opaque, uint32_t type),
			   const void *opaque, struct tf_error *error);

/* Says what build-id the file of a path has; the path must stay. */
int sample_sink_add_build_id(struct sample_sink *sink, const char *path, const uint8_t *id,
			     size_t size, struct tf_error *error);

/* Says which process and thread of the trace a thread is, if that is known before its records. */
int sample_sink_add_thread(struct sample_sink *sink, uint32_t pid, uint32_t process, uint32_t tid,
			   uint32_t thread, struct tf_error *error);

/* Finds or adds a thread of the trace. */
int sample_sink_thread(struct sample_sink *sink, uint32_t pid, uint32_t tid, uint32_t *thread,
		       struct tf_error *error);

/* Adds the threads of a running process and their names, and what it has mapped, at a time. */
int sample_sink_add_threads(struct sample_sink *sink, pid_t pid, uint64_t time,
			    struct tf_error *error);
int sample_sink_add_mappings(struct sample_sink *sink, pid_t pid, uint64_t time,
			     struct tf_error *error);

/* Takes a record; place: of a sample, what the code that it was in is of. NULL: it is the
 * program's. */
int sample_sink_record(struct sample_sink *sink, const struct perf_record *record,
		       const struct program_place *place, struct tf_error *error);

/* After the last record: adds what is only known by then. */
int sample_sink_finish(struct sample_sink *sink, struct tf_error *error);

const struct sample_counts *sample_sink_counts(const struct sample_sink *sink);

#endif
