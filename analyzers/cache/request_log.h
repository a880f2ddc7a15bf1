/* SPDX-License-Identifier: MIT */
/*
 * The requests that reach a level whose policy is OPT, in order. OPT replaces the line whose next
 * use is farthest (L. A. Belady, "A study of replacement algorithms for a virtual-storage
 * computer", IBM Systems Journal 5(2), 1966), so that all requests must be known before the first
 * one is simulated.
 */
#ifndef CACHE_REQUEST_LOG_H
#define CACHE_REQUEST_LOG_H

#include "analyzers/cache/access.h"
#include "analyzers/cache/level.h"
#include "traceformat/common/array.h"

enum cache_request_type {
	CACHE_ACCESS,      /* level 1: the first line of an access */
	CACHE_ACCESS_MORE, /* a further line of it */
	CACHE_READ,
	CACHE_PREFETCH,
	CACHE_WRITE,      /* that the level above passes on */
	CACHE_WRITE_BACK, /* no use of the line */
	CACHE_CLEAR,      /* counts are forgotten here */
};

struct cache_request {
	uint64_t address;
	uint32_t bytes;
	uint8_t type; /* enum cache_request_type */
	uint8_t core;
	uint8_t side : 1, dirties : 1; /* dirties: of an access, it or a repetition is a store */
	uint8_t kind;                  /* enum cache_kind */
};

/* The cause of a request, for observers. */
struct cache_context {
	struct cache_access access;
	struct cache_origin origin;
};

struct cache_log {
	ARRAY(struct cache_request) requests;
	ARRAY(struct cache_context) contexts; /* by request; none without an observer */
	size_t last[CACHE_MAX_CORES][2];      /* level 1: the last request of each cache, + 1 */
	uint64_t merged[2][N_CACHE_KINDS];    /* level 1: lookups that are no requests, by side */
	size_t most_bytes;                    /* of memory */
	bool full;                            /* requests were dropped */
};

enum { CACHE_NEVER = UINT32_MAX };

/* Returns an empty log without a limit. */
struct cache_log *cache_log_new(void);
void cache_log_free(struct cache_log *log); /* NULL is allowed */

/*
 * Appends a request, or drops the request if the log is full. access, origin: the cause; access is
 * NULL if there is no observer, origin if it is not known. Ends the process if memory is out.
 */
void cache_log_append(struct cache_log *log, struct cache_request request,
		      const struct cache_access *access, const struct cache_origin *origin);

/*
 * Returns true if a lookup of a line by an access to level 1 repeats the last one of its cache. It
 * is then a hit, and counted, and must not be appended. Else it must.
 */
bool cache_log_merges(struct cache_log *log, const struct cache_level *level,
		      const struct cache_request *request);

/*
 * Returns, for each request, the number of the next one that uses the same line in the same cache,
 * or CACHE_NEVER. at: the caches, as in struct cache_hierarchy. Free the array. Ends the process if
 * memory is out.
 */
uint32_t *cache_log_next_uses(const struct cache_log *log,
			      struct cache_level *const at[CACHE_MAX_CORES][2][CACHE_MAX_LEVELS],
			      unsigned depth);

#endif
