/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/exit_table.h"

#include <sys/mman.h>

enum { MAX_EXITS = TF_RECORD_KEYS };

/* Pages of 0 that take memory only where they are used. */
static void *reserve(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

static void unreserve(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}

bool exit_table_begin(struct exit_table *e)
{
	e->exits = reserve(MAX_EXITS * sizeof(*e->exits));
	e->trace_ids = reserve(MAX_EXITS * sizeof(*e->trace_ids));
	e->same_target = reserve(MAX_EXITS * sizeof(*e->same_target));
	return e->exits && e->trace_ids && e->same_target;
}

void exit_table_free(struct exit_table *e)
{
	unreserve(e->exits, MAX_EXITS * sizeof(*e->exits));
	unreserve(e->trace_ids, MAX_EXITS * sizeof(*e->trace_ids));
	unreserve(e->same_target, MAX_EXITS * sizeof(*e->same_target));
}

void exit_table_clear(struct exit_table *e)
{
	e->count = 0;
}

bool exit_table_fits(const struct exit_table *e, unsigned count)
{
	return e->count + count <= MAX_EXITS;
}

void exit_table_add(struct exit_table *e, struct translation *t)
{
	for (unsigned i = 0; i < t->n_exits; i++) {
		e->trace_ids[e->count] = TF_NONE;
		e->exits[e->count++] = (struct cache_exit){ t, i };
	}
}

void exit_table_list(struct exit_table *e, uint32_t number, uint32_t *first)
{
	e->same_target[number] = *first;
	*first = number + 1;
}
