/* SPDX-License-Identifier: MIT */
/*
 * Sums up the executions of an interval: filtered instructions and rolling hash, as FORMAT.md 4.6
 * defines them, and a sketch. They depend neither on ids nor on the superblocks that were formed,
 * and the hash does not depend on the blocks either, so that two runs of a program can be compared.
 *
 * The sketch is a projection of the interval's vector to 64 dimensions. Number j is the sum, over
 * all blocks that are not excluded, of the instructions that all threads executed in the block,
 * times 1/8 if bit j of the block's identity is set, and times -1/8 otherwise. The identity is the
 * 64-bit hash of the numbers module hash, module offset or pc, size of the code in bytes, and
 * 64-bit hash of the code bytes.
 *
 * The functions that add modules, blocks, paths and exclusions may be called by several threads;
 * they return false if memory is out.
 */
#ifndef VECTOR_SUMMARY_H
#define VECTOR_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/tracewriter.h"

struct vector_summary;

enum { VECTOR_RULES = 256, VECTOR_SKETCH = 64 };

/* Returns a new summary, or NULL if memory is out. */
struct vector_summary *vector_summary_new(void);
void vector_summary_free(struct vector_summary *summary);

/* Add what the trace has, in the order of their indices and ids. */
bool vector_summary_add_module(struct vector_summary *summary, const struct tf_module *module);
bool vector_summary_add_block(struct vector_summary *summary, const struct tf_block *block,
			      uint32_t id);
bool vector_summary_add_path(struct vector_summary *summary, const struct tf_path *path,
			     uint32_t first_exit);

/* Begins an interval behind one that has this rolling hash. No executions have been added since the
 * last interval ended. */
void vector_summary_begin(struct vector_summary *summary, const uint8_t hash[16]);

/* Excludes a block before its first execution is added. rule: below VECTOR_RULES. */
bool vector_summary_exclude(struct vector_summary *summary, const struct tf_excluded *excluded,
			    unsigned rule);

/* Returns how many instructions that are not excluded have been added so far. */
uint64_t vector_summary_filtered(const struct vector_summary *summary);

/* Returns how many instructions have been excluded by the rule so far. */
uint64_t vector_summary_excluded(const struct vector_summary *summary, unsigned rule);

/* Adds executions of a path, as a vector has them, to the present interval of a thread. Calls for a
 * thread are not mixed with those for others. */
void vector_summary_add(struct vector_summary *summary, uint32_t thread,
			const struct tf_vector_count *count);

/* Adds executions for vector_summary_executions() before the interval has ended. */
void vector_summary_preview(struct vector_summary *summary, const struct tf_vector_count *count);

/* Returns how often a block that is not excluded was executed so far, those executions included
 * that were added by vector_summary_preview() in the present interval. */
uint64_t vector_summary_executions(const struct vector_summary *summary, uint32_t block);

/* Returns how often it was executed by vector_summary_preview() alone. */
uint64_t vector_summary_previewed(const struct vector_summary *summary, uint32_t block);

/* Forgets what was added by vector_summary_preview(). */
void vector_summary_forget(struct vector_summary *summary);

/*
 * Ends the interval: sets filtered, hash and excluded, which is valid until the next call, and the
 * sketch, which may be NULL. interval->number is set.
 */
void vector_summary_end(struct vector_summary *summary, struct tf_interval *interval,
			float sketch[VECTOR_SKETCH]);

#endif
