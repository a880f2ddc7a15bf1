/* SPDX-License-Identifier: MIT */
/*
 * The accesses of batches, without those that a filter drops: all that can be done before the
 * hierarchies are known.
 */
#ifndef CACHE_DIGEST_H
#define CACHE_DIGEST_H

#include "analyzers/cache/feed.h"
#include "traceformat/common/array.h"

struct cache_digest {
	uint64_t instructions;
	ARRAY(struct cache_access) accesses;
	ARRAY(struct cache_origin) origins; /* as many, or none */
	struct cache_filter filter;         /* with the numbers of dropped accesses */
	struct cache_feed *feed;
};

/*
 * Begins a zeroed digest for hierarchies. code: outlives the digest. Ends the process if memory is
 * out, as cache_digest_add does.
 */
void cache_digest_init(struct cache_digest *digest, const struct access_code *code,
		       const struct cache_config *configs, size_t count);
void cache_digest_free(struct cache_digest *digest);

/* Adds a batch, an item of blocks. Returns false if the digest is long enough. */
bool cache_digest_add(struct cache_digest *digest, const struct tf_item *item);

/* Forgets the batches. */
void cache_digest_clear(struct cache_digest *digest);

#endif
