/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/dictionary.h"

#include <stdio.h>

#include "cli/common/checked.h"

static uint32_t *no_indices(uint32_t n)
{
	uint32_t *indices = checked_array(n, sizeof(*indices));

	memset(indices, 0xff, n * sizeof(*indices));
	return indices;
}

/*
 * Returns whether a path was executed. It then stays whole, as its blocks and exits show where
 * control could have gone, and analyzers of loops look there.
 */
static bool is_executed(const struct dictionary *d, const struct tf_path *path)
{
	for (uint32_t k = 0; k <= path->n_exits; k++)
		if (d->use->exits[path->first_exit + k])
			return true;
	return false;
}

/* ---- slots ------------------------------------------------------------------------------- */

bool lanes_are_wide(const struct dictionary *d, const struct tf_operand *operand)
{
	const struct lanes_use *lanes;

	if (operand->form != TF_LANES || d->no_addresses || d->map->identity)
		return false;
	lanes = TABLE_FIND(d->use->lanes, (uint64_t)(uintptr_t)operand);
	return (operand->flags & TF_ADDRESS32) ||
	       (lanes && (d->map->by_pages ? lanes->crosses : lanes->spread > d->glue));
}

static uint32_t new_extras(const struct operand_layout *layout, const struct tf_operand *operand)
{
	return layout->wide ? 1u + operand->lanes : extras_of(operand);
}

static bool shares_extras(const struct tf_block *block, unsigned k)
{
	const struct tf_operand *operand = &block->operands[k];

	return k && operand->form == TF_REP && operand[-1].form == TF_REP &&
	       operand[-1].insn == operand->insn;
}

/* Gives the values of a block slots: the addresses, then the extras. */
static void lay_out_block(struct dictionary *d, const struct tf_block *block)
{
	struct block_layout *l = &d->layouts[block->id];
	uint32_t slot = 0;

	l->block = block;
	l->n_values = block->n_operands;
	l->operands = checked(
		pool_alloc(&d->pool, (block->n_operands + 1u) * sizeof(*l->operands)));
	for (unsigned k = 0; k < block->n_operands; k++) {
		l->operands[k].wide = lanes_are_wide(d, &block->operands[k]);
		l->operands[k].uniform = d->no_extras;
		l->operands[k].to = d->no_addresses ? NO_SLOT : (uint16_t)slot++;
	}
	for (unsigned k = 0; k < block->n_operands; k++) {
		const struct tf_operand *operand = &block->operands[k];
		struct operand_layout *o = &l->operands[k];
		uint32_t n = new_extras(o, operand);

		o->shares = shares_extras(block, k);
		o->to_extra = o->shares ? l->operands[k - 1].to_extra : (uint16_t)slot;
		if (o->shares)
			continue;
		l->n_values += n;
		/* Without addresses, only the mask of lanes is recorded. */
		slot += d->no_addresses && operand->form == TF_LANES ? 1 : n;
	}
	l->n_slots = slot;
}

uint32_t slots_of_blocks(const struct dictionary *d, const struct new_path *path, uint32_t n_blocks)
{
	uint32_t slots = 0;

	for (uint32_t b = 0; b < n_blocks; b++)
		slots += d->layouts[path->old->blocks[path->first_block + b]].n_slots;
	return slots;
}

/* ---- paths ------------------------------------------------------------------------------- */

static struct new_path *begin_path(struct dictionary *d, struct new_path begin)
{
	CHECKED_RESERVE(d->new_paths, d->new_paths.count + 1);
	begin.id = begin.through = TF_NONE;
	d->new_paths.at[d->new_paths.count] = begin;
	return &d->new_paths.at[d->new_paths.count++];
}

static int too_many_values(const struct tf_block *block, struct tf_error *error)
{
	snprintf(error->text, sizeof(error->text),
		 "block %u has more values than a path of the new trace can hold", block->id);
	return error->status = TF_E_ARGUMENT;
}

/* Adds the new paths of an old one. */
static int add_paths(struct dictionary *d, const struct tf_path *old, struct tf_error *error)
{
	struct new_path *p = begin_path(d, (struct new_path){ .old = old });
	uint32_t insn = 0, value = 0;

	for (uint32_t b = 0; b < old->n_blocks; b++) {
		const struct tf_block *block = d->paths->blocks[old->blocks[b]];
		const struct block_layout *l = &d->layouts[block->id];

		if (!l->block)
			lay_out_block(d, block);
		if (l->n_slots > TF_MAX_PATH_SLOTS)
			return too_many_values(block, error);
		if (p->n_slots + l->n_slots > TF_MAX_PATH_SLOTS)
			p = begin_path(d, (struct new_path){ .old = old,
							     .first_block = (uint16_t)b,
							     .first_insn = insn,
							     .first_value = value });
		p->n_slots += l->n_slots;
		p->n_values += l->n_values;
		p->n_insns += block->n_insns;
		p->n_blocks++;
		insn += block->n_insns;
		value += block->n_values;
	}
	return 0;
}

static int find_paths(struct dictionary *d, struct tf_error *error)
{
	int status = 0;

	for (uint32_t i = 0; i < d->paths->n_paths && status == 0; i++) {
		const struct tf_path *old = d->paths->paths[i];

		if (!old || !is_executed(d, old))
			continue;
		d->first_path[i] = (uint32_t)d->new_paths.count;
		status = add_paths(d, old, error);
		d->n_new_of[i] = (uint32_t)d->new_paths.count - d->first_path[i];
	}
	return status;
}

static void find_modules(struct dictionary *d)
{
	for (uint32_t i = 0; i < tf_n_blocks(d->reader); i++)
		if (d->layouts[i].block) {
			uint32_t module = d->layouts[i].block->module;

			if (module != TF_NONE)
				d->modules[module] = d->has_code[module] = true;
		}
	for (uint32_t i = 0; i < tf_n_mappings(d->reader); i++) {
		const struct tf_mapping *mapping = tf_mapping(d->reader, i);

		if (mapping && d->use->mappings[i] && mapping->module != TF_NONE)
			d->modules[mapping->module] = true;
	}
}

int dictionary_begin(struct dictionary *d, struct tf_error *error)
{
	const struct tf_reader *r = d->reader;
	uint32_t n_modules = tf_n_modules(r), n_blocks = tf_n_blocks(r);
	int status;

	d->first_path = no_indices(d->paths->n_paths);
	d->n_new_of = checked_array(d->paths->n_paths, sizeof(*d->n_new_of));
	d->exits = checked_array(d->paths->n_exits, sizeof(*d->exits));
	d->layouts = checked_array(n_blocks, sizeof(*d->layouts));
	d->modules = checked_array(n_modules, sizeof(*d->modules));
	d->has_code = checked_array(n_modules, sizeof(*d->has_code));
	d->new_blocks = no_indices(n_blocks);
	d->new_modules = no_indices(n_modules);
	d->new_functions = no_indices(tf_n_functions(r));
	d->new_regions = no_indices(tf_n_regions(r));
	d->new_mappings = checked_array(tf_n_mappings(r), sizeof(*d->new_mappings));
	d->module_names = checked_array(n_modules, sizeof(*d->module_names));
	status = find_paths(d, error);
	if (status == 0)
		find_modules(d);
	return status;
}

void dictionary_end(struct dictionary *d)
{
	free(d->first_path);
	free(d->n_new_of);
	free(d->exits);
	free(d->layouts);
	free(d->modules);
	free(d->has_code);
	free(d->new_blocks);
	free(d->new_modules);
	free(d->new_functions);
	free(d->new_regions);
	free(d->new_mappings);
	free(d->module_names);
	free(d->new_paths.at);
	TABLE_FREE(d->stripped);
	TABLE_FREE(d->kinds);
	pool_free(&d->pool);
}
