/* SPDX-License-Identifier: MIT */
/*
 * The output of a recording: the writer, the streams of the tasks, the order in which they ran,
 * and the limits on size. Several threads may write at the same time, each to streams of tasks
 * that no other thread writes to. Once writing has failed (a full disk, a closed pipe), every
 * function returns -1 and does nothing.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

struct output;

struct output_totals {
	struct tf_totals executed; /* as far as they are written */
	uint64_t slots;            /* of these executions */
	uint64_t bytes;
	uint32_t threads, processes;
};

/*
 * Creates the trace that session->options describe. A regular file that exists is replaced only
 * with options->force. Returns -1 with session->error.
 */
int output_open(struct session *session);

/* Removes the file that output_open created; for a program that never ran. */
void output_discard(struct output *output);

/* Finishes the trace and closes the file; wait_status as for tf_writer_finish. */
int output_finish(struct output *output, int wait_status, const char *stop_reason);

void output_free(struct output *output);

/* Returns the writer, to which samples go directly. */
struct tf_writer *output_writer(const struct output *output);

void output_totals(struct output *output, struct output_totals *totals);

/* The following functions call the writer's functions of the same names. */
int output_meta(struct output *output, const char *key, const char *value);
int output_add_module(struct output *output, const struct tf_module *module, uint32_t *index);

/* Also returns 1 if there are too many symbols for a trace of limited size. */
int output_add_symbols(struct output *output, uint32_t module, const struct tf_symbol *symbols,
		       size_t count);

int output_add_process(struct output *output, const struct tf_process *process, uint32_t *index);
int output_add_function(struct output *output, const struct tf_function *function, uint32_t *index);
int output_add_mapping(struct output *output, const struct tf_mapping *mapping, uint32_t *index);
int output_add_region(struct output *output, const struct tf_region *region, uint32_t *index);
int output_add_block(struct output *output, const struct tf_block *block, uint32_t *id);
int output_add_path(struct output *output, const struct tf_path *path, uint32_t *id,
		    uint32_t *first_exit);

int output_add_vector(struct output *output, const struct tf_vector *vector);

/* Excludes a block from the filtered instructions, by the rule of that number. */
int output_exclude(struct output *output, const struct tf_excluded *excluded, unsigned rule);
int output_add_interval(struct output *output, const struct tf_interval *interval);

/* Between lock and unlock, no other thread assigns ids of blocks or paths. Not to be nested. */
void output_lock(struct output *output);
void output_unlock(struct output *output);

/* Adds the task as a thread of its process and opens its stream. */
int output_open_stream(struct output *output, struct task *task);
int output_close_stream(struct output *output, struct task *task);

/*
 * Appends an execution of a path to the task's stream. n_insns: instructions of the path up to
 * that exit.
 */
int output_exec(struct output *output, struct task *task, uint32_t exit, unsigned n_insns,
		const uint64_t *slots, unsigned n_slots);

/* Appends a partial execution, which was left after `executed` instructions. */
int output_partial(struct output *output, struct task *task, uint32_t path, unsigned executed,
		   const uint64_t *slots, unsigned n_slots);

/*
 * Appends many executions at once, see tf_stream_records. Returns the number of u64 that were
 * used, and adds the number of their instructions to *n_insns; the caller passes both numbers to
 * output_executed.
 */
int64_t output_records(struct output *output, struct task *task, const uint64_t *records,
		       size_t count, const uint32_t *exits, size_t n_exits, uint64_t *n_insns);
int output_executed(struct output *output, struct task *task, uint64_t n_insns, uint64_t records);

/* States the registers that recipes use, as tf_stream_registers; before an execution. */
void output_registers(struct task *task);

/*
 * Returns true if the stream needs the value of rsp, best with the next execution: see
 * tf_stream_misses_rsp.
 */
bool output_misses_rsp(const struct task *task);

int output_event(struct output *output, struct task *task, const struct tf_event *event);

/* Returns true if options->flush_seconds have passed since the last flush; now: session_now(). */
bool output_flush_is_due(const struct session *session, double now);

/* Makes all records so far readable. */
int output_flush(struct session *session);

/*
 * Returns true once the trace is as large as options->max_size allows, less the room for finishing
 * it. May flush.
 */
bool output_full(struct session *session);

/*
 * Returns the bytes, before compression, that fit for certain before output_full; UINT64_MAX: no
 * limit.
 */
uint64_t output_room(const struct output *output);

/* Sets the error "out of memory" and returns -1. */
int output_memory(struct output *output);

#endif
