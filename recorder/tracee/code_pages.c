/* SPDX-License-Identifier: MIT */
#include "recorder/tracee/code_pages.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/tracee/space.h"
#include "recorder/tracee/task.h"

enum { PAGES = 1024, PAGE_BYTES = 4096 };

struct code_pages {
	uint64_t code_changes;	/* of the space, when they were read */
	uint64_t addresses[PAGES];	/* 0: none */
	uint8_t bytes[PAGES][PAGE_BYTES];
};

/* Those that are still what they were; NULL: memory is out. */
static struct code_pages *current(struct space *space)
{
	struct code_pages *p = space->code_pages;

	if (!p)
		p = space->code_pages = calloc(1, sizeof(*p));
	if (p && p->code_changes != space->code_changes)
		memset(p->addresses, 0, sizeof(p->addresses));
	if (p)
		p->code_changes = space->code_changes;
	return p;
}

/* The page at the address; NULL: it is not to be kept. */
static const uint8_t *page_at(const struct task *t, uint64_t address)
{
	struct space *space = t->process->space;
	struct code_pages *p = current(space);
	unsigned i = address / PAGE_BYTES % PAGES;
	const struct mapping *m;

	if (p && address && p->addresses[i] == address)
		return p->bytes[i];
	m = space_find(space, address);
	if (!p || !m || !space_is_stable(m))
		return NULL;
	p->addresses[i] = 0;
	if (task_read_code(t, address, p->bytes[i], PAGE_BYTES) < PAGE_BYTES)
		return NULL;
	p->addresses[i] = address;
	return p->bytes[i];
}

const uint8_t *code_pages_at(const struct task *t, uint64_t address, size_t *available)
{
	size_t offset = address % PAGE_BYTES;
	const uint8_t *page = page_at(t, address - offset);

	*available = PAGE_BYTES - offset;
	return page ? page + offset : NULL;
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
