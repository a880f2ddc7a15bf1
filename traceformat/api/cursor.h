/* SPDX-License-Identifier: MIT */
/* Replaying a trace: executions and events, one after the other. */
#ifndef TRACEFORMAT_API_CURSOR_H
#define TRACEFORMAT_API_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#include "traceformat/api/blocks.h"
#include "traceformat/api/declarations.h"
#include "traceformat/api/errors.h"
#include "traceformat/api/events.h"

TF_BEGIN_DECLARATIONS

struct tf_reader;

enum tf_view { TF_VIEW_PATHS, TF_VIEW_BLOCKS, TF_VIEW_INSNS };

/* What to decode beside control flow. What is not asked for is not read. */
enum tf_columns {
	TF_ADDRESSES = 1,
	TF_EVENTS = 2,
	TF_REPETITIONS = 4, /* of TF_VIEW_PATHS: see struct tf_item; cheaper than addresses */
};

#define TF_MERGED UINT32_MAX /* all threads, in the recorded order */

struct tf_cursor_options {
	size_t size; /* sizeof(struct tf_cursor_options) */
	enum tf_view view;
	unsigned columns; /* enum tf_columns, or-ed */
	uint32_t thread;  /* index, or TF_MERGED */
	uint64_t first;   /* first instruction: an ordinal, or a step of the merged order */
	uint64_t count;   /* instructions; UINT64_MAX: to the end */
};
#define TF_CURSOR_OPTIONS                                                                     \
	{                                                                                     \
		sizeof(struct tf_cursor_options), TF_VIEW_BLOCKS, 0, TF_MERGED, 0, UINT64_MAX \
	}

/* One execution of a path. */
struct tf_path_exec {
	uint32_t exit;     /* exit id, see tf_exit */
	uint32_t executed; /* instructions */
};

/* One execution of a basic block. */
struct tf_block_exec {
	const struct tf_block *block;
	const uint64_t *values; /* block->n_values; those of instructions that did not execute are
				   undefined; NULL without TF_ADDRESSES */
	uint16_t executed;      /* instructions */
	uint8_t outcome;        /* enum tf_outcome */
};

/* One execution of an instruction. */
struct tf_insn_exec {
	const struct tf_block *block;
	const uint64_t *values; /* the block's, as above */
	uint64_t pc;
	uint16_t index;  /* block->insns[index] */
	uint8_t outcome; /* of a block's last instruction, else TF_NOT_TAKEN */
};

enum tf_item_kind { TF_ITEM_PATHS = 1, TF_ITEM_BLOCKS, TF_ITEM_INSNS, TF_ITEM_EVENT };

/*
 * What tf_next hands out: a batch of executions of one thread in program order, or one event.
 * Pointers are valid until the next call with the same cursor.
 */
struct tf_item {
	enum tf_item_kind kind;
	uint32_t thread;
	uint64_t ordinal;      /* of the first instruction of the batch, or the event's */
	uint64_t instructions; /* in the batch */
	size_t count;          /* executions in the batch */
	union {
		const struct tf_path_exec *paths;
		const struct tf_block_exec *blocks;
		const struct tf_insn_exec *insns;
		const struct tf_event *event;
	};
	const uint64_t *repetitions; /* TF_REPETITIONS: for each rep instruction that the batch
					   executes, in order, its three extras, see TF_REP; else
					   NULL */
	const uint64_t *values; /* of TF_VIEW_PATHS with TF_ADDRESSES: those of each execution, one
				   after the other, of as many blocks as its exit has, or of all the
				   path's if it is partial (those of instructions that did not
				   execute are undefined); else what the executions' values, or
				   repetitions, point into, */
	size_t n_values;        /* for who copies a batch */
};

struct tf_cursor;

/*
 * Opens a cursor at options->first. Events come before the execution that contains their
 * ordinal: exactly between two instructions in TF_VIEW_INSNS, before the block or path that
 * they fall into otherwise. Where `first` or `first + count` falls inside a block (a path),
 * TF_VIEW_BLOCKS (TF_VIEW_PATHS) hands out the execution it falls into whole; TF_VIEW_INSNS is
 * exact. The merged order switches threads between path executions.
 * Errors: as tf_load; ARGUMENT (no such thread; TF_REPETITIONS in another view than
 * TF_VIEW_PATHS, or with TF_ADDRESSES, which say more).
 */
int tf_cursor_open(struct tf_reader *reader, const struct tf_cursor_options *options,
		   struct tf_cursor **cursor, struct tf_error *error);

/* Closes it. Its memory is kept for the reader's next cursors, of up to four threads, until tf_close.
 * NULL is allowed. */
void tf_cursor_close(struct tf_cursor *cursor);

/*
 * Fills *item with what comes next. Returns 1, 0 at the end, or a negative status. A damaged
 * chunk is an error once; the next call goes on after it, with a TF_EVENT_GAP (TF_GAP_FAULT) of
 * the instructions lost. Nothing is allocated per execution.
 */
int tf_next(struct tf_cursor *cursor, struct tf_item *item, struct tf_error *error);

TF_END_DECLARATIONS

#endif
