/* SPDX-License-Identifier: MIT */
/* The configuration of a cache hierarchy. trace-cache(1) defines each word. */
#ifndef CACHE_CONFIG_H
#define CACHE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { CACHE_MAX_LEVELS = 4, CACHE_MAX_CORES = 64, CACHE_NAME_SIZE = 64 };

/* clang-format off */
enum cache_policy {
	CACHE_LRU, CACHE_FIFO, CACHE_PLRU, CACHE_SRRIP, CACHE_BRRIP, CACHE_DRRIP, CACHE_RANDOM,
	CACHE_OPT,
	N_CACHE_POLICIES
};
#define CACHE_POLICIES "lru|fifo|plru|srrip|brrip|drrip|random|opt"
/* clang-format on */

enum cache_inclusion { CACHE_NINE, CACHE_INCLUSIVE, CACHE_EXCLUSIVE };
#define CACHE_INCLUSIONS "nine|inclusive|exclusive"

enum cache_prefetch {
	CACHE_NO_PREFETCH,
	CACHE_NEXT_LINE, /* on a miss */
	CACHE_TAGGED,    /* and at the first hit of a prefetched line */
	CACHE_STRIDE,
};
#define CACHE_PREFETCHERS "none|next-line|tagged|stride"

/* A cache. */
struct cache_geometry {
	uint64_t size; /* bytes: a multiple of ways * line */
	uint32_t ways;
	uint32_t line;     /* bytes: a power of two, CACHE_LEAST_LINE at least */
	uint8_t policy;    /* enum cache_policy */
	uint8_t inclusion; /* enum cache_inclusion, towards the levels above */
	uint8_t prefetch;  /* enum cache_prefetch */
	bool write_through, no_allocate;
	uint32_t prefetch_distance; /* lines, or strides */
	uint32_t psel_bits;         /* DRRIP: width of the selector */
	uint64_t seed;              /* random */
};
enum {
	CACHE_LEAST_LINE = 16,
	CACHE_MAX_DISTANCE = 64,
	CACHE_PREFETCH_PAGE_SHIFT = 12,
	CACHE_MOST_PSEL_BITS = 31
};

/*
 * Levels from the core to memory. The first n_split of these have a cache for instructions beside
 * the one for data. The last n_shared of these exist once, the others once a core.
 */
struct cache_config {
	char name[CACHE_NAME_SIZE];
	unsigned n_levels, n_split, n_shared;
	unsigned n_cores; /* a thread runs on core thread % n_cores */
	bool pages;       /* lines are pages: stores do not make these dirty */
	struct cache_geometry data[CACHE_MAX_LEVELS];         /* and unified ones */
	struct cache_geometry instructions[CACHE_MAX_LEVELS]; /* of the split levels */
};

/* A geometry without a size: 64-byte lines, LRU, NINE, write-back, write-allocate. */
extern const struct cache_geometry cache_default_geometry;

/*
 * Reads levels in short, "32Ki/8,1Mi/16,32Mi/16"; pages: of TLBs, "64/full,1536/12"; see
 * trace-cache(1), --levels and --tlb. Returns NULL, or the reason why text is refused, which is
 * valid until the next call.
 */
const char *cache_config_parse(struct cache_config *config, const char *text, bool pages);

/* Reads one cache of a level that exists, such as "1Mi/16:srrip". Returns as cache_config_parse. */
const char *cache_config_parse_one(struct cache_config *config, unsigned depth, bool instructions,
				   const char *text);

/* Changes the size of the last level. A fully associative cache remains one. */
void cache_config_resize(struct cache_config *config, uint64_t size);

/* Returns NULL, or what no hierarchy can have, which is valid until the next call. */
const char *cache_config_check(const struct cache_config *config);

/*
 * Returns the bytes of the shortest line by which instructions can be fetched several at a time,
 * see cache_code_init: 0 if the data between two fetches from one line can displace it.
 */
uint32_t cache_config_fetch_line(const struct cache_config *config);

/*
 * Returns into how many parts, a power of two, `most` at most, a hierarchy can be divided by the
 * lowest bits of the numbers of its longest lines, so that each set of each level is in one part,
 * and no part influences another one: 1 if it cannot be divided.
 */
unsigned cache_config_parts(const struct cache_config *config, unsigned most);

/* Returns the bytes of the longest line. */
uint32_t cache_config_longest_line(const struct cache_config *config);

/* Returns true if a level of this depth has the policy OPT. */
bool cache_config_has_opt(const struct cache_config *config, unsigned depth);

/* Returns true if the origins of accesses are needed. */
bool cache_config_needs_origins(const struct cache_config *config);

/* Returns the name of a level, such as "L1D", "L2", which is valid until the next call. */
const char *cache_level_name(const struct cache_config *config, unsigned depth, bool instructions);

/* Returns true if `word` names a level as files do: its name in lower case with underscores. */
bool cache_level_is(const struct cache_config *config, unsigned depth, bool instructions,
		    const char *word);

#endif
