/* SPDX-License-Identifier: MIT */
/*
 * libtraceformat - writes traces, and makes a trace from another one. traceformat.h reads traces;
 * its types and rules hold here as well.
 *
 * A trace with one block, which was executed twice (with the errors left out):
 *
 *	struct tf_process process = { .pid = 1, .parent = TF_NONE };
 *	struct tf_thread thread = { .process = 0, .tid = 1 };
 *	struct tf_insn nop = { .length = 1 };
 *	struct tf_block block = { .module = TF_NONE, .pc = 0x401000, .insns = &nop, .n_insns = 1,
 *				  .code = (const uint8_t *)"\x90", .code_size = 1 };
 *	struct tf_exit end = { .n_blocks = 1, .outcome = TF_NOT_TAKEN };
 *	struct tf_path path = { .n_blocks = 1, .blocks = &block.id, .n_insns = 1, .exits = &end,
 *				.n_exits = 1 };
 *	struct tf_writer *writer;
 *	struct tf_stream *stream;
 *	uint32_t first_exit;
 *
 *	tf_writer_create("nops.trace", NULL, &writer, NULL);
 *	tf_writer_add_process(writer, &process, NULL, NULL);
 *	tf_writer_add_thread(writer, &thread, NULL, NULL);
 *	tf_writer_add_block(writer, &block, &block.id, NULL);
 *	tf_writer_add_path(writer, &path, NULL, &first_exit, NULL);
 *	tf_stream_open(writer, 0, &stream, NULL);
 *	for (int i = 0; i < 2; i++)
 *		tf_stream_exec(stream, first_exit, NULL, NULL);
 *	tf_stream_close(stream, NULL);
 *	tf_writer_finish(writer, 0, "exit", NULL);
 *	tf_writer_free(writer);
 *
 * examples/write-trace.c is a longer program, with data addresses and events.
 *
 * Several threads may call functions of one writer at a time, but only one those of a tf_stream.
 * After an IO error, all writing functions of the writer fail with that error.
 */
#ifndef TRACEWRITER_H
#define TRACEWRITER_H

#include "traceformat.h"
#include "tracesamples.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The mode of a new trace's file: command line and file names in it are for its owner only. */
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
	TF_RSP_UNTRACKED = 0, /* not known: no path uses TF_BASE_RSP until rsp is stated again */
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
	int level;                   /* zstd level, negative ones included; 0: the default, 3 */
	uint64_t chunk_instructions; /* a chunk's length; 0: the default, 16 Mi */
	uint64_t created_ns;         /* since 1970 UTC; 0: now; UINT64_MAX: withhold it */
	const uint8_t *uuid;         /* 16 bytes; NULL: random */
	bool no_addresses;           /* addresses are not recorded: their recipes are unknown */
	bool order_exact;            /* threads are recorded one at a time */
	unsigned threads;            /* that the writer creates to compress chunks; 0: functions
					   of streams compress. The file is the same */
	bool code_withheld;          /* blocks have kinds instead of code, which is not written */
};

/*
 * Creates a trace, and replaces an existing file; a new file has TF_FILE_MODE. "-" stands for
 * standard output. options may be NULL. Free the writer with tf_writer_free(). Errors: IO, MEMORY;
 * ARGUMENT (options that are too large or of a newer library).
 */
int tf_writer_create(const char *path, const struct tf_writer_options *options,
		     struct tf_writer **writer, struct tf_error *error);

/*
 * Creates a trace on a file descriptor, at its present position. The writer never seeks: the
 * descriptor may be a pipe. It stays the caller's. name: the file's name in messages. Errors: IO,
 * MEMORY; ARGUMENT (options that are too large or of a newer library).
 */
int tf_writer_create_fd(int fd, const char *name, const struct tf_writer_options *options,
			struct tf_writer **writer, struct tf_error *error);

/*
 * Sets a META key ([A-Za-z0-9._-]+) to a value in UTF-8, whose line breaks are escaped. A later
 * value replaces an earlier one. Errors: MEMORY; ARGUMENT (not a key).
 */
int tf_writer_meta(struct tf_writer *writer, const char *key, const char *value,
		   struct tf_error *error);

/*
 * Add a record to the dictionary, and set *index, which may be NULL, to the record's number:
 * the first record of a kind is 0. The index and id members of the argument are ignored. The record
 * is copied, and equal records are not merged. Records may be added at any time before a stream or
 * another record names them. Errors: IO, MEMORY; ARGUMENT (the record breaks a limit, or names a
 * record that does not exist).
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

/* Does so for a path, and sets *first_exit, which may be NULL, to the id of its first exit. */
int tf_writer_add_path(struct tf_writer *, const struct tf_path *, uint32_t *id,
		       uint32_t *first_exit, struct tf_error *);

/*
 * Appends a sample. Samples need not be in the order of time, but take fewer bytes if they are.
 * Errors: IO, MEMORY; ARGUMENT (no such sampler, thread or mapping).
 */
int tf_writer_add_sample(struct tf_writer *, const struct tf_sample *, struct tf_error *);

/*
 * Appends a basic block vector, whose counts are in order. Vectors are appended ascending by
 * interval, then by thread. Errors: IO; MEMORY; ARGUMENT (no such thread or exit, counts out of
 * order).
 */
int tf_writer_add_vector(struct tf_writer *writer, const struct tf_vector *vector,
			 struct tf_error *error);

/*
 * Appends the end of an interval, after its vectors. marker.count is not stored, as it follows from
 * the vectors. Errors: IO; MEMORY; ARGUMENT (no such block, instruction or thread; more filtered
 * instructions than instructions; excluded blocks out of order; a sketch that is not finite).
 */
int tf_writer_add_interval(struct tf_writer *writer, const struct tf_interval *interval,
			   struct tf_error *error);

/*
 * Opens the stream of a thread; close it with tf_stream_close(). Errors: MEMORY; ARGUMENT (no such
 * thread, or its stream has been opened before).
 */
int tf_stream_open(struct tf_writer *writer, uint32_t thread, struct tf_stream **stream,
		   struct tf_error *error);

/*
 * States the registers that recipes use, as they are before the next execution. An rsp that readers
 * would not compute themselves begins a new chunk, except after a partial execution, which stores
 * rsp.
 */
void tf_stream_registers(struct tf_stream *stream, uint64_t rsp, uint64_t fs_base,
			 uint64_t gs_base);

/*
 * Returns true if readers would compute another rsp, so that stating this one begins a new chunk.
 * An execution that stores rsp (TF_RSP_SLOT, or a partial one) avoids the new chunk.
 */
bool tf_stream_misses_rsp(const struct tf_stream *stream, uint64_t rsp);

/*
 * Appends one execution of a path, which it left by the exit of that id. slots: array of as many
 * values as the exit's n_slots. A chunk that is full is compressed and written. Errors: IO, MEMORY;
 * ARGUMENT (no such exit; rsp is needed and has not been stated; more than 2^39 repetitions).
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
 * Appends many executions, faster than one by one. records: array of `count` u64. A record is a u64
 * whose low 32 bits are its head (tf_record_head()), followed by the slots of the exit exits[key].
 * The function stops before a record without such a head, with a key that is not below n_exits, or
 * whose exit is TF_NONE. Another thread may set exits[] meanwhile, by atomic stores that release.
 * Returns how many u64 it has used. Errors: IO, MEMORY; ARGUMENT (as for tf_stream_exec(), or a
 * length that is not the exit's n_slots).
 */
int64_t tf_stream_records(struct tf_stream *stream, const uint64_t *records, size_t count,
			  const uint32_t *exits, size_t n_exits, struct tf_error *error);

/*
 * Appends one execution that left its path inside, after `executed` instructions, at least one.
 * slots: array of n_slots values, enough for the recipes of these instructions. rsp: its value
 * after them, unless tf_stream_registers() states another one before the next execution. Errors:
 * IO, MEMORY; ARGUMENT (no such path; counts that the path does not have; rsp as for
 * tf_stream_exec()).
 */
int tf_stream_partial(struct tf_stream *stream, uint32_t path, uint32_t executed,
		      const uint64_t *slots, uint32_t n_slots, uint64_t rsp,
		      struct tf_error *error);

/*
 * Appends an event before the next execution. The members thread, ordinal and payload are ignored.
 * Errors: IO, MEMORY; ARGUMENT (the event breaks a rule of FORMAT.md 5.5, or stands before the one
 * appended last).
 */
int tf_stream_event(struct tf_stream *stream, const struct tf_event *event, struct tf_error *error);

/*
 * Appends an event inside the execution that will be appended next, before its instruction number
 * `ahead`. That execution must be appended before the stream is flushed. Errors: IO, MEMORY;
 * ARGUMENT (as for tf_stream_event()).
 */
int tf_stream_event_ahead(struct tf_stream *stream, const struct tf_event *event, uint32_t ahead,
			  struct tf_error *error);

/* Returns the ordinal of the next instruction of the stream. */
uint64_t tf_stream_ordinal(const struct tf_stream *stream);

/* Ends the present chunk and writes it, so that readers find it. Errors: IO, MEMORY. */
int tf_stream_flush(struct tf_stream *stream, struct tf_error *error);

/* Flushes the stream, and frees it even if that fails. Errors: IO, MEMORY. */
int tf_stream_close(struct tf_stream *stream, struct tf_error *error);

/*
 * Appends to the order of threads: the thread then ran for so many instructions. A trace with one
 * thread needs no order. Errors: ARGUMENT (no such thread).
 */
int tf_writer_schedule(struct tf_writer *writer, uint32_t thread, uint64_t instructions,
		       struct tf_error *error);

/* Writes the dictionary, META and the order of threads as they are now. Errors: IO, MEMORY. */
int tf_writer_flush(struct tf_writer *writer, struct tf_error *error);

/* Returns the bytes written so far. */
uint64_t tf_writer_size(const struct tf_writer *writer);

/* Returns the bytes that tf_writer_finish() will write for copies of the sections so far. */
uint64_t tf_writer_copies_size(struct tf_writer *writer);

/* Returns the CPU time that the writer's own threads have taken for compression, seconds. */
double tf_writer_compressing(struct tf_writer *writer);

/* Fills *totals with those of the chunks written so far: of all, once the streams are closed. */
void tf_writer_totals(struct tf_writer *writer, struct tf_totals *totals);

/*
 * Finishes the trace, and waits until its bytes are on the disk. Close the streams before.
 * wait_status: that of the first process (wait(2)), or -1 if it is not known. stop_reason: why the
 * recording ended, "exit", "count", ... Errors: IO, MEMORY.
 */
int tf_writer_finish(struct tf_writer *writer, int32_t wait_status, const char *stop_reason,
		     struct tf_error *error);

/* Frees the writer; NULL is allowed. Without tf_writer_finish() the trace is unfinished. */
void tf_writer_free(struct tf_writer *writer);

/* ---- a trace from another one: repair, repack, cut, join, filter --------------------------- */

/*
 * Makes a finished trace at `to` of the usable sections of another one, each copied as it is.
 * Chunks whose dictionary is lost are dropped. Returns the number of sections left out. A
 * trace that cannot be finished is removed; so it is by the functions below. Errors: IO, MEMORY,
 * VERSION, DAMAGED; ARGUMENT (`to` is the trace itself).
 */
int tf_repair(struct tf_reader *reader, const char *to, struct tf_error *error);

/*
 * Makes a trace at `to` of the same content in fewer bytes: the same items, dictionary, totals and
 * META, to which the UUID of the old trace is added as repacked-from. Errors: IO, MEMORY, VERSION;
 * DAMAGED (the trace is not whole: repair it first); ARGUMENT (`to` is the trace itself).
 */
int tf_repack(struct tf_reader *reader, const char *to, struct tf_error *error);

/*
 * Does the same as tf_repack(), with the same errors, and calls step(opaque, bytes of the old trace
 * that are done) after each section.
 */
int tf_repack_watched(struct tf_reader *reader, const char *to,
		      void (*step)(void *opaque, uint64_t done), void *opaque,
		      struct tf_error *error);

/*
 * Does the same as tf_repack_watched() on so many cores. The trace is the same for any number. Each
 * of them needs memory for a few chunks. `step` is called in the caller's thread; it may be NULL.
 */
int tf_repack_on_cores(struct tf_reader *reader, const char *to, unsigned jobs,
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
	unsigned jobs; /* cores; 0: one. The trace is the same for any number */
};

/*
 * Makes a trace at `to` of a part of another: exactly these instructions with their values, and the
 * events among them, from ordinal 0 on. The new trace is complete in itself: it has the blocks and
 * paths that are executed, modules and their symbols, all processes and threads. Its streams begin
 * with the start of the thread and process, the mappings made before the slice, and a gap for the
 * instructions left out (FORMAT.md 5.5). The regions "warmup", if there is one, and "simulation"
 * cover its instructions; neither begins or ends inside of a path execution. Its META has the lines
 * of the old trace, slice.parent (the old UUID), slice.thread, .first, .instructions and .warmup,
 * and those of `slice`. Errors: IO, MEMORY, VERSION; ARGUMENT (no such thread or instructions; `to`
 * is the trace itself); DAMAGED (some of the instructions, or their dictionary, are lost).
 */
int tf_cut(struct tf_reader *reader, const struct tf_slice *slice, const char *to,
	   struct tf_error *error);

/* How traces are joined. */
struct tf_join {
	size_t size;    /* sizeof(struct tf_join) */
	bool unrelated; /* also of different machines, or with processes of equal pids */
	/* Set by tf_join(): */
	bool by_times;           /* the order of threads was merged by the times of events */
	uint64_t unknown_events; /* events of a later version, which are left out */
};

/*
 * Makes a trace at `to` of several traces of one run: the threads of all of them, with their
 * instructions, values and events. Equal modules, symbols, blocks, paths and other records become
 * one. Slices of one trace continue each other's streams, with a gap for the instructions between
 * them. The order of threads is merged by the times of events, if all traces have times of one
 * clock; otherwise the threads of a trace follow those of the traces before it. Events of a later
 * version are left out, because they may refer to records by index. META has join.parts and
 * join.order, the lines of each trace with part.N. before the key, and those lines that are the
 * same in all; lines about the program are those of the first trace. Errors: IO, MEMORY, VERSION;
 * DAMAGED (a trace is not whole); ARGUMENT (`to` is one of the traces; a trace is given twice; a
 * process is in two traces; slices overlap; the traces are of different machines, or cannot be
 * joined as one has basic block vectors, or only some have addresses).
 */
int tf_join(struct tf_reader *const *readers, size_t n, struct tf_join *options, const char *to,
	    struct tf_error *error);

/* The parts of a trace to keep. The functions get `opaque`; NULL keeps everything. */
struct tf_filter {
	size_t size; /* sizeof(struct tf_filter) */
	void *opaque;
	bool (*keep_thread)(void *opaque, uint32_t thread);
	/* Called about once for each instruction of a path. */
	bool (*keep_insn)(void *opaque, const struct tf_block *block, unsigned insn);
	unsigned accesses; /* enum tf_access, or-ed: those that may be kept */
	/*
	 * Called for each block execution of a kept thread, in program order, whether or not its
	 * instructions are kept. keep: by operand, zeros; sets a bit for each lane that is kept, or
	 * bit 0. Operands of rep instructions and sized ones are kept as a whole. An operand that
	 * loads and stores becomes one that loads.
	 */
	void (*keep_accesses)(void *opaque, uint32_t thread, const struct tf_block_exec *exec,
			      uint64_t *keep);
	const struct tf_meta_line *meta; /* to add to the trace's; keys begin with filter. */
	size_t n_meta;
	/* Set by tf_filter(): */
	struct tf_totals kept, removed; /* removed: instructions and accesses */
	uint64_t removed_samples;
	uint64_t unknown_events; /* events of a later version, which are left out */
};

/*
 * Makes a trace at `to` of what is kept of another one, as FORMAT.md 4.7 says: gap events stand for
 * removed instructions, and removed accesses are not there. All events of kept threads, and all
 * processes and threads, stay; samples, and events of a later version, do not. META has
 * filter.parent (the old UUID), filter.removed.instructions, .loads, .stores, .prefetches, .samples
 * and .events, and the lines of `filter`; older lines filter.X become filter.before.X. Errors: IO,
 * MEMORY, VERSION; DAMAGED (the trace is not whole); ARGUMENT (`to` is the trace itself; the trace
 * has basic block vectors; accesses are to be chosen in a trace without addresses).
 */
int tf_filter(struct tf_reader *reader, struct tf_filter *filter, const char *to,
	      struct tf_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
