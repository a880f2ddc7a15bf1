/* SPDX-License-Identifier: MIT */
/*
 * The dictionary of a joined trace. Records are equal if all their fields are, after indices have
 * been replaced by those of the new trace. Modules of code that was made at run time are never
 * equal, because two processes may have different code there.
 */
#include <stdlib.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/join.h"
#include "traceformat/writer/writer.h"

static void put_text(struct buffer *b, const char *text)
{
	put_string(b, text ? text : "");
}

/* Begins the bytes of a record. */
static struct buffer *begin(struct join *j)
{
	j->record.size = 0;
	return &j->record;
}

/* ---- names ------------------------------------------------------------------------------- */

static int add_module(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	const struct tf_module *m = p->r->modules.at[i];
	struct buffer *b = begin(j);
	struct record_bytes *known;
	bool is_new;
	int status = 0;

	if (!m)
		return 0;
	put_varint(b, m->kind);
	put_text(b, m->path);
	put_varint(b, m->build_id_size);
	put_bytes(b, m->build_id, m->build_id_size);
	put_varint(b, m->file_size);
	if (m->kind == TF_MODULE_JIT) {
		put_varint(b, p->argument);
		put_varint(b, i);
	}
	known = record_set_put(&j->modules, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_module(j->w, m, &known->value, error);
	p->modules[i] = known->value;
	return status;
}

/* Adds those symbols of a module that are new. */
static int add_symbols(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	size_t count, n = 0;
	const struct tf_symbol *symbols = tf_symbols(p->r, i, &count);
	struct tf_symbol *added;
	int status = 0;

	if (!symbols || !count || p->modules[i] == TF_NONE)
		return 0;
	added = calloc(count, sizeof(*added));
	if (!added)
		return fail_memory(error);
	for (size_t k = 0; k < count && status == 0; k++) {
		struct buffer *b = begin(j);
		bool is_new;

		put_varint(b, p->modules[i]);
		put_varint(b, symbols[k].value);
		put_varint(b, symbols[k].size);
		put_u8(b, symbols[k].kind);
		put_text(b, symbols[k].name);
		if (!record_set_put(&j->symbols, b, &is_new))
			status = fail_memory(error);
		if (is_new)
			added[n++] = symbols[k];
	}
	if (status == 0 && n)
		status = tf_writer_add_symbols(j->w, p->modules[i], added, n, error);
	free(added);
	return status;
}

static int add_function(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	const struct tf_function *f = p->r->functions.at[i];
	struct buffer *b = begin(j);
	struct record_bytes *known;
	bool is_new;
	int status = 0;

	if (!f)
		return 0;
	put_varint(b, f->n_args);
	put_text(b, f->name);
	known = record_set_put(&j->functions, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_function(j->w, f, &known->value, error);
	p->functions[i] = known->value;
	return status;
}

static int add_region(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	const struct tf_region *region = p->r->regions.at[i];
	struct buffer *b = begin(j);
	struct record_bytes *known;
	bool is_new;
	int status = 0;

	if (!region)
		return 0;
	put_text(b, region->name);
	known = record_set_put(&j->regions, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_region(j->w, region, &known->value, error);
	p->regions[i] = known->value;
	return status;
}

static int add_mapping(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	const struct tf_mapping *old = p->r->mappings.at[i];
	struct buffer *b = begin(j);
	struct record_bytes *known;
	struct tf_mapping m;
	bool is_new;
	int status = 0;

	if (!old)
		return 0;
	m = *old;
	if (m.process >= p->r->processes.count)
		return join_lost(p, "process", m.process, error);
	m.process = p->processes[m.process];
	if (m.module != TF_NONE)
		m.module = p->modules[m.module];
	put_varint(b, m.change);
	put_varint(b, m.process);
	put_index(b, m.module);
	put_varint(b, m.start);
	put_varint(b, m.size);
	put_varint(b, m.file_offset);
	put_varint(b, m.protection);
	put_text(b, m.name);
	known = record_set_put(&j->mappings, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_mapping(j->w, &m, &known->value, error);
	p->mappings[i] = known->value;
	return status;
}

static int add_sampler(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	const struct tf_sampler *s = p->r->samplers.at[i];
	struct buffer *b = begin(j);
	struct record_bytes *known;
	bool is_new;
	int status = 0;

	if (!s)
		return 0;
	put_varint(b, s->origin);
	put_varint(b, s->caps);
	put_text(b, s->event);
	put_text(b, s->pmu);
	put_varint(b, s->attr_size);
	put_bytes(b, s->attr, s->attr_size);
	known = record_set_put(&j->samplers, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_sampler(j->w, s, &known->value, error);
	p->samplers[i] = known->value;
	return status;
}

/* ---- code -------------------------------------------------------------------------------- */

static void put_operand(struct buffer *b, const struct tf_operand *o)
{
	const uint8_t fields[] = { o->access, o->form,       o->flags, o->segment,
				   o->lanes,  o->index_size, o->scale };

	put_bytes(b, fields, sizeof(fields));
	put_varint(b, o->size);
}

static void put_block(struct buffer *b, const struct tf_block *block)
{
	put_varint(b, block->pc);
	put_index(b, block->module);
	put_varint(b, block->module_offset);
	put_varint(b, block->target);
	put_u8(b, block->end);
	put_varint(b, block->n_insns);
	for (unsigned i = 0; i < block->n_insns; i++) {
		put_u8(b, block->insns[i].length);
		put_u8(b, block->insns[i].flags);
		put_varint(b, block->insns[i].n_operands);
	}
	for (unsigned i = 0; i < block->n_operands; i++)
		put_operand(b, &block->operands[i]);
	for (unsigned i = 0; block->kinds && i < block->n_insns; i++)
		put_insn_kind(b, block->kinds[i]);
	if (!block->kinds)
		put_bytes(b, block->code, block->code_size);
}

static int add_block(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	struct buffer *b = begin(j);
	struct record_bytes *known;
	struct tf_block block;
	bool is_new;
	int status = 0;

	if (!p->r->blocks.at[i])
		return 0;
	block = p->r->blocks.at[i]->block;
	if (block.module != TF_NONE) {
		block.module = p->modules[block.module];
		if (block.module == TF_NONE)
			return join_lost(p, "module of block", i, error);
	}
	put_block(b, &block);
	known = record_set_put(&j->blocks, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_block(j->w, &block, &known->value, error);
	p->blocks[i] = known->value;
	return status;
}

static void put_recipe(struct buffer *b, const struct tf_recipe *r)
{
	const uint8_t fields[] = { r->base, r->scale, r->bit_string, r->address32, r->segment };

	put_bytes(b, fields, sizeof(fields));
	put_varint(b, r->slot);
	put_varint(b, r->index_slot);
	put_svarint(b, r->displacement);
}

static void put_exit(struct buffer *b, const struct tf_exit *e)
{
	put_varint(b, e->n_blocks);
	put_u8(b, e->outcome);
	put_u8(b, e->rsp_rule);
	put_varint(b, e->n_slots);
	put_varint(b, e->rsp_slot);
	put_svarint(b, e->rsp_value);
}

static void put_path(struct buffer *b, const struct tf_path *path)
{
	put_varint(b, path->n_blocks);
	for (unsigned i = 0; i < path->n_blocks; i++)
		put_varint(b, path->blocks[i]);
	put_varint(b, path->n_slots);
	put_varint(b, path->recipes ? 1 + path->n_values : 0);
	for (unsigned i = 0; path->recipes && i < path->n_values; i++)
		put_recipe(b, &path->recipes[i]);
	put_varint(b, path->n_exits);
	for (unsigned i = 0; i < path->n_exits; i++)
		put_exit(b, &path->exits[i]);
}

static int add_path(struct join *j, struct join_part *p, uint32_t i, struct tf_error *error)
{
	uint32_t blocks[TF_MAX_PATH_BLOCKS];
	struct buffer *b = begin(j);
	struct record_bytes *known;
	struct tf_path path;
	bool is_new;
	int status = 0;

	if (!p->r->paths.at[i])
		return 0;
	path = p->r->paths.at[i]->path;
	for (unsigned k = 0; k < path.n_blocks; k++)
		blocks[k] = p->blocks[path.blocks[k]];
	path.blocks = blocks;
	put_path(b, &path);
	known = record_set_put(&j->paths, b, &is_new);
	if (!known)
		return fail_memory(error);
	if (is_new)
		status = tf_writer_add_path(j->w, &path, &known->value, NULL, error);
	p->paths[i] = known->value;
	return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int add_records(struct join *j, struct join_part *p, size_t count, uint32_t **indices,
		       int (*add)(struct join *, struct join_part *, uint32_t, struct tf_error *),
		       struct tf_error *error)
{
	int status = 0;

	*indices = join_indices(count);
	if (!*indices)
		return fail_memory(error);
	for (uint32_t i = 0; i < count && status == 0; i++)
		status = add(j, p, i, error);
	return status;
}

int join_dictionary(struct join *j, struct join_part *p, struct tf_error *error)
{
	const struct tf_reader *r = p->r;
	int status = add_records(j, p, r->modules.count, &p->modules, add_module, error);

	for (uint32_t i = 0; i < r->modules.count && status == 0; i++)
		status = add_symbols(j, p, i, error);
	if (status == 0)
		status = add_records(j, p, r->functions.count, &p->functions, add_function, error);
	if (status == 0)
		status = add_records(j, p, r->regions.count, &p->regions, add_region, error);
	if (status == 0)
		status = add_records(j, p, r->mappings.count, &p->mappings, add_mapping, error);
	if (status == 0)
		status = add_records(j, p, r->samplers.count, &p->samplers, add_sampler, error);
	if (status == 0)
		status = add_records(j, p, r->blocks.count, &p->blocks, add_block, error);
	return status < 0 ? status : add_records(j, p, r->paths.count, &p->paths, add_path, error);
}

/* ---- events ------------------------------------------------------------------------------ */

static int replace(const struct join_part *p, const uint32_t *indices, size_t count,
		   const char *what, uint32_t *index, struct tf_error *error)
{
	if (*index >= count || indices[*index] == TF_NONE)
		return join_lost(p, what, *index, error);
	*index = indices[*index];
	return 0;
}

int join_event(const struct join_part *p, struct tf_event *e, struct tf_error *error)
{
	const struct tf_reader *r = p->r;

	switch (e->kind) {
	case TF_EVENT_THREAD_START:
		return replace(p, p->threads, r->threads.count, "thread", &e->thread_start.thread,
			       error);
	case TF_EVENT_PROCESS_START:
		return replace(p, p->processes, r->processes.count, "process",
			       &e->process_start.process, error);
	case TF_EVENT_MAPPING:
		return replace(p, p->mappings, r->mappings.count, "mapping", &e->mapping.index,
			       error);
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		return replace(p, p->regions, r->regions.count, "region", &e->region.index, error);
	case TF_EVENT_CALL:
		return replace(p, p->functions, r->functions.count, "function", &e->call.function,
			       error);
	case TF_EVENT_RETURN:
		return replace(p, p->functions, r->functions.count, "function", &e->ret.function,
			       error);
	default: return 0;
	}
}
