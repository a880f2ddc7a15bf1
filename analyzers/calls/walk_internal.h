/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of the walk share: the frames of calls and what changes them, and
 * walks of parts of a thread.
 */
#ifndef CALLS_WALK_INTERNAL_H
#define CALLS_WALK_INTERNAL_H

#include "analyzers/calls/walk.h"

struct call_walk_frame {
	uint32_t function; /* CALL_NONE: not known yet */
	uint32_t node;     /* of the function; of the caller if the function is not known */
	uint32_t parent;   /* node of the caller */
	uint32_t site;     /* block that called, or CALL_NONE */
};

static inline struct call_walk_frame *call_walk_top(const struct call_walk *walk)
{
	return &walk->frames.at[walk->frames.count - 1];
}

/* Returns true if the innermost frame is the lowest one of an open walk. */
static inline bool call_walk_is_low(const struct call_walk *walk)
{
	return walk->frames.count == 1 && walk->low.open;
}

void call_walk_push(struct call_walk *walk, enum call_frame_kind kind, uint64_t slot,
		    uint32_t parent, uint32_t site);

/* Ends all frames above the first `count`. */
void call_walk_cut(struct call_walk *walk, size_t count);

/* Arrives at a function that is not the one of the innermost frame. begins: at its beginning. */
void call_walk_arrive(struct call_walk *walk, uint32_t function, bool begins);

/* Enters a function in the innermost frame. calls: this is one of its calls. */
void call_walk_enter(struct call_walk *walk, uint32_t function, bool calls);

/* Ends the frames that a call by a function through the slot shows to be over. */
void call_walk_call(struct call_walk *walk, uint64_t slot, uint32_t function);

void call_walk_return(struct call_walk *walk, uint64_t slot);
void call_walk_sigreturn(struct call_walk *walk);

/* Completes the latest execution. next: the address of the instruction executed after it, or 0. */
void call_walk_finish(struct call_walk *walk, uint64_t next);

/* Begins again, with no calls. */
void call_walk_begin_again(struct call_walk *walk);

/* ---- parts of a thread --------------------------------------------------------------------- */

/*
 * A part begins inside of calls that it has not seen. Its walk is open:
 * the lowest frame stands for the innermost one of these calls, and whatever depends on them is
 * noted as a step. When the part is merged with what came before it, the steps are taken there:
 *
 *	part:   return through slot s;  arrive at f: node x;  costs of x and of the paths below x
 *	merge:  the same return and arrival in the earlier part's frames lead to x's true place
 *
 * Once the calls below have returned to a function, the part knows the function, and only further
 * returns make new steps. There are therefore about as many steps as calls that the part returns
 * from without having seen them, whatever its length.
 */
enum call_step_kind {
	CALL_STEP_FINISH,    /* the execution before the part; slot: the next address */
	CALL_STEP_HERE,      /* -> node: the innermost function's */
	CALL_STEP_ARRIVE,    /* at a function -> node */
	CALL_STEP_ENTER,     /* a function, in the innermost frame -> node */
	CALL_STEP_CALL,      /* by a function, through a slot -> node: the function's */
	CALL_STEP_RETURN,    /* through a slot */
	CALL_STEP_SIGRETURN, /* from a handler */
	CALL_STEP_STAND,     /* the innermost frame's function and node are these */
	CALL_STEP_PUSH,      /* a frame */
	CALL_STEP_CHECK,     /* no call through slots from `least` to `slot` ended a frame */
	CALL_STEP_RESET,     /* all calls are over */
	N_CALL_STEPS
};

struct call_step {
	uint8_t kind;     /* enum call_step_kind */
	uint8_t jumped;   /* ARRIVE: enum call_jumped */
	bool begins;      /* ARRIVE */
	uint8_t frame;    /* PUSH: enum call_frame_kind */
	uint32_t thread;  /* index */
	uint32_t n_nodes; /* of the tree, before the step */
	uint32_t node;    /* the step's result; STAND, PUSH: the frame's */
	uint32_t function, parent, site;
	uint64_t slot, least;
};

/* A function in the lowest frame, as long as this stands for the same call. */
struct call_low_place {
	struct {
		uint32_t epoch, function;
	} key;
	uint32_t node;
};

/* The functions above, for the lowest frame of an open walk. */
uint32_t call_open_here(struct call_walk *walk);
void call_open_arrive(struct call_walk *walk, uint32_t function, bool begins);
void call_open_enter(struct call_walk *walk, uint32_t function);
void call_open_call(struct call_walk *walk, uint64_t slot, uint32_t function);
void call_open_finish(struct call_walk *walk, uint64_t next);
void call_open_reset(struct call_walk *walk);

/* End the frames above the lowest one, too, if these are not the frames of the return. */
void call_open_return(struct call_walk *walk, uint64_t slot);
void call_open_sigreturn(struct call_walk *walk);

/* Makes the frames above the lowest one steps, so that the innermost one is the lowest. */
void call_open_lower(struct call_walk *walk);

/*
 * Notes that calls through slots from `least` to `most` ended no frame. Returns false if the
 * innermost frame shows that they did.
 */
bool call_open_check(struct call_walk *walk, uint64_t least, uint64_t most);

#endif
