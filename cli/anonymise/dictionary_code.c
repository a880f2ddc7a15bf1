/* SPDX-License-Identifier: MIT */
/* Blocks and paths of the new dictionary. */
#include <stdio.h>

#include "cli/anonymise/code.h"
#include "cli/anonymise/dictionary.h"
#include "cli/anonymise/kinds.h"
#include "cli/common/checked.h"

/* Returns whether a block ends with a branch whose target is known; it may be 0. */
static bool has_target(const struct tf_block *block)
{
	return block->end == TF_END_CONDITIONAL || block->end == TF_END_JUMP ||
	       block->end == TF_END_CALL;
}

/*
 * Returns the new target of a block's branch. Where no code is, the branch keeps its distance, as
 * the code bytes state it.
 */
static uint64_t new_target(const struct dictionary *d, const struct tf_block *old, uint64_t pc)
{
	const struct piece *piece = map_piece(d->map, old->target >> PAGE_BITS);

	return piece ? old->target + piece->delta : pc + (old->target - old->pc);
}

static bool has_made_code(const struct dictionary *d, uint32_t module)
{
	const struct tf_module *m = module == TF_NONE ? NULL : tf_module(d->reader, module);

	return !m || m->kind == TF_MODULE_JIT;
}

struct new_block {
	struct tf_block block;
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
	uint8_t code[TF_MAX_BLOCK_INSNS * TF_MAX_INSN_BYTES];
	struct made_kind made[TF_MAX_BLOCK_INSNS];
	const struct tf_insn_kind *kinds[TF_MAX_BLOCK_INSNS];
};

static void make_operands(const struct dictionary *d, const struct tf_block *old,
			  struct new_block *new)
{
	for (unsigned k = 0; k < old->n_operands; k++) {
		struct tf_operand *operand = &new->operands[k];

		*operand = old->operands[k];
		operand->extra = 0; /* the writer numbers the extras */
		if (!lanes_are_wide(d, &old->operands[k]))
			continue;
		operand->index_size = sizeof(uint64_t);
		operand->scale = 1;
		operand->flags &= (uint8_t)~TF_ADDRESS32;
	}
	new->block.operands = new->operands;
}

/* Returns the kind of an instruction with code. */
static const struct tf_insn_kind *kind_of_code(struct dictionary *d, const struct tf_block *old,
					       unsigned i)
{
	struct insn_kind *kind = checked(TABLE_PUT(d->kinds, insn_bytes(old, &old->insns[i])));

	if (!kind->made) {
		struct made_kind *made = checked(pool_alloc(&d->pool, sizeof(*made)));

		kind->decodes = kind_make(old, i, (enum code_level)d->levels->at[SWITCH_CODE],
					  d->vendor, made);
		kind->made = made;
	}
	d->undecodable += !kind->decodes;
	return &kind->made->kind;
}

/* Returns the kind of an instruction that has one instead of its code. */
static const struct tf_insn_kind *kind_of_kind(struct dictionary *d, const struct tf_block *old,
					       unsigned i, struct made_kind *made)
{
	d->undecodable += !kind_make(old, i, (enum code_level)d->levels->at[SWITCH_CODE], d->vendor,
				     made);
	return &made->kind;
}

static void withhold_code(struct dictionary *d, const struct tf_block *old, struct new_block *new)
{
	for (unsigned i = 0; i < old->n_insns; i++)
		new->kinds[i] = old->kinds && old->kinds[i] ? kind_of_kind(d, old, i, &new->made[i])
							    : kind_of_code(d, old, i);
	new->block.kinds = new->kinds;
}

static int add_block(struct dictionary *d, const struct tf_block *old, struct new_block *new,
		     struct tf_error *error)
{
	new->block = *old;
	new->block.pc = map_address(d->lookup, old->pc);
	new->block.module = old->module == TF_NONE ? TF_NONE : d->new_modules[old->module];
	if (has_made_code(d, old->module))
		new->block.module_offset = new->block.pc;
	if (has_target(old))
		new->block.target = new_target(d, old, new->block.pc);
	new->block.n_values = 0;
	make_operands(d, old, new);
	if (d->levels->at[SWITCH_CODE] >= CODE_FACTS) {
		withhold_code(d, old, new);
	} else if (d->levels->at[SWITCH_CODE] == CODE_NO_CONSTANTS) {
		int status = code_strip(d, old, new->code, error);

		if (status < 0)
			return status;
		new->block.code = new->code;
	}
	d->n_new_blocks++;
	return d->writer
		       ? tf_writer_add_block(d->writer, &new->block, &d->new_blocks[old->id], error)
		       : 0;
}

int dictionary_add_blocks(struct dictionary *d, struct tf_error *error)
{
	struct new_block *new = checked_array(1, sizeof(*new));
	int status = 0;

	for (uint32_t i = 0; i < tf_n_blocks(d->reader) && status == 0; i++)
		if (d->layouts[i].block)
			status = add_block(d, d->layouts[i].block, new, error);
	free(new);
	return status;
}

/* ---- paths ------------------------------------------------------------------------------- */

struct path_maker {
	uint32_t blocks[TF_MAX_PATH_BLOCKS];
	struct tf_exit exits[TF_MAX_PATH_EXITS + 1];
	uint32_t olds[TF_MAX_PATH_EXITS + 1]; /* by exit: the old one; TF_NONE: through */
	struct tf_recipe recipes[TF_MAX_PATH_VALUES];
	struct tf_path path;
};

static void add_exit(const struct dictionary *d, struct path_maker *m, const struct new_path *new,
		     uint32_t n_blocks, unsigned outcome, uint32_t old)
{
	uint32_t within = n_blocks - new->first_block;

	m->exits[m->path.n_exits] = (struct tf_exit){
		.n_blocks = (uint16_t)within,
		.outcome = (uint8_t)outcome,
		.n_slots = (uint16_t)slots_of_blocks(d, new, within),
	};
	m->olds[m->path.n_exits++] = old;
}

/* Adds the exits at these blocks; if others follow, also one to them. */
static void add_exits(struct dictionary *d, struct path_maker *m, const struct tf_path *old,
		      const struct new_path *new, bool others_follow)
{
	uint32_t end = new->first_block + new->n_blocks;
	struct tf_exit_info info;

	for (uint32_t k = 0; k < old->n_exits; k++) {
		uint32_t exit = old->first_exit + k;

		if (tf_exit(d->reader, exit, &info) && info.n_blocks > new->first_block &&
		    info.n_blocks <= end)
			add_exit(d, m, new, info.n_blocks, info.outcome, exit);
	}
	if (others_follow && tf_exit(d->reader, old->first_exit + old->n_exits, &info))
		add_exit(d, m, new, end, tf_block_outcome(&info, end - 1, 1), TF_NONE);
}

static void put_unknown(struct path_maker *m)
{
	m->recipes[m->path.n_values++] = (struct tf_recipe){ .base = TF_BASE_UNKNOWN };
}

/* Adds recipes for a block without addresses. Only its extras are slots, from `slot` on. */
static void add_recipes(struct path_maker *m, const struct block_layout *l, uint32_t slot)
{
	for (unsigned k = 0; k < l->block->n_operands; k++)
		put_unknown(m);
	for (unsigned k = 0; k < l->block->n_operands; k++) {
		const struct tf_operand *operand = &l->block->operands[k];
		unsigned n = l->operands[k].shares ? 0 : extras_of(operand);

		for (unsigned i = 0; i < n; i++) {
			if (i && operand->form == TF_LANES)
				put_unknown(m);
			else
				m->recipes[m->path.n_values++] = (struct tf_recipe){
					.base = TF_BASE_SLOT,
					.slot = (uint16_t)(slot + l->operands[k].to_extra + i),
				};
		}
	}
}

static void add_path_blocks(const struct dictionary *d, struct path_maker *m,
			    const struct new_path *new)
{
	uint32_t slot = 0;

	for (uint32_t b = 0; b < new->n_blocks; b++) {
		const struct block_layout *l = &d->layouts[new->old->blocks[new->first_block + b]];

		m->blocks[b] = d->new_blocks[l->block->id];
		if (d->no_addresses)
			add_recipes(m, l, slot);
		slot += l->n_slots;
	}
}

static void note_exits(struct dictionary *d, const struct path_maker *m, uint32_t number,
		       uint32_t first_exit)
{
	struct new_path *new = &d->new_paths.at[number];

	for (uint32_t k = 0; k < m->path.n_exits; k++) {
		if (m->olds[k] == TF_NONE)
			new->through = first_exit + k;
		else
			d->exits[m->olds[k]] = (struct new_exit){
				.exit = first_exit + k,
				.n_slots = m->exits[k].n_slots,
				.path = number,
			};
	}
	d->n_new_exits = first_exit + m->path.n_exits + 1;
}

static int add_path(struct dictionary *d, struct path_maker *m, uint32_t number, bool others_follow,
		    struct tf_error *error)
{
	struct new_path *new = &d->new_paths.at[number];
	uint32_t first_exit;
	int status;

	m->path = (struct tf_path){
		.n_blocks = new->n_blocks,
		.n_slots = (uint16_t) new->n_slots,
		.n_insns = new->n_insns,
		.blocks = m->blocks,
		.exits = m->exits,
		.recipes = d->no_addresses ? m->recipes : NULL,
	};
	add_path_blocks(d, m, new);
	add_exits(d, m, new->old, new, others_follow);
	m->path.n_values = (uint16_t) new->n_values;
	status = tf_writer_add_path(d->writer, &m->path, &new->id, &first_exit, error);
	if (status == 0)
		note_exits(d, m, number, first_exit);
	return status;
}

int dictionary_add_paths(struct dictionary *d, struct tf_error *error)
{
	struct path_maker *m = checked_array(1, sizeof(*m));
	int status = 0;

	for (uint32_t i = 0; i < d->paths->n_paths && status == 0; i++) {
		uint32_t first = d->first_path[i], n = d->n_new_of[i];

		for (uint32_t k = 0; k < n && status == 0; k++)
			status = add_path(d, m, first + k, k + 1 < n, error);
	}
	free(m);
	return status;
}
