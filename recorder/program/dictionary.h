/* SPDX-License-Identifier: MIT */
/*
 * The dictionary of all blocks so far, by (pc, module, bytes) and not by process, so that a
 * thousand children share their common blocks. Versions of changed code exist side by side.
 */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "recorder/core/output.h"
#include "recorder/program/code_block.h"

struct dictionary;

/*
 * Returns a new dictionary, or NULL if memory is out. no_addresses: paths of its blocks have slots
 * only for values that determine the number of accesses. has_rsp: otherwise they have one more
 * slot, for rsp behind the block. only_counted: their executions have no slots, so that the paths
 * need no recipes.
 */
struct dictionary *dictionary_new(bool no_addresses, bool has_rsp, bool only_counted);

/* Frees a dictionary and its blocks; NULL is allowed. */
void dictionary_free(struct dictionary *dictionary);

/* Returns the facts of the blocks' instructions. */
struct facts *dictionary_facts(const struct dictionary *dictionary);

/*
 * Finds the block with the code at source->code, or returns NULL. Undecoded blocks, whose bytes do
 * not give the length, are found only by dictionary_find_undecoded.
 */
struct code_block *dictionary_find(const struct dictionary *dictionary,
				   const struct code_source *source);

/* Finds an undecoded block of that length, or returns NULL. */
struct code_block *dictionary_find_undecoded(const struct dictionary *dictionary,
					     const struct code_source *source, unsigned length);

/* Takes over a block. Returns false if memory is out; the caller then still owns the block. */
bool dictionary_insert(struct dictionary *dictionary, struct code_block *block);

/* Assigns a block's id in the trace, if it has none yet, under output_lock. Returns 0 or -1. */
int dictionary_publish(struct code_block *block, struct output *output);

/*
 * Adds a block's own path to the trace, if it has none yet. If the branch can be taken and not
 * taken, exit 0 is TF_NOT_TAKEN and exit 1 TF_TAKEN; otherwise there is one exit. dictionary_slots
 * computes the slots.
 */
int dictionary_publish_path(const struct dictionary *dictionary, struct code_block *block,
			    struct output *output);

/*
 * Turns a block's values, followed by room for rsp, into its path's slots, in place. Returns the
 * number of slots.
 */
unsigned dictionary_slots(const struct dictionary *dictionary, const struct code_block *block,
			  uint64_t *values, uint64_t rsp);

uint32_t dictionary_count(const struct dictionary *dictionary);

/*
 * Calls a function for each block, until it returns false. Returns what it returned last, or
 * true.
 */
bool dictionary_each(const struct dictionary *dictionary,
		     bool (*call)(const struct code_block *block, void *opaque), void *opaque);

#endif
