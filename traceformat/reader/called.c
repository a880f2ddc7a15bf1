/* SPDX-License-Identifier: MIT */
/* Names functions that have no name in the trace: the target of a direct call begins a function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/reader/reader.h"

enum { FUNCTION = 2 }; /* STT_FUNC */

struct place {
	uint64_t offset; /* in the module */
	uint32_t module;
};

struct called {
	ARRAY(uint64_t) targets;    /* pcs, ascending */
	ARRAY(struct place) places; /* ascending, without a symbol */
};

static int compare_pcs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_called(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool find_targets(const struct tf_reader *r, struct called *c)
{
	const struct tf_block *b;

	for (uint32_t i = 0; i < tf_n_blocks(r); i++) {
		if (!(b = tf_block(r, i)) || b->end != TF_END_CALL)
			continue;
		if (!RESERVE(c->targets, c->targets.count + 1))
			return false;
		c->targets.at[c->targets.count++] = b->target;
	}
	if (c->targets.count)
		qsort(c->targets.at, c->targets.count, sizeof(uint64_t), compare_pcs);
	return true;
}

/* Finds the modules of the targets: a block gives the module of the address at which it begins. */
static bool find_places(const struct tf_reader *r, struct called *c)
{
	const struct tf_block *b;

	for (uint32_t i = 0; c->targets.count && i < tf_n_blocks(r); i++) {
		if (!(b = tf_block(r, i)) || b->module >= r->modules.count ||
		    !r->modules.at[b->module] ||
		    !bsearch(&b->pc, c->targets.at, c->targets.count, sizeof(uint64_t),
			     compare_pcs) ||
		    tf_symbol(r, b->module, b->module_offset))
			continue;
		if (!RESERVE(c->places, c->places.count + 1))
			return false;
		c->places.at[c->places.count++] = (struct place){ b->module_offset, b->module };
	}
	if (c->places.count)
		qsort(c->places.at, c->places.count, sizeof(struct place), compare_called);
	return true;
}

static bool add_symbol(struct tf_reader *r, const struct place *p)
{
	const char *path = r->modules.at[p->module]->path, *slash = strrchr(path, '/');
	const char *module = slash ? slash + 1 : path;
	size_t room = strlen(module) + sizeof("+0x") + 16;
	struct module_symbols *into;
	char *name = pool_alloc(&r->pool, room);

	if (!name || !RESERVE(r->symbols, r->modules.count))
		return false;
	r->symbols.count = r->modules.count;
	into = &r->symbols.at[p->module];
	if (!RESERVE(into->pending, into->pending.count + 1))
		return false;
	snprintf(name, room, "%s+0x%" PRIx64, module, p->offset);
	into->pending.at[into->pending.count++] = (struct tf_symbol){ .value = p->offset,
								      .kind = FUNCTION,
								      .name = name };
	return true;
}

static bool add_symbols(struct tf_reader *r, const struct called *c)
{
	for (size_t i = 0; i < c->places.count; i++)
		if ((!i || compare_called(&c->places.at[i - 1], &c->places.at[i])) &&
		    !add_symbol(r, &c->places.at[i]))
			return false;
	return reader_sort_symbols(r);
}

int tf_name_called(struct tf_reader *r, struct tf_error *error)
{
	struct called c = { 0 };
	bool good;

	pthread_mutex_lock(&r->lock);
	good = find_targets(r, &c) && find_places(r, &c) && add_symbols(r, &c);
	pthread_mutex_unlock(&r->lock);
	free(c.targets.at);
	free(c.places.at);
	return good ? 0 : fail_memory(error);
}
