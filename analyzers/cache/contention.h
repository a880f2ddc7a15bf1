/* SPDX-License-Identifier: MIT */
/*
 * Lines that writes of one core have removed from another core, and the instructions that access
 * these lines. An access is known from the first such removal of its line on.
 *
 * Memory: about 100 bytes a line, and as much for each distinct piece of a line that an instruction
 * of a thread accesses.
 */
#ifndef CACHE_CONTENTION_H
#define CACHE_CONTENTION_H

#include "analyzers/cache/coherence.h"
#include "analyzers/program/places.h"

struct contention_counts {
	uint64_t loads, stores;
	uint64_t true_sharing, false_sharing; /* coherence misses: one an access of the line */
	struct coherence_counts coherence;
};

struct contended_line {
	uint64_t key;     /* its address */
	uint64_t readers; /* bit n: core n */
	uint64_t writers;
	uint32_t process;
	uint32_t region; /* number among the regions' names */
	uint32_t object; /* number of the heap object, or TF_NONE */
	struct contention_counts counts;
};

struct contended_access {
	struct contended_access_key {
		uint32_t line; /* number */
		uint32_t site; /* number of the instruction among the places' sites */
		uint32_t thread;
		uint32_t offset, size; /* bytes, in the line */
	} key;
	uint32_t core;
	struct contention_counts counts;
};

struct contention {
	const struct coherence *coherence;
	struct places *places; /* they follow data */
	HASH_TABLE(struct contended_line) lines;
	HASH_TABLE(struct contended_access) accesses;
	uint32_t current; /* number of the access that is under way, or TF_NONE */
	bool missed;      /* a coherence miss of that access was counted */
};

/* Initializes contention; coherence and places must outlive it. */
void contention_init(struct contention *contention, const struct coherence *coherence,
		     struct places *places);
void contention_free(struct contention *contention);
void contention_clear(struct contention *contention);

/*
 * Must be called after coherence_access, with the place of the access and its core, bytes of the
 * line, and kind. Ends the process if memory is out.
 */
void contention_access(struct contention *contention, const struct place *place, uint64_t address,
		       uint64_t bytes, enum cache_kind kind);

/* Takes a coherence miss of the access. */
void contention_miss(struct contention *contention, enum cache_miss sharing);

/*
 * Returns the numbers of all lines, those with the most coherence misses first, of equal ones those
 * with the most invalidations. Free the array.
 */
uint32_t *contention_lines(const struct contention *contention);

/* Returns the numbers of all accesses, line by line, in the order of offsets, instructions and
 * threads. Free the array. */
uint32_t *contention_accesses(const struct contention *contention);

/*
 * Returns by line where its accesses begin among those of contention_accesses(); the last element
 * is their number. Free the array.
 */
size_t *contention_first_accesses(const struct contention *contention);

#endif
