/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/exit_table.h"

#include <sys/mman.h>

#include "traceformat/common/pages.h"

enum { MAX_EXITS = TF_RECORD_KEYS };

/* Reserves zeroed pages, which take memory only once they are used. */
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
	return e->exits && e->trace_ids;
}

void exit_table_free(struct exit_table *e)
{
	unreserve(e->exits, MAX_EXITS * sizeof(*e->exits));
	unreserve(e->trace_ids, MAX_EXITS * sizeof(*e->trace_ids));
}

void exit_table_clear(struct exit_table *e)
{
	e->count = 0;
}

bool exit_table_fits(const struct exit_table *e, unsigned count)
{
	return e->count + count <= MAX_EXITS;
}

static void provide(struct exit_table *e)
{
	enum { EXIT = sizeof(*e->exits), ID = sizeof(*e->trace_ids) };

	pages_provide((uint8_t *)e->exits, MAX_EXITS * EXIT, e->count * EXIT, &e->exits_ready);
	pages_provide((uint8_t *)e->trace_ids, MAX_EXITS * ID, e->count * ID, &e->ids_ready);
}

void exit_table_add(struct exit_table *e, struct translation *t)
{
	uint32_t first = e->count;

	provide(e);
	for (unsigned i = 0; i < t->n_exits; i++) {
		e->trace_ids[first + i] = TF_NONE;
		e->exits[first + i] = (struct cache_exit){ t, i, 0 };
	}
	atomic_store_explicit(&e->count, first + t->n_exits, memory_order_release);
}

void exit_table_list(struct exit_table *e, uint32_t number, uint32_t *first)
{
	e->exits[number].next = *first;
	*first = number + 1;
}
