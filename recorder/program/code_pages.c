/* SPDX-License-Identifier: MIT */
#include "recorder/program/code_pages.h"

#include <stdlib.h>
#include <string.h>

#include "traceformat/common/pages.h"
#include "recorder/core/task.h"
#include "recorder/program/space.h"

enum { GROUPS = 128, WAYS = 8, GROUP_BYTES = 1 << 16, PAGE_BYTES = 4096 };

/* Neighboring pages, of one mapping. */
struct group {
	uint64_t start, end; /* of the bytes that have been read; 0: none */
	uint8_t *bytes;      /* from the group's first address on; NULL: never used */
};

/*
 * Executables and libraries lie far apart and begin at similar addresses, so each place has room
 * for several groups.
 */
struct code_pages {
	uint64_t code_changes; /* the space's value when the pages were read */
	unsigned replaced;
	struct group groups[GROUPS / WAYS][WAYS];
};

static struct group *group_at(struct code_pages *p, unsigned i)
{
	return &p->groups[i / WAYS][i % WAYS];
}

static void forget(struct code_pages *p)
{
	for (unsigned i = 0; i < GROUPS; i++)
		group_at(p, i)->start = group_at(p, i)->end = 0;
}

static void free_pages(struct code_pages *p)
{
	for (unsigned i = 0; i < GROUPS; i++)
		pages_free(group_at(p, i)->bytes, GROUP_BYTES);
	free(p);
}

/* Returns the space's pages, emptied if stable code has changed; NULL if memory is out. */
static struct code_pages *current(struct space *space)
{
	struct code_pages *p = space->code_pages;

	if (!p) {
		p = space->code_pages = calloc(1, sizeof(*p));
		space->free_code_pages = free_pages;
	}
	if (p && p->code_changes != space->code_changes)
		forget(p);
	if (p)
		p->code_changes = space->code_changes;
	return p;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Reads the pages of the group that the mapping has. If the group cannot be read as a whole, reads
 * only the page with the address.
 */
static void read_group(const struct task *t, const struct mapping *m, uint64_t address,
		       struct group *g)
{
	uint64_t first = address / GROUP_BYTES * GROUP_BYTES, size;

	g->start = max(m->start, first);
	g->end = min(m->end, first + GROUP_BYTES);
	size = g->end - g->start;
	if (task_read(t, g->start, g->bytes + (g->start - first), size) == size)
		return;
	g->start = address / PAGE_BYTES * PAGE_BYTES;
	g->end = g->start + PAGE_BYTES;
	if (task_read_code(t, g->start, g->bytes + (g->start - first), PAGE_BYTES) < PAGE_BYTES)
		g->start = g->end = 0;
}

static bool has(const struct group *g, uint64_t address)
{
	return g->start <= address && address < g->end;
}

/* Returns the group that has the address, or one that can be overwritten. */
static struct group *group_for(struct code_pages *p, uint64_t address)
{
	struct group *ways = p->groups[address / GROUP_BYTES % (GROUPS / WAYS)];

	for (unsigned i = 0; i < WAYS; i++)
		if (has(&ways[i], address))
			return &ways[i];
	for (unsigned i = 0; i < WAYS; i++)
		if (!ways[i].end)
			return &ways[i];
	return &ways[p->replaced++ % WAYS];
}

const uint8_t *code_pages_at(const struct task *t, uint64_t address, size_t *available)
{
	struct space *space = t->process->space;
	struct code_pages *p = current(space);
	struct group *g = p ? group_for(p, address) : NULL;
	const struct mapping *m;

	if (!g)
		return NULL;
	if (!has(g, address)) {
		m = space_find(space, address);
		if (!m || !space_is_stable(m))
			return NULL;
		if (!g->bytes)
			g->bytes = pages_new(GROUP_BYTES);
		if (!g->bytes)
			return NULL;
		read_group(t, m, address, g);
	}
	*available = g->end - address;
	return g->end ? g->bytes + address % GROUP_BYTES : NULL;
}

size_t code_pages_read(const struct task *t, uint64_t address, uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t n;
		const uint8_t *code = code_pages_at(t, address + done, &n);

		if (!code)
			return done + task_read_code(t, address + done, bytes + done, size - done);
		if (n > size - done)
			n = size - done;
		memcpy(bytes + done, code, n);
		done += n;
	}
	return done;
}
