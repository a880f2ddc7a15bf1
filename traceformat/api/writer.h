/* SPDX-License-Identifier: MIT */
/* Writing a trace. */
#ifndef TRACEFORMAT_API_WRITER_H
#define TRACEFORMAT_API_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/api/declarations.h"
#include "traceformat/api/errors.h"
#include "traceformat/api/events.h"
#include "traceformat/api/info.h"
#include "traceformat/api/paths.h"
#include "traceformat/api/program.h"
#include "traceformat/api/samples.h"

TF_BEGIN_DECLARATIONS

struct tf_writer;
struct tf_stream;

struct tf_writer_options {
	size_t size;                 /* sizeof(struct tf_writer_options) */
	int level;                   /* zstd level; 0: the default, 3 */
	uint64_t chunk_instructions; /* a chunk's length; 0: the default, 16 Mi */
	uint64_t created_ns;         /* since 1970 UTC; 0: now; UINT64_MAX: withhold it */
	const uint8_t *uuid;         /* 16 bytes; NULL: random */
	bool no_addresses;           /* address recipes are TF_BASE_UNKNOWN */
	bool order_exact;            /* threads are recorded one at a time */
	unsigned threads;            /* of the writer's own that compress and write chunks, which
					   the file has in the same order; 0: tf_stream_* does it */
};

/*
 * Creates (replaces) a trace; a new file has TF_FILE_MODE. "-" writes to standard output. options may be NULL.
 * Errors: IO, MEMORY.
 */
int tf_writer_create(const char *path, const struct tf_writer_options *options,
		     struct tf_writer **writer, struct tf_error *error);

/* The same on a file descriptor, at its present position; the writer never seeks, so a pipe
 * will do. The descriptor stays the caller's. */
int tf_writer_create_fd(int fd, const char *name, const struct tf_writer_options *options,
			struct tf_writer **writer, struct tf_error *error);

/*
 * Sets a META key ([A-Za-z0-9._-]+) to a value (UTF-8, one line: line breaks are escaped). A later
 * value replaces an earlier one. Errors: ARGUMENT (not a key), MEMORY.
 */
int tf_writer_meta(struct tf_writer *writer, const char *key, const char *value,
		   struct tf_error *error);

/*
 * The dictionary grows while the trace is written; what a stream names must have been added
 * before. Everything is copied. The index or id fields of the argument are ignored and returned
 * through *index (may be NULL). Nothing is deduplicated.
 * Errors: ARGUMENT (a limit or a reference does not hold), MEMORY.
 */
int tf_writer_add_module(struct tf_writer *, const struct tf_module *, uint32_t *index,
			 struct tf_error *);
int tf_writer_add_symbols(struct tf_writer *, uint32_t module, const struct tf_symbol *,
			  size_t count, struct tf_error *);
int tf_writer_add_process(struct tf_writer *, const struct tf_process *, uint32_t *index,
			  struct tf_error *);
int tf_writer_add_thread(struct tf_writer *, const struct tf_thread *, uint32_t *index,
			 struct tf_error *);
int tf_writer_add_function(struct tf_writer *, const struct tf_function *, uint32_t *index,
			   struct tf_error *);
int tf_writer_add_mapping(struct tf_writer *, const struct tf_mapping *, uint32_t *index,
			  struct tf_error *);
int tf_writer_add_region(struct tf_writer *, const struct tf_region *, uint32_t *index,
			 struct tf_error *);
int tf_writer_add_block(struct tf_writer *, const struct tf_block *, uint32_t *id,
			struct tf_error *);
/* *first_exit (may be NULL) receives the id of exit 0. */
int tf_writer_add_path(struct tf_writer *, const struct tf_path *, uint32_t *id,
		       uint32_t *first_exit, struct tf_error *);

int tf_writer_add_sampler(struct tf_writer *, const struct tf_sampler *, uint32_t *index,
			  struct tf_error *);

/*
 * Appends a sample; what it names must have been added before. Samples are best appended in the
 * order of time. Errors: ARGUMENT, IO, MEMORY.
 */
int tf_writer_add_sample(struct tf_writer *, const struct tf_sample *, struct tf_error *);

/* Opens the stream of a thread. One stream a thread. Errors: ARGUMENT, MEMORY. */
int tf_stream_open(struct tf_writer *writer, uint32_t thread, struct tf_stream **stream,
		   struct tf_error *error);

/*
 * States the registers that recipes may use, before the next execution. Behind a partial execution
 * rsp is what is stated last; elsewhere another one than readers know begins a new chunk.
 */
void tf_stream_registers(struct tf_stream *stream, uint64_t rsp, uint64_t fs_base,
			 uint64_t gs_base);

/*
 * True if a reader would take rsp for another value, as behind a signal frame. To state it would
 * begin a new chunk; an execution first that tells rsp behind it (TF_RSP_SLOT, or a partial one)
 * spares that.
 */
bool tf_stream_misses_rsp(const struct tf_stream *stream, uint64_t rsp);

/*
 * Appends one execution of a path that left by exit. slots: as many u64 as the exit's n_slots.
 * A chunk that is full is compressed and written. Errors: ARGUMENT (exit; its rep
 * instructions repeat more than 2^39 times), IO, MEMORY.
 */
int tf_stream_exec(struct tf_stream *stream, uint32_t exit, const uint64_t *slots,
		   struct tf_error *error);

enum {
	TF_RECORD_KEYS = 1 << 24, /* keys are below this */
	TF_RECORD_LONG = 127,     /* slots: so many or more */
};

/*
 * The head of a record for tf_stream_records, below 2^31. It tells the record's length, so that
 * records can be walked without looking up what they are.
 */
static inline uint32_t tf_record_head(uint32_t key, uint32_t n_slots)
{
	uint32_t length = n_slots < TF_RECORD_LONG ? n_slots : (uint32_t)TF_RECORD_LONG;

	return length * TF_RECORD_KEYS + key;
}

/*
 * Appends many executions, faster than one by one. Each record is a u64 whose low 32 bits are its
 * head, made of a key of the caller's, and the slots of the exit exits[key] behind it. It ends
 * before a record that has no such head, whose key is not below n_exits, or whose exit is TF_NONE:
 * something else, for the caller. Returns how many of the `count` u64 were used. Errors: as
 * tf_stream_exec.
 */
int64_t tf_stream_records(struct tf_stream *stream, const uint64_t *records, size_t count,
			  const uint32_t *exits, size_t n_exits, struct tf_error *error);

/*
 * Appends one execution that left its path inside, after `executed` instructions (not 0):
 * n_slots slots, which must cover their recipes; rsp as it then is, unless tf_stream_registers states
 * another one before the next execution.
 */
int tf_stream_partial(struct tf_stream *stream, uint32_t path, uint32_t executed,
		      const uint64_t *slots, uint32_t n_slots, uint64_t rsp,
		      struct tf_error *error);

/* Appends an event at the present place; thread, ordinal and payload are ignored. */
int tf_stream_event(struct tf_stream *stream, const struct tf_event *event, struct tf_error *error);

/*
 * The same for an event inside the execution that will be appended next: `ahead` instructions
 * after its first one. The execution must then be appended before any flush.
 */
int tf_stream_event_ahead(struct tf_stream *stream, const struct tf_event *event, uint32_t ahead,
			  struct tf_error *error);

/* Returns the ordinal of the next instruction of the stream. */
uint64_t tf_stream_ordinal(const struct tf_stream *stream);

/* Ends the present chunk and writes it, so that a reader can see it. */
int tf_stream_flush(struct tf_stream *stream, struct tf_error *error);

/* Flushes and frees the stream; it is gone even on error. */
int tf_stream_close(struct tf_stream *stream, struct tf_error *error);

/* Appends to the order of threads: the thread ran for `instructions`. Not needed as long as
 * there is one thread. */
int tf_writer_schedule(struct tf_writer *writer, uint32_t thread, uint64_t instructions,
		       struct tf_error *error);

/* Writes what is pending except open chunks: dictionary, META, schedule. */
int tf_writer_flush(struct tf_writer *writer, struct tf_error *error);

/* Returns the bytes written so far. */
uint64_t tf_writer_size(const struct tf_writer *writer);

/* Returns the bytes that tf_writer_finish() will write for the copies of the sections written so far. */
uint64_t tf_writer_copies_size(const struct tf_writer *writer);

/* Returns the CPU time that the writer's own threads have taken for compression, seconds. */
double tf_writer_compressing(struct tf_writer *writer);

/* Sums up what is in the chunks written so far; once the streams are closed, all. */
void tf_writer_totals(struct tf_writer *writer, struct tf_totals *totals);

/*
 * Finishes the trace: END, INDEX, trailer, fdatasync. Close the streams first.
 * wait_status: of the first process, -1 if not known. stop_reason: "exit", "count", ...
 */
int tf_writer_finish(struct tf_writer *writer, int32_t wait_status, const char *stop_reason,
		     struct tf_error *error);

/* Frees the writer. Without tf_writer_finish the trace stays readable but unfinished. */
void tf_writer_free(struct tf_writer *writer);

TF_END_DECLARATIONS

#endif
