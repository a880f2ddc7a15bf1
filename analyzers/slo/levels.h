/* SPDX-License-Identifier: MIT */
/*
 * Finds what separates two touches of the same data (K. Beyls and E. H. D'Hollander, "Discovery of
 * locality-improving refactorings by reuse path analysis", HPCC 2006): the calls and loop instances
 * that a touch is in are levels, one in the other, of a loop-call tree. The overview of a reuse is
 * the lowest level that both touches are in. If it is a loop that has begun an iteration since the
 * first touch, it carries the reuse; else the two levels just below the overview, that of the first
 * touch and that of the second, separate the touches.
 *
 * Live levels are on a stack with the times at which they began. A level that is live at the second
 * touch contains the first one if it had begun by then; so no more need be kept of a touch than its
 * time and its context, the static names of its levels.
 */
#ifndef SLO_LEVELS_H
#define SLO_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/common/array.h"
#include "traceformat/common/hash_table.h"

#define CONTEXT_NONE UINT32_MAX
#define CONTEXT_ROOT (UINT32_MAX - 1) /* what the root is */

enum { MOST_LEVELS = 4096, ITERATIONS_KEPT = 16 };

/*
 * A level without regard to time: a function or loop, within another context. Number 0 is the root.
 */
struct context {
	struct context_key {
		uint32_t parent; /* context; that of the root is CONTEXT_NONE */
		uint32_t what;   /* function or loop, by the caller's numbers */
		uint32_t site;   /* what calls the function: the caller's number; 0 for loops */
		uint32_t is_loop;
	} key;
	uint32_t depth;  /* contexts around it */
	uint32_t latest; /* the context in it that was entered last, or CONTEXT_NONE */
};

struct contexts {
	HASH_TABLE(struct context);
};

/* Adds the root. Ends the process if memory is out. */
void contexts_init(struct contexts *contexts);
void contexts_free(struct contexts *contexts);

struct level {
	uint32_t context;
	uint64_t begun;                   /* the time of the first touch that can be in it */
	uint64_t iteration;               /* number of the present iteration */
	uint64_t starts[ITERATIONS_KEPT]; /* by iteration modulo ITERATIONS_KEPT: its first time */
};

struct levels {
	struct contexts *contexts; /* must outlive the levels */
	uint64_t now;              /* the time of the latest touch, from 1; 0: none yet */
	uint32_t top;              /* the innermost level; 0 is the root */
	ARRAY(struct level) live;  /* up to `top` */
};

/* Makes the root level. Ends the process if memory is out. */
void levels_init(struct levels *levels, struct contexts *contexts);
void levels_free(struct levels *levels);

/* Enters a function or loop. There must be room: top + 1 < MOST_LEVELS. */
void levels_push(struct levels *levels, bool is_loop, uint32_t what, uint32_t site);

/* Leaves all levels above `top`. */
static inline void levels_pop(struct levels *levels, uint32_t top)
{
	levels->top = top;
}

/* Begins the next iteration of the innermost level, a loop. */
static inline void levels_iterate(struct levels *levels)
{
	struct level *level = &levels->live.at[levels->top];

	level->starts[++level->iteration % ITERATIONS_KEPT] = levels->now + 1;
}

enum reuse_kind {
	REUSE_LOOP, /* the overview is a loop that carries the reuse */
	REUSE_FUSE, /* from one loop to another one in the overview */
	REUSE_FUNC, /* from a call to another one, or between a call and other code */
	REUSE_MOVE, /* between a loop and other code */
	REUSE_SEQ,  /* within code of the overview that is in no inner loop */
	REUSE_KINDS
};

struct reuse {
	enum reuse_kind kind;
	uint32_t overview;      /* context */
	uint32_t first, second; /* contexts below the overview, or CONTEXT_NONE */
	uint64_t iterations;    /* apart, if carried; ITERATIONS_KEPT: or more */
};

/*
 * Finds what separates the touch at time `time` in `context` from one now, in the innermost level;
 * `now` is its time.
 */
void levels_find(const struct levels *levels, uint64_t time, uint32_t context, struct reuse *reuse);

/* Returns the context of the innermost level. */
static inline uint32_t levels_context(const struct levels *levels)
{
	return levels->live.at[levels->top].context;
}

#endif
