/* SPDX-License-Identifier: MIT */
/*
 * Follows threads through their calls, and counts the instructions of each call path. A function
 * that is reached by a jump, as by a tail call, takes the place of the function that jumped. A jump
 * into the middle of a function that is being called ends the calls made since, as longjmp and
 * exceptions do. A signal handler is called by [signal], which the interrupted function calls.
 */
#ifndef CALLS_WALK_H
#define CALLS_WALK_H

#include "analyzers/calls/costs.h"
#include "analyzers/calls/functions.h"
#include "analyzers/calls/superblocks.h"
#include "analyzers/calls/tree.h"
#include "analyzers/program/call_frames.h"

struct call_step;
struct call_low_place;

/* All call paths of a trace. */
struct call_profile {
	struct tf_reader *reader;
	bool has_slots; /* executions come with values */
	struct call_functions functions;
	struct call_tree tree;
	struct call_costs costs;
	uint32_t signal;           /* number of the function [signal] */
	struct call_block *blocks; /* by block id */
	struct call_superblocks superblocks;
	ARRAY(struct call_step) steps; /* of open walks, see walk_internal.h */
	HASH_TABLE(struct call_low_place) places;
	uint32_t n_epochs;
};

/* Initializes a profile of a loaded trace. Ends the process if memory is out. */
void call_profile_init(struct call_profile *profile, struct tf_reader *reader, bool has_slots,
		       enum call_detail detail);
void call_profile_free(struct call_profile *profile);

enum { CALL_EFFECT_BEFORE = CALL_EFFECT_RETURN + 1 /* that of the execution before the part */ };

/* The lowest frame of an open walk. */
struct call_low {
	bool open;
	bool moved;      /* its function is not that of the latest step */
	bool called;     /* there are calls from it */
	uint32_t thread; /* index */
	uint32_t epoch;  /* number of the call that it stands for */
	/*
	 * Slots of the calls; the last step has `most`, and the last check all from `checked` on.
	 * `least` and `checked` are the same when an epoch begins.
	 */
	uint64_t least, most, checked;
};

/* The walk through one thread. */
struct call_walk {
	struct call_profile *profile;
	uint32_t root; /* node above the thread's functions */
	struct call_frames calls;
	ARRAY(struct call_walk_frame) frames; /* of calls, with its index */
	uint32_t site;                        /* block of the latest execution, or CALL_NONE */
	uint8_t effect;                       /* enum call_effect of its end */
	uint8_t jumped; /* it ended with an indirect jump, or with a return to no known call */
	uint64_t slot;  /* of the effect */
	struct call_low low;
};

/* Begins a walk below a node of the tree. The profile must outlive it. */
void call_walk_init(struct call_walk *walk, struct call_profile *profile, uint32_t root);
/* Begins the walk of a part of a thread, to be merged with the walk of the part before. */
void call_walk_init_open(struct call_walk *walk, struct call_profile *profile, uint32_t root,
			 uint32_t thread);
void call_walk_free(struct call_walk *walk);

/*
 * Merges the walks of a later part of the trace, by thread. nodes: room for as many numbers as the
 * later profile has nodes; receives for each node the one of this profile. Returns false if they
 * cannot be merged. Ends the process if memory is out.
 */
bool call_walks_merge(struct call_walk *walks, const struct call_walk *later, uint32_t n_threads,
		      uint32_t *nodes);

void call_walk_block(struct call_walk *walk, const struct tf_block_exec *exec);

/*
 * Does the same for the blocks of a superblock's execution. values: the superblock's, or NULL; the
 * profile counts no details and has no model. Returns the number of the execution's values.
 */
unsigned call_walk_superblock(struct call_walk *walk, const struct tf_path_exec *exec,
			      const uint64_t *values);
/* Returns the node that the thread is in. */
uint32_t call_walk_node(struct call_walk *walk);

/* Returns the number of the calls that have not returned, plus one. */
static inline size_t call_walk_frames(const struct call_walk *walk)
{
	return walk->frames.count + (walk->effect == CALL_EFFECT_CALL);
}

void call_walk_event(struct call_walk *walk, const struct tf_event *event);

#endif
