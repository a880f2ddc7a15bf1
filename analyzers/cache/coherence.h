/* SPDX-License-Identifier: MIT */
/*
 * Coherence of the cores' own levels by MESI (M. S. Papamarcos and J. H. Patel, "A low-overhead
 * coherence solution for multiprocessors with private cache memories", ISCA 1984), with an exact
 * directory. A core holds a line if any of its own levels does. A read of a line that another core
 * has modified first writes it back below the cores' own levels, and both then share it. A write
 * removes the line from all other cores.
 *
 * A miss of a level is a coherence miss if the level had the line when another core's write removed
 * it, and was not asked for it since. By J. Torrellas, M. S. Lam and J. L. Hennessy, "False sharing
 * and spatial locality in multiprocessor caches", IEEE Transactions on Computers 43 (6), 1994, it
 * is true sharing if the access is of memory that other cores have written since, that write
 * included; else false sharing. Their unit is the word; here it is the byte, or a 64th of a line of
 * more than 64 bytes.
 *
 * Memory: about 64 bytes a distinct line, and as much again for each core and line of that core
 * that another core's write removed.
 */
#ifndef CACHE_COHERENCE_H
#define CACHE_COHERENCE_H

#include "analyzers/cache/kinds.h"
#include "traceformat/common/hash_table.h"

struct coherence_counts {
	uint64_t upgrades;      /* writes to lines that the core has in state S */
	uint64_t invalidations; /* lines that writes removed, one a core that had the line */
	uint64_t transfers;     /* lines that one core had modified when another accessed these */
};

/* The state of a line. */
struct coherence_line {
	uint64_t key;     /* the address */
	uint64_t holders; /* bit n: core n has the line, unless it was evicted since */
	uint64_t shared;  /* of these, those that have it in state S: none or several */
	uint64_t lost;    /* bit n: core n lost the line once: it has a struct coherence_loss */
};

enum { COHERENCE_LEVELS = 2 * CACHE_MAX_LEVELS }; /* of a core: 2 * depth, + 1 for instructions */

/* A line that another core's write has removed from a core's levels. */
struct coherence_loss {
	struct coherence_loss_key {
		uint32_t line; /* number of the line */
		uint32_t core;
	} key;
	uint32_t levels; /* bit n: level n had it, and was not asked for it since */
	uint64_t written[COHERENCE_LEVELS]; /* by level: bit n: since then, the n-th unit of the
					       line was written by other cores */
};

/* The access of a line that is under way. */
struct coherence_touch {
	uint64_t line;
	uint64_t units;  /* bit n: it is of the n-th unit of the line */
	uint32_t number; /* of the line */
	unsigned core;
	struct coherence_counts counts; /* what the access added to the counts */
	bool contended;                 /* the line was lost once, by any core */
};

enum { COHERENCE_RECENT = 256 };

struct coherence {
	struct cache_hierarchy *hierarchy;
	unsigned line_shift; /* log2 of the bytes of a line */
	unsigned unit_shift; /* log2 of the bytes of a unit */
	uint64_t line_mask;
	struct coherence_counts counts;
	HASH_TABLE(struct coherence_line) lines;
	uint32_t
		recent[COHERENCE_RECENT]; /* numbers of lines, by the low bits of their addresses */
	HASH_TABLE(struct coherence_loss) losses;
	struct coherence_touch touch;
};

/* Returns NULL, or the reason why a checked configuration cannot be coherent. */
const char *coherence_check(const struct cache_config *config);

/* Initializes coherence of a hierarchy. This and the functions below end the process if memory is
 * out. */
void coherence_init(struct coherence *coherence, struct cache_hierarchy *hierarchy);
void coherence_free(struct coherence *coherence);

/* Returns the units of a line that an access of some bytes at an offset touches. */
uint64_t coherence_units(const struct coherence *coherence, uint64_t offset, uint64_t bytes);

/*
 * Must be called before a core accesses bytes of one line; bytes is 0 for a prefetch. Sets
 * coherence->touch.
 */
void coherence_access(struct coherence *coherence, unsigned core, uint64_t address, uint64_t bytes,
		      enum cache_kind kind);

/*
 * Returns true if coherence_access() for this access of a line that the core has would change no
 * state and count nothing: no other core has the line, or none has modified the line and the access
 * is a read, and no core has ever lost the line.
 */
bool coherence_is_quiet(struct coherence *coherence, unsigned core, uint64_t address,
			enum cache_kind kind);

/*
 * Must be called for each lookup of the access. Returns CACHE_TRUE_SHARING or CACHE_FALSE_SHARING
 * if it is a coherence miss, else N_CACHE_MISSES.
 */
enum cache_miss coherence_lookup(struct coherence *coherence, const struct cache_lookup *lookup);

#endif
