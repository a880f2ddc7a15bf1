/* SPDX-License-Identifier: MIT */
#include "recorder/core/marked_insns.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/array.h"

/* A marked instruction. */
struct marked {
	struct record_marker marker;
	uint32_t module; /* index in the trace; TF_NONE: not added yet, or none */
	uint64_t executed;
	int64_t *left; /* executions are taken off this, too; NULL: no */
};

/* Marked instructions of blocks or of paths. */
struct places {
	struct marked_insn *at;
	size_t count, capacity;
};

/* The marked instructions of a block or of a path: `count` of the places from `first` on. */
struct range {
	uint32_t first;
	uint16_t count;
	uint16_t n_insns; /* of a block */
	bool excluded;
};

struct marked_insns {
	pthread_mutex_t lock;
	ARRAY(struct marked) marked;
	struct places in_blocks, in_paths;
	ARRAY(struct range) blocks; /* by id */
	ARRAY(struct range) exits;  /* by id */
	uint64_t filtered;
};

struct marked_insns *marked_insns_new(void)
{
	struct marked_insns *c = calloc(1, sizeof(*c));

	if (c)
		pthread_mutex_init(&c->lock, NULL);
	return c;
}

void marked_insns_free(struct marked_insns *c)
{
	if (!c)
		return;
	free(c->marked.at);
	free(c->in_blocks.at);
	free(c->in_paths.at);
	free(c->blocks.at);
	free(c->exits.at);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool marked_insns_add(struct marked_insns *c, const struct record_marker *m, uint32_t *number)
{
	uint32_t n = (uint32_t)c->marked.count;

	for (*number = 0; *number < n; ++*number) {
		const struct record_marker *known = &c->marked.at[*number].marker;

		if (known->pc == m->pc && known->offset == m->offset &&
		    is_same(known->module, m->module) && is_same(known->build_id, m->build_id))
			return true;
	}
	if (!RESERVE(c->marked, n + 1u))
		return false;
	c->marked.at[c->marked.count++] = (struct marked){ .marker = *m, .module = TF_NONE };
	return true;
}

/* ---- modules ---- */

static bool has_build_id(const struct tf_module *module, const char *hexadecimal)
{
	char text[2 * sizeof(module->build_id) + 1];

	for (unsigned i = 0; i < module->build_id_size; i++)
		snprintf(text + 2 * i, 3, "%02x", module->build_id[i]);
	text[2 * module->build_id_size] = '\0';
	return !strcmp(text, hexadecimal);
}

static bool is_module_of(const struct tf_module *module, const struct record_marker *m)
{
	const char *slash = strrchr(module->path, '/');

	if (!m->module)
		return false;
	if (m->build_id && module->build_id_size)
		return has_build_id(module, m->build_id);
	return !strcmp(slash ? slash + 1 : module->path, m->module);
}

bool marked_insns_module(struct marked_insns *c, const struct tf_module *module, uint32_t index)
{
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->marked.count; i++)
		if (is_module_of(module, &c->marked.at[i].marker))
			c->marked.at[i].module = index;
	pthread_mutex_unlock(&c->lock);
	return true;
}

/* ---- code ---- */

/*
 * Returns the distance of the marked instruction from the block's first byte, perhaps beyond the
 * block. The module offset of a block is the address in the ELF file. That of a marker is counted
 * from the lowest address of the module, which is 0 in the file unless the program has fixed
 * addresses: then the pc is the address in the file.
 */
static uint64_t distance(const struct marked *m, const struct tf_block *block)
{
	if (!m->marker.module)
		return m->marker.pc - block->pc;
	if (m->module == TF_NONE || m->module != block->module)
		return UINT64_MAX;
	return block->module_offset == block->pc ? m->marker.pc - block->pc
						 : m->marker.offset - block->module_offset;
}

static bool add_place(struct places *places, uint32_t marked, unsigned insn)
{
	if (!RESERVE(*places, places->count + 1))
		return false;
	places->at[places->count++] = (struct marked_insn){ marked, insn };
	return true;
}

bool marked_insns_in_block(const struct marked_insns *c, const struct tf_block *block,
			   uint32_t number, unsigned *insn)
{
	uint64_t at = distance(&c->marked.at[number], block);

	for (*insn = 0; at < block->code_size && *insn < block->n_insns; ++*insn)
		if (block->insns[*insn].offset == at)
			return true;
	return false;
}

/* Adds the place of a marked instruction, if it is in the block. */
static bool look_in_block(struct marked_insns *c, const struct tf_block *block, uint32_t marked)
{
	unsigned insn;

	return !marked_insns_in_block(c, block, marked, &insn) ||
	       add_place(&c->in_blocks, marked, insn);
}

static bool add_block(struct marked_insns *c, const struct tf_block *block, uint32_t id)
{
	size_t first = c->in_blocks.count;

	if (!RESERVE(c->blocks, id + 1u))
		return false;
	if (c->blocks.count <= id)
		c->blocks.count = id + 1u;
	for (uint32_t i = 0; i < c->marked.count; i++)
		if (!look_in_block(c, block, i))
			return false;
	c->blocks.at[id] = (struct range){ .first = (uint32_t)first,
					   .count = (uint16_t)(c->in_blocks.count - first),
					   .n_insns = block->n_insns };
	return true;
}

bool marked_insns_block(struct marked_insns *c, const struct tf_block *block, uint32_t id)
{
	bool good;

	pthread_mutex_lock(&c->lock);
	good = add_block(c, block, id);
	pthread_mutex_unlock(&c->lock);
	return good;
}

/* Finds the marked instructions of a path. */
static bool look_in_path(struct marked_insns *c, const struct tf_path *path)
{
	unsigned before = 0;

	for (unsigned i = 0; i < path->n_blocks; i++) {
		const struct range *block = &c->blocks.at[path->blocks[i]];

		for (uint32_t k = 0; k < block->count; k++) {
			const struct marked_insn *p = &c->in_blocks.at[block->first + k];

			if (!add_place(&c->in_paths, p->number, before + p->insn))
				return false;
		}
		before += block->n_insns;
	}
	return true;
}

static bool add_path(struct marked_insns *c, const struct tf_path *path, uint32_t first_exit)
{
	size_t first = c->in_paths.count, end = first_exit + path->n_exits + 1u;
	struct range range;

	if (!RESERVE(c->exits, end) || !look_in_path(c, path))
		return false;
	if (c->exits.count < end)
		c->exits.count = end;
	range = (struct range){ .first = (uint32_t)first,
				.count = (uint16_t)(c->in_paths.count - first),
				.excluded = c->blocks.at[path->blocks[0]].excluded };
	for (size_t i = first_exit; i < end; i++)
		c->exits.at[i] = range;
	return true;
}

bool marked_insns_path(struct marked_insns *c, const struct tf_path *path, uint32_t first_exit)
{
	bool good;

	pthread_mutex_lock(&c->lock);
	good = add_path(c, path, first_exit);
	pthread_mutex_unlock(&c->lock);
	return good;
}

/* ---- counts ---- */

static void add(struct marked *m, int64_t times)
{
	m->executed += (uint64_t)times;
	if (m->left)
		__atomic_sub_fetch(m->left, times, __ATOMIC_RELAXED);
}

void marked_insns_execute(struct marked_insns *c, uint32_t exit, unsigned executed, int64_t times)
{
	const struct range *path;

	pthread_mutex_lock(&c->lock);
	path = exit < c->exits.count ? &c->exits.at[exit] : NULL;
	if (path && !path->excluded)
		c->filtered += executed * (uint64_t)times;
	for (uint32_t i = 0; path && i < path->count; i++) {
		const struct marked_insn *p = &c->in_paths.at[path->first + i];

		if (p->insn < executed)
			add(&c->marked.at[p->number], times);
	}
	pthread_mutex_unlock(&c->lock);
}

void marked_insns_limit(struct marked_insns *c, uint32_t number, int64_t *left)
{
	c->marked.at[number].left = left;
}

void marked_insns_exclude(struct marked_insns *c, uint32_t block)
{
	pthread_mutex_lock(&c->lock);
	c->blocks.at[block].excluded = true;
	pthread_mutex_unlock(&c->lock);
}

uint32_t marked_insns_next_excluded(const struct marked_insns *c, uint32_t *id)
{
	while (*id < c->blocks.count)
		if (c->blocks.at[(*id)++].excluded)
			return *id - 1;
	return TF_NONE;
}

bool marked_insns_is_excluded(const struct marked_insns *c, uint32_t exit)
{
	return exit < c->exits.count && c->exits.at[exit].excluded;
}

uint64_t marked_insns_filtered(struct marked_insns *c)
{
	uint64_t filtered;

	pthread_mutex_lock(&c->lock);
	filtered = c->filtered;
	pthread_mutex_unlock(&c->lock);
	return filtered;
}

const struct marked_insn *marked_insns_in_path(const struct marked_insns *c, uint32_t exit,
					       size_t *n)
{
	*n = exit < c->exits.count ? c->exits.at[exit].count : 0;
	return *n ? &c->in_paths.at[c->exits.at[exit].first] : NULL;
}

uint64_t marked_insns_get(struct marked_insns *c, uint32_t number)
{
	uint64_t executed;

	pthread_mutex_lock(&c->lock);
	executed = c->marked.at[number].executed;
	pthread_mutex_unlock(&c->lock);
	return executed;
}

uint32_t marked_insns_n(const struct marked_insns *c)
{
	return (uint32_t)c->marked.count;
}
