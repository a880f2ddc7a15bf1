/* SPDX-License-Identifier: MIT */
/*
 * Counts executions of marked instructions, of all threads together. The counts follow from how
 * often each exit of each path was taken, so that code without markers costs nothing.
 *
 * An instruction is known by its module and its offset there, because its address may differ from
 * run to run. Different threads may call these functions at the same time.
 */
#ifndef MARKED_INSNS_H
#define MARKED_INSNS_H

#include "recorder/core/options.h"
#include "traceformat/tracewriter.h"

struct marked_insns;

/* Returns NULL if memory is out. */
struct marked_insns *marked_insns_new(void);
void marked_insns_free(struct marked_insns *counts);

/*
 * Counts the executions of the marker's instruction from now on. Sets *number, which is the same
 * for markers of one instruction; numbers begin at 0. To be called before the first block is added.
 * Returns false if memory is out, as the functions below do.
 */
bool marked_insns_add(struct marked_insns *counts, const struct record_marker *marker,
		      uint32_t *number);

/*
 * Returns whether the block, which need not have been added, has the marked instruction, and its
 * index in *insn.
 */
bool marked_insns_in_block(const struct marked_insns *counts, const struct tf_block *block,
			   uint32_t number, unsigned *insn);

/* Take note of what has been added to the trace, before executions of it are counted. */
bool marked_insns_module(struct marked_insns *counts, const struct tf_module *module,
			 uint32_t index);
bool marked_insns_block(struct marked_insns *counts, const struct tf_block *block, uint32_t id);
bool marked_insns_path(struct marked_insns *counts, const struct tf_path *path,
		       uint32_t first_exit);

/*
 * Adds executions of a path that have left it by an exit, after `executed` instructions of the
 * path. `times` may be negative, to take executions back.
 */
void marked_insns_execute(struct marked_insns *counts, uint32_t exit, unsigned executed,
			  int64_t times);

/* Takes executions of a marker off *left, too, from now on. */
void marked_insns_limit(struct marked_insns *counts, uint32_t number, int64_t *left);

/* States that a block that has been added is excluded, as are all blocks of each of its paths. */
void marked_insns_exclude(struct marked_insns *counts, uint32_t block);

/* Returns the next excluded block from *id on, and sets *id behind it; TF_NONE: there is none. */
uint32_t marked_insns_next_excluded(const struct marked_insns *counts, uint32_t *id);

/* Returns whether the path that has the exit is excluded; for one thread only. */
bool marked_insns_is_excluded(const struct marked_insns *counts, uint32_t exit);

/* Returns how many instructions have been executed by paths that are not excluded. */
uint64_t marked_insns_filtered(struct marked_insns *counts);

/*
 * Returns the marked instructions of the path that has the exit, in their order, and sets *n.
 * Valid until a path is added; for one thread only.
 */
struct marked_insn {
	uint32_t number; /* of the marker */
	unsigned insn;   /* index in the path */
};
const struct marked_insn *marked_insns_in_path(const struct marked_insns *counts, uint32_t exit,
					       size_t *n);

/* Returns how often the instruction has been executed. */
uint64_t marked_insns_get(struct marked_insns *counts, uint32_t number);

/* Returns how many numbers there are. */
uint32_t marked_insns_n(const struct marked_insns *counts);

#endif
