/* SPDX-License-Identifier: MIT */
/*
 * A process that has executed a program takes a cache that has all of the program's stable code at
 * the same addresses, and maps the cache's memory files there. Libraries are added as they are
 * mapped. Translations of another process stay at addresses where this one has nothing mapped.
 * Without address randomization, the second run of a program translates next to nothing; with
 * randomization, the addresses of two runs do not match.
 */
#include "recorder/translate/cache/persistent_cache.h"

#include <stdlib.h>

/* limits for caches without users */
enum { MOST = 16, MOST_BYTES = 64 << 20 };

/* List of caches. The first one is that whose users changed last. */
struct persistent_cache {
	struct persistent_cache *next;
	struct cache *cache;
};

static void put_first(struct session *s, struct persistent_cache *k)
{
	k->next = s->translate.persistent_cache;
	s->translate.persistent_cache = k;
}

/* Unlinks the cache's element from the list. */
static struct persistent_cache *take(struct session *s, const struct cache *c)
{
	struct persistent_cache **link = &s->translate.persistent_cache, *k;

	while ((*link)->cache != c)
		link = &(*link)->next;
	k = *link;
	*link = k->next;
	return k;
}

struct cache *persistent_cache_new(struct task *t)
{
	struct persistent_cache *k = malloc(sizeof(*k));
	struct cache *c = k ? cache_new(t) : NULL;

	if (!c || !code_map_add(cache_code_map(c), t->process->space)) {
		if (c)
			cache_free(c);
		free(k);
		return NULL;
	}
	k->cache = c;
	put_first(t->session, k);
	return c;
}

struct cache *persistent_cache_find(struct task *t)
{
	struct session *s = t->session;

	for (const struct persistent_cache *k = s->translate.persistent_cache; k; k = k->next) {
		if (!code_map_has(cache_code_map(k->cache), t->process->space))
			continue;
		if (!cache_map(k->cache, t))
			break;
		put_first(s, take(s, k->cache));
		return cache_share(s->translate.persistent_cache->cache);
	}
	return persistent_cache_new(t);
}

static void drop_unused(struct session *s, unsigned most, size_t most_bytes)
{
	struct persistent_cache **link = &s->translate.persistent_cache;
	unsigned count = 0;
	size_t bytes = 0;

	while (*link) {
		struct persistent_cache *k = *link;

		if (cache_users(k->cache)) {
			link = &k->next;
			continue;
		}
		bytes += cache_bytes(k->cache);
		if (++count <= most && bytes <= most_bytes) {
			link = &k->next;
			continue;
		}
		*link = k->next;
		cache_free(k->cache);
		free(k);
	}
}

void persistent_cache_leave(struct session *s, struct cache *c)
{
	cache_leave(c);
	put_first(s, take(s, c));
	drop_unused(s, MOST, MOST_BYTES);
}

void persistent_caches_free(struct session *s)
{
	drop_unused(s, 0, 0);
}
