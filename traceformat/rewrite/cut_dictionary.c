/* SPDX-License-Identifier: MIT */
/* Copies what a slice needs of the dictionary. Each item gets its new index at its first use. */
#include "traceformat/rewrite/cut.h"

#include <stdlib.h>
#include <string.h>

#include "traceformat/common/error.h"

static bool map_begin(struct index_map *map, size_t count)
{
	map->count = (uint32_t)count;
	map->at = malloc((count + 1) * sizeof(*map->at));
	if (map->at)
		memset(map->at, 0xff, (count + 1) * sizeof(*map->at));
	return map->at;
}

static int lost(const struct cut *c, const char *what, uint32_t index, struct tf_error *error)
{
	if (index == TF_NONE) /* the record with this index is lost as well */
		return fail(error, TF_E_DAMAGED, "%s: a %s that the slice needs is lost",
			    c->r->name, what);
	return fail(error, TF_E_DAMAGED, "%s: %s %u, which the slice needs, is lost", c->r->name,
		    what, index);
}

static int check_process(const struct cut *c, uint32_t index, struct tf_error *error)
{
	return index < c->r->processes.count ? 0 : lost(c, "process", index, error);
}

/* Adds all processes and threads, which keep their indices; hence none may be missing. */
static int add_threads(struct cut *c, struct tf_error *error)
{
	int status = 0;

	for (uint32_t i = 0; i < c->r->processes.count && status == 0; i++)
		status = c->r->processes.at[i]
				 ? tf_writer_add_process(c->w, c->r->processes.at[i], NULL, error)
				 : lost(c, "process", i, error);
	for (uint32_t i = 0; i < c->r->threads.count && status == 0; i++) {
		const struct tf_thread *thread = c->r->threads.at[i];

		status = thread ? check_process(c, thread->process, error)
				: lost(c, "thread", i, error);
		if (status == 0)
			status = tf_writer_add_thread(c->w, thread, NULL, error);
	}
	return status;
}

int cut_dictionary_begin(struct cut *c, struct tf_error *error)
{
	const struct tf_reader *r = c->r;

	c->has_symbols = calloc(r->modules.count + 1, sizeof(*c->has_symbols));
	c->first_exits = calloc(r->paths.count + 1, sizeof(*c->first_exits));
	if (!c->has_symbols || !c->first_exits || !map_begin(&c->modules, r->modules.count) ||
	    !map_begin(&c->blocks, r->blocks.count) || !map_begin(&c->paths, r->paths.count) ||
	    !map_begin(&c->functions, r->functions.count) ||
	    !map_begin(&c->mappings, r->mappings.count) ||
	    !map_begin(&c->regions, r->regions.count))
		return fail_memory(error);
	return add_threads(c, error);
}

void cut_dictionary_end(struct cut *c)
{
	free(c->has_symbols);
	free(c->first_exits);
	free(c->modules.at);
	free(c->blocks.at);
	free(c->paths.at);
	free(c->functions.at);
	free(c->mappings.at);
	free(c->regions.at);
}

/*
 * Finds the index in the new trace of a record of the old one, which is added the first time.
 * Returns 0 or a status: DAMAGED if the record is lost. add_block does the same for a block.
 */
static int add_module(struct cut *c, uint32_t index, uint32_t *new_index, struct tf_error *error)
{
	const struct tf_module *module = tf_module(c->r, index);
	int status = 0;

	*new_index = TF_NONE;
	if (index == TF_NONE)
		return 0;
	if (!module)
		return lost(c, "module", index, error);
	if (c->modules.at[index] == TF_NONE)
		status = tf_writer_add_module(c->w, module, &c->modules.at[index], error);
	*new_index = c->modules.at[index];
	return status;
}

/* Adds a module's symbols; modules whose code is in the slice have theirs. */
static int add_symbols(struct cut *c, uint32_t index, uint32_t new_index, struct tf_error *error)
{
	const struct tf_symbol *symbols;
	size_t count;

	if (index == TF_NONE || c->has_symbols[index])
		return 0;
	c->has_symbols[index] = true;
	symbols = tf_symbols(c->r, index, &count);
	return symbols && count ? tf_writer_add_symbols(c->w, new_index, symbols, count, error) : 0;
}

/* Prepares a block for the writer, with its module's index in the new trace. */
static int prepare_block(struct cut *c, uint32_t id, struct tf_block *block, struct tf_error *error)
{
	const struct tf_block *old = tf_block(c->r, id);
	int status;

	if (!old)
		return lost(c, "block", id, error);
	*block = *old;
	status = add_module(c, old->module, &block->module, error);
	return status < 0 ? status : add_symbols(c, old->module, block->module, error);
}

int cut_place(struct cut *c, uint32_t id, struct tf_block *block, struct tf_error *error)
{
	struct tf_block prepared;
	int status = prepare_block(c, id, &prepared, error);

	if (status == 0)
		block->module = prepared.module;
	return status;
}

static int add_block(struct cut *c, uint32_t id, uint32_t *new_id, struct tf_error *error)
{
	struct tf_block block;
	int status = 0;

	if (id >= c->blocks.count)
		return lost(c, "block", id, error);
	if (c->blocks.at[id] == TF_NONE) {
		status = prepare_block(c, id, &block, error);
		if (status == 0)
			status = tf_writer_add_block(c->w, &block, &c->blocks.at[id], error);
	}
	*new_id = c->blocks.at[id];
	return status;
}

int cut_path(struct cut *c, const struct compiled_path *p, uint32_t *new_id, struct tf_error *error)
{
	uint32_t blocks[TF_MAX_PATH_BLOCKS], old = p->path.id;
	struct tf_path path = p->path;
	int status = 0;

	*new_id = c->paths.at[old];
	if (*new_id != TF_NONE)
		return 0;
	for (unsigned i = 0; i < path.n_blocks && status == 0; i++)
		status = add_block(c, path.blocks[i], &blocks[i], error);
	path.blocks = blocks;
	if (status == 0)
		status = tf_writer_add_path(c->w, &path, &c->paths.at[old], &c->first_exits[old],
					    error);
	*new_id = c->paths.at[old];
	return status;
}

/* ---- the end of a path ------------------------------------------------------------------- */

/* The rest of a block without its first instructions. */
struct tail {
	struct tf_block block;
	struct tf_insn insns[TF_MAX_BLOCK_INSNS];
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
	unsigned first_operand; /* of the old block, */
	unsigned first_extra;   /* and the first of its values behind the addresses */
};

/* Makes the rest of a block that prepare_block has prepared. */
static void make_tail(struct tail *t, const struct tf_block *block, unsigned skip)
{
	unsigned offset = block->insns[skip].offset, first = block->n_operands;

	for (unsigned k = block->n_operands; k && block->operands[k - 1].insn >= skip; k--)
		first = k - 1;
	t->first_operand = first;
	t->first_extra = block->n_values;
	t->block = *block;
	t->block.pc += offset;
	t->block.module_offset += offset;
	t->block.code += offset;
	t->block.kinds = block->kinds ? block->kinds + skip : NULL;
	t->block.code_size = (uint16_t)(block->code_size - offset);
	t->block.n_insns = (uint16_t)(block->n_insns - skip);
	t->block.n_operands = (uint16_t)(block->n_operands - first);
	t->block.n_values = 0; /* the writer numbers the extras */
	t->block.insns = t->insns;
	t->block.operands = t->operands;
	for (unsigned i = 0; i < t->block.n_insns; i++) {
		t->insns[i] = block->insns[skip + i];
		t->insns[i].offset = (uint16_t)(t->insns[i].offset - offset);
		t->insns[i].first_operand = (uint16_t)(t->insns[i].first_operand - first);
	}
	for (unsigned k = 0; k < t->block.n_operands; k++) {
		t->operands[k] = block->operands[first + k];
		if (operand_extras(&t->operands[k]) && t->operands[k].extra < t->first_extra)
			t->first_extra = t->operands[k].extra;
		t->operands[k].insn = (uint16_t)(t->operands[k].insn - skip);
		t->operands[k].extra = 0;
	}
}

/* Returns the recipe of a value, also if the path has no recipes. */
static struct tf_recipe recipe_of(const struct tf_path *path, unsigned value)
{
	return path->recipes ? path->recipes[value]
			     : (struct tf_recipe){ .base = TF_BASE_SLOT, .slot = (uint16_t)value };
}

/* A path under construction. */
struct path_tail {
	struct tf_path path;
	uint32_t blocks[TF_MAX_PATH_BLOCKS];
	struct tf_exit exit;
	struct tf_recipe recipes[TF_MAX_PATH_VALUES];
	struct tail tail;
};

static void add_recipes(struct path_tail *t, const struct tf_path *old, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		t->recipes[t->path.n_values++] = recipe_of(old, i);
}

/*
 * Adds the blocks of the old path from the one that holds instruction `skip` on, with their
 * recipes. Returns the number of blocks left out, or a status.
 */
static int add_blocks(struct cut *c, struct path_tail *t, const struct compiled_path *p,
		      uint32_t skip, struct tf_error *error)
{
	unsigned value = 0, first = 0;
	int status = 0;

	for (; skip >= p->blocks[first].n_insns; first++) {
		skip -= p->blocks[first].n_insns;
		value += p->blocks[first].n_values;
	}
	for (unsigned i = first; i < p->path.n_blocks && status == 0; i++) {
		const struct path_block *b = &p->blocks[i];
		uint32_t *id = &t->blocks[t->path.n_blocks++];

		if (i == first && skip) {
			struct tf_block block;

			status = prepare_block(c, p->path.blocks[i], &block, error);
			if (status < 0)
				return status;
			make_tail(&t->tail, &block, skip);
			status = tf_writer_add_block(c->w, &t->tail.block, id, error);
			add_recipes(t, &p->path, value + t->tail.first_operand,
				    value + block.n_operands);
			add_recipes(t, &p->path, value + t->tail.first_extra,
				    value + block.n_values);
		} else {
			status = add_block(c, p->path.blocks[i], id, error);
			add_recipes(t, &p->path, value, value + b->n_values);
		}
		value += b->n_values;
	}
	return status < 0 ? status : (int)first;
}

int cut_path_tail(struct cut *c, const struct compiled_path *p, uint32_t skip, unsigned taken,
		  uint32_t *new_id, uint32_t *exit, struct tf_error *error)
{
	struct path_tail *t = calloc(1, sizeof(*t));
	int first, status;

	if (!t)
		return fail_memory(error);
	t->path.blocks = t->blocks;
	t->path.exits = &t->exit;
	t->path.recipes = t->recipes;
	t->path.n_slots = p->path.n_slots;
	status = first = add_blocks(c, t, p, skip, error);
	if (status >= 0 && taken < p->path.n_exits) {
		t->exit = p->path.exits[taken];
		t->exit.n_blocks = (uint16_t)(t->exit.n_blocks - first);
		t->path.n_exits = 1;
	}
	if (status >= 0)
		status = tf_writer_add_path(c->w, &t->path, new_id, exit, error);
	free(t);
	return status;
}

/* ---- events ------------------------------------------------------------------------------ */

static int cut_mapping(struct cut *c, uint32_t *index, struct tf_error *error)
{
	const struct tf_mapping *old = tf_mapping(c->r, *index);
	struct tf_mapping mapping;
	int status;

	if (!old)
		return lost(c, "mapping", *index, error);
	if (c->mappings.at[*index] == TF_NONE) {
		mapping = *old;
		status = check_process(c, old->process, error);
		if (status == 0)
			status = add_module(c, old->module, &mapping.module, error);
		if (status == 0)
			status = tf_writer_add_mapping(c->w, &mapping, &c->mappings.at[*index],
						       error);
		if (status < 0)
			return status;
	}
	*index = c->mappings.at[*index];
	return 0;
}

static int cut_function(struct cut *c, uint32_t *index, struct tf_error *error)
{
	const struct tf_function *old = tf_function(c->r, *index);
	int status = 0;

	if (!old)
		return lost(c, "function", *index, error);
	if (c->functions.at[*index] == TF_NONE)
		status = tf_writer_add_function(c->w, old, &c->functions.at[*index], error);
	*index = c->functions.at[*index];
	return status;
}

static int cut_region(struct cut *c, uint32_t *index, struct tf_error *error)
{
	const struct tf_region *old = tf_region(c->r, *index);
	int status = 0;

	if (!old)
		return lost(c, "region", *index, error);
	if (c->regions.at[*index] == TF_NONE)
		status = tf_writer_add_region(c->w, old, &c->regions.at[*index], error);
	*index = c->regions.at[*index];
	return status;
}

int cut_event(struct cut *c, struct tf_event *event, struct tf_error *error)
{
	switch (event->kind) {
	case TF_EVENT_MAPPING: return cut_mapping(c, &event->mapping.index, error);
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END: return cut_region(c, &event->region.index, error);
	case TF_EVENT_CALL: return cut_function(c, &event->call.function, error);
	case TF_EVENT_RETURN: return cut_function(c, &event->ret.function, error);
	default: return 0;
	}
}
