/* SPDX-License-Identifier: MIT */
/*
 * Makes random but valid traces from a seed, and the items that a reader must return for them. A
 * trace is a dictionary and a script of writer calls, which play.h performs. The meaning of an
 * execution is derived independently, and slowly, from the descriptions in traceformat.h.
 */
#ifndef RANDOM_TRACE_H
#define RANDOM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/traces/vector.h"
#include "traceformat/traceformat.h"

/* An execution of a path. */
struct random_exec {
	uint32_t path, exit; /* ids; exit: the partial one if `partial` */
	bool partial;
	uint32_t executed; /* instructions */
	uint32_t n_slots;
	uint64_t *slots;
	uint64_t rsp_after; /* partial: as passed to the writer */
	uint64_t first;     /* ordinal of its first instruction */
	uint64_t *values;   /* expected, of the whole path; 0 for what did not execute */
};

struct random_stream {
	VECTOR(struct random_exec) execs;
	VECTOR(struct tf_event) events; /* with thread and ordinal */
	uint64_t instructions;
	uint64_t rsp, base[3]; /* base: by enum tf_segment */
	bool rsp_known;
};

enum random_op_kind { OP_EXEC, OP_EVENT, OP_REGISTERS, OP_FLUSH, OP_FLUSH_WRITER, OP_SCHEDULE };

/* A call of the writer. */
struct random_op {
	enum random_op_kind kind;
	uint32_t thread;
	size_t index;          /* OP_EXEC, OP_EVENT: in the stream's array */
	uint64_t number;       /* OP_EVENT: instructions ahead; OP_SCHEDULE: instructions */
	uint64_t registers[3]; /* OP_REGISTERS: rsp, fs, gs */
};

struct random_run {
	uint32_t thread;
	uint64_t instructions;
};
struct random_meta {
	const char *key;
	char *value;
};
struct random_symbols {
	uint32_t module;
	struct tf_symbol *symbols;
	size_t count;
};

struct random_options {
	uint64_t seed;
	unsigned n_processes, n_threads;
	unsigned n_modules, n_symbols; /* symbols: of a module, about */
	unsigned n_blocks, n_paths;
	unsigned n_execs;   /* path executions, of all threads together */
	unsigned max_insns; /* of a block, about */
	unsigned events;    /* percent of executions that have some */
	uint64_t chunk_instructions;
	bool identity; /* only one-block paths without recipes */
	unsigned writer_threads;
};

struct random_trace {
	struct random_options options;
	uint64_t state; /* of the random numbers */
	VECTOR(void *) memory;

	VECTOR(struct tf_module) modules;
	VECTOR(struct random_symbols) symbols;
	VECTOR(struct tf_process) processes;
	VECTOR(struct tf_thread) threads;
	VECTOR(struct tf_function) functions;
	VECTOR(struct tf_mapping) mappings;
	VECTOR(struct tf_region) regions;
	VECTOR(struct tf_block) blocks;
	VECTOR(struct tf_path) paths;
	VECTOR(struct random_meta) meta;

	struct random_stream *streams; /* by thread */
	VECTOR(struct random_op) ops;
	VECTOR(struct random_run) schedule;
	VECTOR(uint32_t) next_exit;    /* by exit id: what mostly follows it */
	VECTOR(uint64_t *) last_slots; /* by path */
	VECTOR(bool *) small_slots;    /* by path: slots that the format's limits bound */
	uint8_t uuid[16];
	int32_t wait_status;
	const char *stop_reason;
};

/* Makes a trace. The caller frees it with random_trace_free(). */
struct random_trace *random_trace_new(const struct random_options *options);
void random_trace_free(struct random_trace *t);

/* Returns the number of values that an operand has besides its address. */
unsigned random_extras_of(const struct tf_operand *o);

/* Returns the number of instructions of a path's first blocks. */
uint32_t random_insns_of(const struct random_trace *t, const struct tf_path *p, unsigned n_blocks);

#endif
