/* SPDX-License-Identifier: MIT */
/*
 * The state that the parts of filtering share: the whole (filter.c), the kept pieces of paths
 * (filter_piece.c), and one thread's stream (filter_stream.c).
 */
#ifndef FILTER_H
#define FILTER_H

#include "traceformat/common/hash_table.h"
#include "traceformat/rewrite/cut.h"
#include "traceformat/rewrite/run_counts.h"

enum {
	FILTER_NO_MASK = UINT16_MAX, /* the old operand has one access */
	FILTER_MOST_SLOTS = 2048,    /* of a piece */
	FILTER_MOST_VARIABLE = 16,   /* operands of a piece that are kept or removed as a whole */
};

/* Instructions of a path that are kept and follow each other, from the first on. */
struct kept_range {
	uint32_t first, end;
};

/* How a slot of a new path gets its value: a kind, and a number below. */
enum slot_kind {
	FILTER_OLD_SLOT, /* the old path's slot of that number */
	FILTER_RSP,      /* rsp at the old path's entry */
	FILTER_VALUE,    /* the old path's value of that number, if the operand is kept */
	FILTER_MASK,     /* the kept lanes of an operand; the old value that is its mask */
};
struct filter_slot {
	uint8_t kind;
	uint16_t operand; /* FILTER_VALUE, FILTER_MASK: in the path */
	uint16_t number;
};

/* A piece of an old path: a path of the new trace with one exit, or only the partial one. */
struct filter_piece {
	struct piece_key {
		uint32_t path, first, end;
		uint32_t variant; /* a bit for each operand that is kept as a whole */
		uint32_t outcome; /* enum tf_outcome */
	} key;
	uint32_t path, exit; /* in the new trace */
	uint32_t n_slots;
	struct filter_slot *sources;
	uint64_t *last; /* by slot: its value in the execution before */
};

/* The kept parts of an old path. */
struct filter_path {
	bool made;
	ARRAY(struct kept_range) kept;
	uint32_t n_operands; /* of all its blocks */
};

struct block_key {
	uint32_t block, first, end, variant;
};

struct filter {
	struct cut cut; /* reader, writer, dictionary */
	const struct tf_filter *options;
	struct filter_path *paths; /* by old path */
	HASH_TABLE(struct filter_piece) pieces;
	HASH_TABLE(struct new_block {
		struct block_key key;
		uint32_t id;
	})
	blocks;
	struct pool pool;
	struct run_counts runs;
	uint64_t unknown_events; /* left out */
	uint32_t simulation;     /* the region behind the warm-up of a slice, or TF_NONE */
	uint64_t warmup;         /* kept instructions before that region, of all threads */
};

/* Finds what is kept of a path. Returns NULL if memory is out. */
struct filter_path *filter_path(struct filter *filter, const struct compiled_path *path);

/*
 * Returns true if an operand is kept or removed as a whole, in an execution: a rep instruction's,
 * or a sized one.
 */
static inline bool is_variable(const struct tf_operand *operand)
{
	return operand->form == TF_REP || operand->form == TF_SIZED;
}

/*
 * Finds or makes a piece. keep: by operand of the path, the lanes that are kept; NULL: all. Errors:
 * IO, MEMORY, DAMAGED; ARGUMENT (the piece breaks a limit of the format).
 */
int filter_find_piece(struct filter *filter, const struct compiled_path *path,
		      struct kept_range range, enum tf_outcome outcome, const uint64_t *keep,
		      struct filter_piece **piece, struct tf_error *error);

/* Writes the stream of a thread. */
int filter_stream(struct filter *filter, uint32_t thread, struct tf_error *error);

#endif
