/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/kept.h"

#include <stdlib.h>

/* Of caches that nobody uses. */
enum { MOST = 16, MOST_BYTES = 64 << 20 };

/* The one that a process began or ceased to use last is the first. */
struct kept {
	struct kept *next;
	struct cache *cache;
};

static void put_first(struct session *s, struct kept *k)
{
	k->next = s->kept;
	s->kept = k;
}

/* Takes the cache's out of the list. */
static struct kept *take(struct session *s, const struct cache *c)
{
	struct kept **link = &s->kept, *k;

	while ((*link)->cache != c)
		link = &(*link)->next;
	k = *link;
	*link = k->next;
	return k;
}

struct cache *kept_new(struct task *t)
{
	struct kept *k = malloc(sizeof(*k));
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

struct cache *kept_find(struct task *t)
{
	struct session *s = t->session;

	for (const struct kept *k = s->kept; k; k = k->next) {
		if (!code_map_has(cache_code_map(k->cache), t->process->space))
			continue;
		if (!cache_map(k->cache, t))
			break;
		put_first(s, take(s, k->cache));
		return cache_share(s->kept->cache);
	}
	return kept_new(t);
}

static void drop_unused(struct session *s, unsigned most, size_t most_bytes)
{
	struct kept **link = &s->kept;
	unsigned count = 0;
	size_t bytes = 0;

	while (*link) {
		struct kept *k = *link;

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

void kept_leave(struct session *s, struct cache *c)
{
	cache_leave(c);
	put_first(s, take(s, c));
	drop_unused(s, MOST, MOST_BYTES);
}

void kept_free(struct session *s)
{
	drop_unused(s, 0, 0);
}
