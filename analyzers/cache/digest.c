/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/digest.h"

#include <string.h>

#include "cli/common/checked.h"

/* A digest of this length is handed on: shorter ones would cost more time for handing them on. */
enum { ENOUGH_ACCESSES = 4096, ENOUGH_INSTRUCTIONS = 1 << 16 };

static void keep(void *opaque, const struct cache_access *accesses,
		 const struct cache_origin *origins, size_t count)
{
	struct cache_digest *d = opaque;

	CHECKED_RESERVE(d->accesses, d->accesses.count + count);
	memcpy(d->accesses.at + d->accesses.count, accesses, count * sizeof(*accesses));
	d->accesses.count += count;
	if (!origins)
		return;
	CHECKED_RESERVE(d->origins, d->origins.count + count);
	memcpy(d->origins.at + d->origins.count, origins, count * sizeof(*origins));
	d->origins.count += count;
}

void cache_digest_init(struct cache_digest *d, const struct access_code *code,
		       const struct cache_config *configs, size_t count)
{
	d->feed = checked_array(1, sizeof(*d->feed));
	d->feed->code = code;
	d->feed->consume = keep;
	d->feed->opaque = d;
	for (size_t i = 0; i < count; i++)
		d->feed->wants_origins |= cache_config_needs_origins(&configs[i]);
	if (cache_filter_init(&d->filter, configs, count))
		d->feed->filter = &d->filter;
}

void cache_digest_free(struct cache_digest *d)
{
	free(d->accesses.at);
	free(d->origins.at);
	free(d->feed);
}

bool cache_digest_add(struct cache_digest *d, const struct tf_item *item)
{
	cache_feed_blocks(d->feed, item, 0);
	cache_feed_flush(d->feed);
	d->instructions += item->instructions;
	return d->accesses.count < ENOUGH_ACCESSES && d->instructions < ENOUGH_INSTRUCTIONS;
}

void cache_digest_clear(struct cache_digest *d)
{
	d->instructions = 0;
	d->accesses.count = d->origins.count = 0;
	cache_filter_clear(&d->filter);
}
