/* SPDX-License-Identifier: MIT */
/*
 * A lane replays one thread's stream: it decodes chunk after chunk and hands out batches of path,
 * block or instruction executions, cut where an event stands.
 */
#ifndef LANE_H
#define LANE_H

#include "traceformat/codings/events.h"
#include "traceformat/codings/flow.h"
#include "traceformat/codings/slots.h"
#include "traceformat/reader/chunk.h"

enum {
	BATCH = 512,         /* executions in a batch, about */
	BATCH_VALUES = 4096, /* values in a batch, about */
	SLOT_COLUMNS = TF_ADDRESSES | TF_REPETITIONS | TF_EXTENTS, /* that follow from slots */
};

/* The path execution being handed out. */
struct current {
	const struct compiled_path *path; /* NULL: none */
	uint32_t exit, executed;          /* executed: instructions of the path */
	uint8_t outcome;                  /* of the last block */
	uint32_t block, insn;   /* next to hand out: block of the path, instruction of it */
	uint32_t done;          /* instructions of the blocks handed out */
	const uint64_t *values; /* of the next block; NULL without addresses */
};

struct lane {
	struct tf_reader *reader;
	uint32_t thread;
	enum tf_view view;
	unsigned columns;
	uint64_t ordinal; /* of the next instruction to hand out */

	size_t next_chunk, chunk_limit; /* in the thread's list */
	uint64_t scheduled;             /* merged order: ordinal at which its present turn ends */
	bool open;                      /* a chunk is being decoded */
	uint64_t n_paths;               /* path executions decoded */
	uint64_t repetitions;           /* of rep instructions: how many the chunk may still have */
	uint64_t chunk_end;             /* ordinal behind its last instruction */
	bool rsp_known;
	bool beyond_limits; /* values have been found that no chunk may have */
	struct recipe_registers registers;
	struct chunk chunk;
	struct flow_decoder flow;
	uint32_t decoded; /* exit taken from flow that waits to be handed out, or TF_NONE */
	struct slot_decoder slots;
	struct span partials, events;
	struct current current;

	bool has_event;
	bool passed_event;      /* the event has been handed out; fetch another */
	uint64_t event_ordinal; /* UINT64_MAX if there is no event, or it has been handed out */
	uint64_t last_event;    /* ordinal of the last one fetched */
	struct tf_event event;
	struct buffer event_text;
	struct tf_event gap; /* made up where a chunk is missing */
	uint64_t lost;       /* instructions that the next gap event stands for */
	int status;          /* a fault found behind the batch handed out last */
	struct tf_error error;

	struct flow_guess flow_table[FLOW_TABLE_SIZE];
	uint64_t frame[FRAME_SIZE];
	uint64_t values[BATCH_VALUES + TF_MAX_PATH_VALUES];
	size_t n_values;
	union {
		struct tf_path_exec paths[BATCH];
		struct tf_block_exec blocks[BATCH];
		struct tf_insn_exec insns[BATCH];
	};
};

/*
 * Returns NULL if memory is out. A lane is large, and touching its memory for the first time takes
 * longer than a short replay; so the reader keeps freed lanes for its next cursors.
 */
struct lane *lane_new(struct tf_reader *reader, uint32_t thread, enum tf_view view,
		      unsigned columns);
void lane_free(struct lane *lane);

/* Returns true if the whole stream has been handed out, so that the lane can be freed. */
bool lane_ended(const struct lane *lane);

/*
 * Moves to the execution that contains instruction `first`. Errors: IO, MEMORY, DAMAGED, VERSION.
 */
int lane_seek(struct lane *lane, uint64_t first, struct tf_error *error);

/*
 * Fills *item with the next batch or event, handing out nothing that begins at ordinal `stop` or
 * later. Returns 1; 0 at `stop` or the stream's end; or a negative status as tf_next.
 */
int lane_next(struct lane *lane, uint64_t stop, struct tf_item *item, struct tf_error *error);

/*
 * Does what lane_next does for an event at the present ordinal that belongs to the instruction
 * before it: a system call, or the end of a thread or process.
 */
int lane_closing_event(struct lane *lane, struct tf_item *item);

/* ---- superblock_expansion.c, for lane.c ---- */

/* Calls fail_section for the current chunk. */
int lane_damaged(struct lane *lane, struct tf_error *error, const char *what);

/*
 * Appends executions to the batch as long as each ends at or before the next event and begins
 * before `stop`. *count: executions appended, also on error.
 */
int lane_fill(struct lane *lane, uint64_t stop, size_t *count, struct tf_error *error);

/* Steps over executions that end at or before `first`, though not over all that do. */
int lane_skip(struct lane *lane, uint64_t first, struct tf_error *error);

/*
 * Decodes the next path execution into lane->current. Returns 1; 0 if the chunk ends here, an
 * event stands here (it may set a segment base), or the batch has no room; or a negative status.
 */
int lane_next_path(struct lane *lane, struct tf_error *error);

/* Steps over the part of lane->current before instruction `first`, as far as the view allows. */
void lane_enter_path(struct lane *lane, uint64_t first);

/* Creates a lane for chunk_check. Returns NULL if memory is out. */
struct lane *lane_for_checks(struct tf_reader *reader);

/*
 * Decodes the k-th chunk of a thread by itself, to its end, and counts what it holds. Errors: as
 * tf_next.
 */
int chunk_check(struct lane *lane, uint32_t thread, size_t k, struct tf_totals *totals,
		struct tf_error *error);

#endif
