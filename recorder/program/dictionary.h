/* SPDX-License-Identifier: MIT */
/*
 * The blocks met so far, keyed by (pc, module, bytes) and not by process, so that a thousand
 * children share what they have in common. Versions of changed code live side by side.
 */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "recorder/core/output.h"
#include "recorder/program/code_block.h"

struct dictionary;

/*
 * no_addresses: paths of its blocks have slots for nothing but what counts accesses; tells_rsp: else
 * they have one more, for rsp behind the block. NULL: memory is out.
 */
struct dictionary *dictionary_new(bool no_addresses, bool tells_rsp);

/* Frees it and its blocks; NULL is allowed. */
void dictionary_free(struct dictionary *dictionary);

/* What is known of the instructions of its blocks. */
struct facts *dictionary_facts(const struct dictionary *dictionary);

/*
 * Finds the block whose code is what stands at source->code; undecoded blocks, of which the bytes
 * do not tell the length, are found by dictionary_find_undecoded alone. NULL: there is none.
 */
struct code_block *dictionary_find(const struct dictionary *dictionary,
				   const struct code_source *source);

/* The same for an undecoded block of that length. */
struct code_block *dictionary_find_undecoded(const struct dictionary *dictionary,
					     const struct code_source *source, unsigned length);

/* Takes over a block. False: memory is out, and the block is still the caller's. */
bool dictionary_insert(struct dictionary *dictionary, struct code_block *block);

/* Gives a block its id in the trace, if it has none yet, under output_lock. Returns 0 or -1. */
int dictionary_publish(struct code_block *block, struct output *output);

/*
 * Gives a block a path of its own, if it has none yet: exit 0 is TF_NOT_TAKEN and exit 1
 * TF_TAKEN where both can be, else there is one exit. dictionary_slots tells its slots.
 */
int dictionary_publish_path(const struct dictionary *dictionary, struct code_block *block,
			    struct output *output);

/* Turns a block's values, behind which there is room for rsp, into its path's slots, in place.
 * Returns how many there are. */
unsigned dictionary_slots(const struct dictionary *dictionary, const struct code_block *block,
			  uint64_t *values, uint64_t rsp);

uint32_t dictionary_count(const struct dictionary *dictionary);

#endif
