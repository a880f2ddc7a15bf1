/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/path_table.h"

#include <stdlib.h>

#include "recorder/program/pc_hash.h"

enum { FIRST_BUCKETS = 1 << 12 };

static bool allocate(struct path_table *p, uint32_t n_buckets)
{
	p->n_buckets = n_buckets;
	p->buckets = calloc(n_buckets, sizeof(struct translation *));
	return p->buckets;
}

bool path_table_begin(struct path_table *p)
{
	p->count = 0;
	return allocate(p, FIRST_BUCKETS);
}

void path_table_free_list(struct translation *t)
{
	while (t) {
		struct translation *next = t->next;

		translation_free(t);
		t = next;
	}
}

void path_table_clear(struct path_table *p)
{
	for (uint32_t i = 0; p->buckets && i < p->n_buckets; i++) {
		path_table_free_list(p->buckets[i]);
		p->buckets[i] = NULL;
	}
	p->count = 0;
}

void path_table_free(struct path_table *p)
{
	path_table_clear(p);
	free(p->buckets);
}

static struct translation **bucket(const struct path_table *p, uint64_t pc)
{
	return &p->buckets[pc_hash(pc) & (p->n_buckets - 1)];
}

static struct translation *at_pc(struct translation *t, uint64_t pc)
{
	while (t && t->pc != pc)
		t = t->next;
	return t;
}

struct translation *path_table_first(const struct path_table *p, uint64_t pc)
{
	return at_pc(*bucket(p, pc), pc);
}

struct translation *path_table_next(const struct translation *t)
{
	return at_pc(t->next, t->pc);
}

static void grow(struct path_table *p)
{
	struct path_table larger = { .count = p->count };

	if (!allocate(&larger, p->n_buckets * 2))
		return;		/* the chains become longer */
	for (uint32_t i = 0; i < p->n_buckets; i++)
		while (p->buckets[i]) {
			struct translation *t = p->buckets[i];
			struct translation **to = bucket(&larger, t->pc);

			p->buckets[i] = t->next;
			while (*to)	/* the newest of a pc stays the first */
				to = &(*to)->next;
			t->next = NULL;
			*to = t;
		}
	free(p->buckets);
	*p = larger;
}

void path_table_add(struct path_table *p, struct translation *t)
{
	struct translation **to;

	if (p->count++ == p->n_buckets)
		grow(p);
	to = bucket(p, t->pc);
	t->next = *to;
	*to = t;
}
