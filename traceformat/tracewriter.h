/* SPDX-License-Identifier: MIT */
/*
 * libtraceformat - writes traces, and makes a trace from another one. traceformat.h reads traces;
 * its types and rules hold here as well. examples/write-trace.c is a complete program.
 *
 * A writer may be called from several threads; one tf_stream belongs to one at a time.
 */
#ifndef TRACEWRITER_H
#define TRACEWRITER_H

#include "traceformat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The mode of a trace's file: only its owner may read the command line and file names in it. */
#define TF_FILE_MODE 0600

/* ---- paths: how the values of an execution follow from what it stores ----------------------- */

enum tf_base {
	TF_BASE_CONSTANT = 0, /* only displacement */
	TF_BASE_SLOT = 1,     /* slots[slot] */
	TF_BASE_RSP = 2,      /* rsp at the path's entry */
	TF_BASE_UNKNOWN = 3,  /* not recorded; reads as 0 */
};

/*
 * How one value of a path execution follows from its slots:
 *
 *	v = base + (scale ? slots[index_slot] * scale : 0) + displacement
 *	    + (bit_string ? ((int64) slots[index_slot] >> log2(bit_string)) * bit_string / 8 : 0)
 *	if address32: v = v mod 2^32
 *	v = v + base of the segment
 *
 * bit_string (bt, bts, btr, btc with a register): the operand width in bits, 16, 32 or 64; the
 * slot holds the bit offset sign-extended to 64 bits; scale is then 0.
 */
struct tf_recipe {
	uint8_t base;       /* enum tf_base */
	uint8_t scale;      /* 0 (no index), 1, 2, 4, 8 */
	uint8_t bit_string; /* 0, 16, 32, 64 */
	uint8_t address32;  /* 0 or 1 */
	uint8_t segment;    /* enum tf_segment */
	uint16_t slot, index_slot;
	int64_t displacement;
};

enum tf_rsp_rule {
	TF_RSP_UNTRACKED = 0, /* not known; no path may use TF_BASE_RSP before the next chunk */
	TF_RSP_DELTA = 1,     /* rsp += rsp_value */
	TF_RSP_SLOT = 2,      /* rsp = slots[rsp_slot] + rsp_value */
};

/* An exit of a path, after the last instruction of its block n_blocks - 1. */
struct tf_exit {
	uint16_t n_blocks; /* blocks executed, 1 .. path's n_blocks */
	uint8_t outcome;   /* of the last block executed: TF_NOT_TAKEN or TF_TAKEN */
	uint8_t rsp_rule;  /* enum tf_rsp_rule */
	uint16_t n_slots;  /* slots in the record, a prefix of the path's */
	uint16_t rsp_slot;
	int64_t rsp_value;
};

/* ---- writing ----------------------------------------------------------------------------- */

struct tf_writer; /* a trace that is being written */
struct tf_stream; /* the part of one thread */

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
 * Creates (replaces) a trace; a new file has TF_FILE_MODE. "-" writes to standard output. options
 * may be NULL. Errors: IO, MEMORY.
 */
int tf_writer_create(const char *path, const struct tf_writer_options *options,
		     struct tf_writer **writer, struct tf_error *error);

/* As tf_writer_create, on a file descriptor at its present position; the writer never seeks, so a
 * pipe will do. The descriptor stays the caller's. */
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
int tf_writer_add_sampler(struct tf_writer *, const struct tf_sampler *, uint32_t *index,
			  struct tf_error *);
int tf_writer_add_block(struct tf_writer *, const struct tf_block *, uint32_t *id,
			struct tf_error *);
/* Adds a path; *first_exit (may be NULL) receives the id of exit 0. */
int tf_writer_add_path(struct tf_writer *, const struct tf_path *, uint32_t *id,
		       uint32_t *first_exit, struct tf_error *);

/*
 * Appends a sample; what it names must have been added before. Samples are best appended in the
 * order of time. Errors: ARGUMENT, IO, MEMORY.
 */
int tf_writer_add_sample(struct tf_writer *, const struct tf_sample *, struct tf_error *);

/* Opens the stream of a thread, which has one. Errors: ARGUMENT, MEMORY. */
int tf_stream_open(struct tf_writer *writer, uint32_t thread, struct tf_stream **stream,
		   struct tf_error *error);

/*
 * States the registers that recipes may use, before the next execution. After a partial execution
 * rsp is the one stated last. Elsewhere an rsp that differs from the one that readers compute
 * begins a new chunk.
 */
void tf_stream_registers(struct tf_stream *stream, uint64_t rsp, uint64_t fs_base,
			 uint64_t gs_base);

/*
 * Returns true if a reader would compute another rsp, as after a signal frame. Stating rsp then
 * begins a new chunk; an execution before that which gives rsp (TF_RSP_SLOT, or a partial one)
 * avoids it.
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
 * Returns the head of a record for tf_stream_records, below 2^31. The head has the record's length,
 * so that records can be walked without looking up their exits.
 */
static inline uint32_t tf_record_head(uint32_t key, uint32_t n_slots)
{
	uint32_t length = n_slots < TF_RECORD_LONG ? n_slots : (uint32_t)TF_RECORD_LONG;

	return length * TF_RECORD_KEYS + key;
}

/*
 * Appends many executions, faster than one by one. Each record is a u64 whose low 32 bits are its
 * head, made of a key of the caller's, and the slots of the exit exits[key] after it. The function
 * stops before a record that has no such head, whose key is not below n_exits, or whose exit is
 * TF_NONE. Returns how many of the `count` u64 were used. Errors: ARGUMENT, IO, MEMORY.
 */
int64_t tf_stream_records(struct tf_stream *stream, const uint64_t *records, size_t count,
			  const uint32_t *exits, size_t n_exits, struct tf_error *error);

/*
 * Appends one execution that left its path inside, after `executed` instructions (not 0). slots:
 * n_slots of them, which must cover the recipes of these instructions. rsp: its value then, unless
 * tf_stream_registers states another one before the next execution. Errors: ARGUMENT, IO, MEMORY.
 */
int tf_stream_partial(struct tf_stream *stream, uint32_t path, uint32_t executed,
		      const uint64_t *slots, uint32_t n_slots, uint64_t rsp,
		      struct tf_error *error);

/* Appends an event at the present place; thread, ordinal and payload are ignored. */
int tf_stream_event(struct tf_stream *stream, const struct tf_event *event, struct tf_error *error);

/*
 * Appends an event inside the execution that will be appended next: `ahead` instructions after its
 * first one. The execution must then be appended before any flush.
 */
int tf_stream_event_ahead(struct tf_stream *stream, const struct tf_event *event, uint32_t ahead,
			  struct tf_error *error);

/* Returns the ordinal of the next instruction of the stream. */
uint64_t tf_stream_ordinal(const struct tf_stream *stream);

/* Ends the present chunk and writes it, so that a reader can see it. */
int tf_stream_flush(struct tf_stream *stream, struct tf_error *error);

/* Flushes the stream, and frees it even on error. */
int tf_stream_close(struct tf_stream *stream, struct tf_error *error);

/* Appends to the order of threads: the thread ran for `instructions`. One thread needs no order. */
int tf_writer_schedule(struct tf_writer *writer, uint32_t thread, uint64_t instructions,
		       struct tf_error *error);

/* Writes all that is pending except open chunks: dictionary, META, schedule. */
int tf_writer_flush(struct tf_writer *writer, struct tf_error *error);

/* Returns the bytes written so far. */
uint64_t tf_writer_size(const struct tf_writer *writer);

/* Returns the bytes that tf_writer_finish() will write for copies of the sections so far. */
uint64_t tf_writer_copies_size(const struct tf_writer *writer);

/* Returns the CPU time that the writer's own threads have taken for compression, seconds. */
double tf_writer_compressing(struct tf_writer *writer);

/* Sums up the chunks written so far; once the streams are closed, these are all. */
void tf_writer_totals(struct tf_writer *writer, struct tf_totals *totals);

/*
 * Finishes the trace: END, INDEX, trailer, fdatasync. Close the streams first.
 * wait_status: of the first process, -1 if not known. stop_reason: "exit", "count", ...
 */
int tf_writer_finish(struct tf_writer *writer, int32_t wait_status, const char *stop_reason,
		     struct tf_error *error);

/* Frees the writer. Without tf_writer_finish the trace stays readable but unfinished. */
void tf_writer_free(struct tf_writer *writer);

/* ---- a trace from another one: repair, repack, cut ------------------------------------------- */

/*
 * Makes a finished trace at `to` from the usable sections of `reader`, each copied as it is.
 * Chunks whose dictionary is lost are dropped. Returns the number of sections left out. A trace
 * that tf_repair, tf_repack or tf_cut cannot finish is removed. Errors: IO, MEMORY, DAMAGED.
 */
int tf_repair(struct tf_reader *reader, const char *to, struct tf_error *error);

/*
 * Makes a trace at `to` of the same content in fewer bytes: the same items, dictionary, totals and
 * META, to which the UUID of the old trace is added as repacked-from. Errors: IO, MEMORY, VERSION,
 * DAMAGED (the trace is not whole: repair it first).
 */
int tf_repack(struct tf_reader *reader, const char *to, struct tf_error *error);

/* As tf_repack; calls step after each section with the bytes of the old trace that are done. */
int tf_repack_watched(struct tf_reader *reader, const char *to,
		      void (*step)(void *opaque, uint64_t done), void *opaque,
		      struct tf_error *error);

/* A META line. */
struct tf_meta_line {
	const char *key, *value;
};

/* The part to cut out of a trace. */
struct tf_slice {
	size_t size;           /* sizeof(struct tf_slice) */
	uint32_t thread;       /* index; TF_MERGED: all threads, first and count are then steps of
				   the merged order */
	uint64_t first, count; /* instructions; less if the trace ends before */
	uint64_t warmup;       /* how many of these, at their beginning, are for warming up */
	const struct tf_meta_line
		*meta; /* to add to the trace's; of equal keys the last one holds */
	size_t n_meta;
};

/*
 * Makes a trace at `to` of a part of another: exactly these instructions with their values, and the
 * events among them, from ordinal 0 on. The new trace is complete in itself: it has the blocks and
 * paths that are executed, modules and their symbols, all processes and threads. Its streams begin
 * with the start of the thread and process, the mappings made before the slice, and a gap for the
 * instructions left out (FORMAT.md 5.5). The regions "warmup", if there is one, and "simulation"
 * cover its instructions; neither begins or ends inside of a path execution. Its META has the lines
 * of the old trace, slice.parent (the old UUID), slice.thread, .first, .instructions and .warmup,
 * and those of `slice`. Errors: ARGUMENT (no such instructions), IO, MEMORY, DAMAGED (some are
 * lost).
 */
int tf_cut(struct tf_reader *reader, const struct tf_slice *slice, const char *to,
	   struct tf_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
