/* SPDX-License-Identifier: MIT */
/*
 * Batches of what threads execute, in the recorded order: a thread fills them from the trace, and
 * another one executes them on cores. They are copies, because an item of a cursor is valid only
 * until the next one.
 */
#ifndef IBS_BATCH_H
#define IBS_BATCH_H

#include "analyzers/ibs/model/program.h"

enum {
	IBS_BATCH_ENTRIES = 4096,
	IBS_BATCH_EVENTS = 512,
	IBS_MOST_RUNS = 8192,
	IBS_MOST_OPS = 2048,
	IBS_MOST_ACCESSES = 4 * IBS_PROGRAM_ACCESSES,
};

enum ibs_entry_kind {
	IBS_ENTRY_ITEM,      /* an item begins: `block` is its first one */
	IBS_ENTRY_EXECUTION, /* the next ops are those of `execution`; not in all batches */
	IBS_ENTRY_RUNS,
	IBS_ENTRY_OPS,
	IBS_ENTRY_EVENT, /* without its payload and paths */
	IBS_ENTRY_REST,  /* the next op is the last one of the thread, if there is any */
	IBS_ENTRY_END,   /* the thread has no more ops */
};

struct ibs_entry {
	uint8_t kind; /* enum ibs_entry_kind */
	bool is_late; /* of executions and the rest: the first op is of the execution before */
	uint32_t thread;
	uint32_t count; /* of runs or ops */
	union {
		const struct tf_block *block;
		struct tf_block_exec execution;
		const struct ibs_run *runs;
		const struct ibs_op *ops;
		const struct tf_event *event;
	};
};

struct ibs_batch {
	unsigned n_entries, n_runs, n_ops, n_accesses, n_events;
	struct ibs_entry entries[IBS_BATCH_ENTRIES];
	/* The entries point into these. */
	struct ibs_run runs[IBS_MOST_RUNS];
	struct ibs_op ops[IBS_MOST_OPS];
	struct access accesses[IBS_MOST_ACCESSES];
	struct tf_event events[IBS_BATCH_EVENTS];
	ARRAY(uint64_t) values; /* of executions */
};

void ibs_batch_free(struct ibs_batch *batch);

/*
 * Copies a batch to one that is 0 or was copied before. It is copied at once, because each store to
 * a line that another processor has in its cache waits for this line. Ends the process if memory is
 * out.
 */
void ibs_batch_copy(struct ibs_batch *to, const struct ibs_batch *from);

/* Fills batches. Its functions end the process if memory is out. */
struct ibs_writer {
	struct ibs_batch *batch; /* being filled, 0 at first */
	unsigned limit;          /* runs and ops with which a batch is handed on */
	void (*hand_on)(void *opaque, const struct ibs_batch *batch); /* valid until it returns */
	void *opaque;
};

void ibs_write_item(struct ibs_writer *writer, const struct tf_item *item);
void ibs_write_execution(struct ibs_writer *writer, uint32_t thread,
			 const struct tf_block_exec *execution, bool is_late);
void ibs_write_event(struct ibs_writer *writer, const struct tf_event *event);

/* Hands on a batch that is not empty. */
void ibs_writer_flush(struct ibs_writer *writer);

/* The half of a core that needs no cycles: which ops the thread executes, and its predictor. */
struct ibs_front {
	struct ibs_program program;
	struct ibs_writer *writer;
	uint32_t thread;
};

/*
 * Initializes a front that is 0 except its writer and thread, and must not be moved. machine and
 * code must outlive it.
 */
void ibs_front_init(struct ibs_front *front, const struct machine *machine,
		    const struct ibs_code *code);
void ibs_front_free(struct ibs_front *front);

/* Writes the ops of an item of blocks with addresses. */
void ibs_front_feed(struct ibs_front *front, const struct tf_item *item);

/* Writes the remaining ops. */
void ibs_front_end(struct ibs_front *front);

#endif
