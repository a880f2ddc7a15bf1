/* SPDX-License-Identifier: MIT */
/*
 * The pieces of paths that a filtered trace executes. If no accesses are chosen in executions, a
 * piece has the recipes of the old path, with a slot in place of rsp. Otherwise each value is a
 * slot, and an operand becomes a masked one, whose mask has the lanes that are kept.
 */
#include <stdlib.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/filter.h"

static bool is_dynamic(const struct filter *f)
{
	return f->options->keep_accesses != NULL;
}

/* Returns the accesses of an operand that may be kept. */
static unsigned kept_accesses(const struct filter *f, const struct tf_operand *operand)
{
	unsigned kept = operand->access & f->options->accesses;

	/* The write finds the bytes that the read has brought into the cache. */
	if (is_dynamic(f) && (operand->access & (TF_LOAD | TF_STORE)) == (TF_LOAD | TF_STORE))
		kept &= TF_LOAD;
	return kept;
}

/* ---- what is kept of a path -------------------------------------------------------------- */

/* Sums the slots and the variable operands that an instruction adds to a piece. */
static void count_insn(const struct filter *f, const struct tf_block *b, unsigned i,
		       unsigned *slots, unsigned *variable)
{
	const struct tf_insn *insn = &b->insns[i];

	for (unsigned k = 0; is_dynamic(f) && k < insn->n_operands; k++) {
		const struct tf_operand *o = &b->operands[insn->first_operand + k];

		*slots += 2 + operand_extras(o);
		*variable += is_variable(o);
	}
}

static bool add_insn(struct filter_path *p, uint32_t at, bool apart)
{
	struct kept_range *last = p->kept.count ? &p->kept.at[p->kept.count - 1] : NULL;

	if (last && last->end == at && !apart) {
		last->end++;
		return true;
	}
	if (!RESERVE(p->kept, p->kept.count + 1))
		return false;
	p->kept.at[p->kept.count++] = (struct kept_range){ at, at + 1 };
	return true;
}

struct filter_path *filter_path(struct filter *f, const struct compiled_path *path)
{
	struct filter_path *p = &f->paths[path->path.id];
	unsigned slots = 0, variable = 0;
	uint32_t at = 0;

	if (p->made)
		return p;
	for (unsigned k = 0; k < path->path.n_blocks; k++) {
		const struct tf_block *b = &path->blocks[k].block->block;

		p->n_operands += b->n_operands;
		for (unsigned i = 0; i < b->n_insns; i++, at++) {
			unsigned more = 0, variables = 0;
			bool apart;

			if (f->options->keep_insn &&
			    !f->options->keep_insn(f->options->opaque, b, i))
				continue;
			count_insn(f, b, i, &more, &variables);
			apart = slots + more > FILTER_MOST_SLOTS ||
				variable + variables > FILTER_MOST_VARIABLE;
			if (apart || !p->kept.count || p->kept.at[p->kept.count - 1].end != at)
				slots = variable = 0;
			slots += more;
			variable += variables;
			if (!add_insn(p, at, apart))
				return NULL;
		}
	}
	p->made = true;
	return p;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* A block under construction, and what its values are of the old block's. */
struct made_block {
	struct tf_block block;
	struct tf_insn insns[TF_MAX_BLOCK_INSNS];
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
	uint16_t old_operands[TF_MAX_BLOCK_OPERANDS]; /* by new operand */
};

static bool takes_mask(const struct filter *f, const struct tf_operand *o)
{
	return is_dynamic(f) && o->form == TF_PLAIN;
}

static void keep_operand(const struct filter *f, struct made_block *m, const struct tf_block *old,
			 unsigned k, unsigned insn)
{
	struct tf_operand *o = &m->operands[m->block.n_operands];

	*o = old->operands[k];
	o->insn = (uint16_t)insn;
	o->access = (uint8_t)kept_accesses(f, o);
	o->extra = 0;
	if (takes_mask(f, o)) {
		o->form = TF_MASKED;
		o->lanes = 1;
	}
	m->old_operands[m->block.n_operands++] = (uint16_t)k;
}

/*
 * Makes a block of the instructions first .. end - 1 of an old one. *variant has a bit for each
 * variable operand, which is moved out.
 */
static void make_block(const struct filter *f, struct made_block *m, const struct tf_block *old,
		       unsigned first, unsigned end, uint32_t *variant)
{
	unsigned offset = old->insns[first].offset, size = 0;

	m->block = *old;
	m->block.insns = m->insns;
	m->block.operands = m->operands;
	m->block.n_operands = m->block.n_values = 0;
	for (unsigned i = first; i < end; i++) {
		struct tf_insn *insn = &m->insns[i - first];

		*insn = old->insns[i];
		size += insn->length;
		insn->offset = (uint16_t)(insn->offset - offset);
		insn->first_operand = m->block.n_operands;
		for (unsigned k = 0; k < old->insns[i].n_operands; k++) {
			unsigned operand = old->insns[i].first_operand + k;
			bool kept = true;

			if (is_dynamic(f) && is_variable(&old->operands[operand])) {
				kept = *variant & 1;
				*variant >>= 1;
			}
			if (kept && kept_accesses(f, &old->operands[operand]))
				keep_operand(f, m, old, operand, i - first);
		}
		insn->n_operands = (uint8_t)(m->block.n_operands - insn->first_operand);
	}
	m->block.pc += offset;
	m->block.module_offset += offset;
	m->block.code += offset;
	m->block.kinds = old->kinds ? old->kinds + first : NULL;
	m->block.code_size = (uint16_t)size;
	m->block.n_insns = (uint16_t)(end - first);
	if (end < old->n_insns) {
		m->block.end = TF_END_NONE;
		m->block.target = 0;
	}
}

/* Returns the old values' numbers for the extras of an operand, in the block. */
static unsigned first_extra(const struct tf_block *old, unsigned operand)
{
	return old->operands[operand].extra;
}

static int add_block(struct filter *f, struct made_block *m, struct block_key key, uint32_t *id,
		     struct tf_error *error)
{
	struct new_block *known = TABLE_PUT(f->blocks, key);
	int status;

	if (!known)
		return fail_memory(error);
	if (known->id) {
		*id = known->id - 1;
		return 0;
	}
	status = cut_place(&f->cut, key.block, &m->block, error);
	if (status == 0)
		status = tf_writer_add_block(f->cut.w, &m->block, id, error);
	if (status == 0)
		known->id = *id + 1;
	return status;
}

/* ---- pieces ------------------------------------------------------------------------------ */

/* A path under construction. */
struct made_piece {
	struct tf_path path;
	uint32_t blocks[TF_MAX_PATH_BLOCKS];
	struct tf_exit exit;
	struct tf_recipe recipes[TF_MAX_PATH_VALUES];
	struct filter_slot sources[TF_MAX_PATH_SLOTS];
	uint16_t new_slot[TF_MAX_PATH_SLOTS]; /* by old slot: 1 + the new one */
	uint16_t rsp_slot;                    /* 1 + the slot of rsp */
	uint32_t n_slots;
	struct made_block block;
};

/* Returns a new slot, or TF_NONE if there are too many. */
static uint32_t add_slot(struct made_piece *m, struct filter_slot source)
{
	if (m->n_slots == TF_MAX_PATH_SLOTS)
		return TF_NONE;
	m->sources[m->n_slots] = source;
	return m->n_slots++;
}

/* Returns the new slot for an old one, which is added at its first use. */
static uint32_t move_slot(struct made_piece *m, uint16_t slot)
{
	if (!m->new_slot[slot])
		m->new_slot[slot] = (uint16_t)(1 + add_slot(m, (struct filter_slot){
								       .kind = FILTER_OLD_SLOT,
								       .number = slot }));
	return m->new_slot[slot] - 1u;
}

static struct tf_recipe recipe_of(const struct tf_path *path, unsigned value)
{
	return path->recipes ? path->recipes[value]
			     : (struct tf_recipe){ .base = TF_BASE_SLOT, .slot = (uint16_t)value };
}

/* Adds an old value, by its recipe. */
static bool add_recipe(struct made_piece *m, const struct tf_path *old, unsigned value)
{
	struct tf_recipe *r;

	if (m->path.n_values == TF_MAX_PATH_VALUES)
		return false;
	r = &m->recipes[m->path.n_values++];
	*r = recipe_of(old, value);
	if (r->scale || r->bit_string)
		r->index_slot = (uint16_t)move_slot(m, r->index_slot);
	if (r->base == TF_BASE_SLOT)
		r->slot = (uint16_t)move_slot(m, r->slot);
	if (r->base == TF_BASE_RSP) {
		if (!m->rsp_slot)
			m->rsp_slot = (uint16_t)(1 + add_slot(m, (struct filter_slot){
									 .kind = FILTER_RSP }));
		r->base = TF_BASE_SLOT;
		r->slot = (uint16_t)(m->rsp_slot - 1);
	}
	return m->n_slots < TF_MAX_PATH_SLOTS;
}

/* Adds an old value as a slot of its own; `operand` is its operand in the path. */
static bool add_value(const struct filter *f, struct made_piece *m, const struct tf_path *old,
		      unsigned value, unsigned operand)
{
	uint32_t slot;

	if (!is_dynamic(f))
		return add_recipe(m, old, value);
	slot = add_slot(m,
			(struct filter_slot){ FILTER_VALUE, (uint16_t)operand, (uint16_t)value });
	if (slot == TF_NONE || m->path.n_values == TF_MAX_PATH_VALUES)
		return false;
	m->recipes[m->path.n_values++] = (struct tf_recipe){ .base = TF_BASE_SLOT,
							     .slot = (uint16_t)slot };
	return true;
}

/* Adds the mask of an operand. old: the old value that is its mask, or FILTER_NO_MASK. */
static bool add_mask(struct made_piece *m, unsigned operand, uint16_t old)
{
	uint32_t slot = add_slot(m, (struct filter_slot){ FILTER_MASK, (uint16_t)operand, old });

	if (slot == TF_NONE || m->path.n_values == TF_MAX_PATH_VALUES)
		return false;
	m->recipes[m->path.n_values++] = (struct tf_recipe){ .base = TF_BASE_SLOT,
							     .slot = (uint16_t)slot };
	return true;
}

/* Adds the values of the new block: addresses, then extras. */
static bool add_values(const struct filter *f, struct made_piece *m, const struct tf_path *path,
		       const struct tf_block *old, unsigned first_value, unsigned first_operand)
{
	const struct made_block *b = &m->block;
	bool good = true;

	for (unsigned k = 0; k < b->block.n_operands && good; k++)
		good = add_value(f, m, path, first_value + b->old_operands[k],
				 first_operand + b->old_operands[k]);
	for (unsigned k = 0; k < b->block.n_operands && good; k++) {
		const struct tf_operand *o = &old->operands[b->old_operands[k]];
		unsigned operand = first_operand + b->old_operands[k], n = operand_extras(o);
		bool has_mask = is_dynamic(f) && !is_variable(o);

		/* the operands of one rep instruction share their extras */
		if (o->form == TF_REP && k && b->operands[k - 1].insn == b->operands[k].insn)
			continue;
		if (has_mask)
			good = add_mask(m, operand,
					n ? (uint16_t)(first_value +
						       first_extra(old, b->old_operands[k]))
					  : FILTER_NO_MASK);
		for (unsigned x = has_mask && n ? 1 : 0; x < n && good; x++)
			good = add_value(f, m, path,
					 first_value + first_extra(old, b->old_operands[k]) + x,
					 operand);
	}
	return good;
}

static int make_blocks(struct filter *f, struct made_piece *m, const struct compiled_path *p,
		       const struct piece_key *key, struct tf_error *error)
{
	uint32_t at = 0, value = 0, operand = 0, variant = key->variant;
	int status = 0;

	for (unsigned k = 0; k < p->path.n_blocks && at < key->end && status == 0; k++) {
		const struct tf_block *old = &p->blocks[k].block->block;
		uint32_t first = key->first > at ? key->first - at : 0, end = key->end - at;
		struct block_key block = { p->path.blocks[k], first, 0, variant };

		if (end > old->n_insns)
			end = old->n_insns;
		if (first < end) {
			uint32_t *id = &m->blocks[m->path.n_blocks++];

			make_block(f, &m->block, old, first, end, &variant);
			block.end = end;
			status = add_block(f, &m->block, block, id, error);
			if (status == 0 && !add_values(f, m, &p->path, old, value, operand))
				status = fail(error, TF_E_ARGUMENT,
					      "%s: path %u has too many values to be filtered",
					      f->cut.r->name, p->path.id);
		}
		at += old->n_insns;
		value += old->n_values;
		operand += old->n_operands;
	}
	return status;
}

static int keep_sources(struct filter *f, const struct made_piece *m, struct filter_piece *piece,
			struct tf_error *error)
{
	piece->n_slots = m->n_slots;
	piece->sources = pool_alloc(&f->pool, (m->n_slots + 1) * sizeof(*piece->sources));
	piece->last = pool_alloc(&f->pool, (m->n_slots + 1) * sizeof(*piece->last));
	if (!piece->sources || !piece->last)
		return fail_memory(error);
	memcpy(piece->sources, m->sources, m->n_slots * sizeof(*piece->sources));
	return 0;
}

static int make_piece(struct filter *f, const struct compiled_path *p, struct filter_piece *piece,
		      struct tf_error *error)
{
	struct made_piece *m = calloc(1, sizeof(*m));
	bool partial = piece->key.outcome == TF_PARTIAL;
	int status;

	if (!m)
		return fail_memory(error);
	m->path.blocks = m->blocks;
	m->path.recipes = m->recipes;
	m->path.exits = &m->exit;
	status = make_blocks(f, m, p, &piece->key, error);
	m->path.n_slots = (uint16_t)m->n_slots;
	m->path.n_exits = !partial;
	m->exit = (struct tf_exit){ .n_blocks = m->path.n_blocks,
				    .outcome = (uint8_t)(partial ? 0 : piece->key.outcome),
				    .n_slots = (uint16_t)m->n_slots };
	if (status == 0)
		status = keep_sources(f, m, piece, error);
	if (status == 0)
		status = tf_writer_add_path(f->cut.w, &m->path, &piece->path, &piece->exit, error);
	free(m);
	return status;
}

/* Returns a bit for each variable operand of the range: whether it is kept. */
static uint32_t variant_of(const struct compiled_path *p, struct kept_range range,
			   const uint64_t *keep)
{
	uint32_t variant = 0, at = 0, operand = 0;
	unsigned bit = 0;

	for (unsigned k = 0; k < p->path.n_blocks && at < range.end; k++) {
		const struct tf_block *b = &p->blocks[k].block->block;

		for (unsigned o = 0; o < b->n_operands; o++) {
			uint32_t insn = at + b->operands[o].insn;

			if (insn < range.first || insn >= range.end ||
			    !is_variable(&b->operands[o]))
				continue;
			variant |= (uint32_t)(keep[operand + o] != 0) << bit++;
		}
		at += b->n_insns;
		operand += b->n_operands;
	}
	return variant;
}

int filter_find_piece(struct filter *f, const struct compiled_path *p, struct kept_range range,
		      enum tf_outcome outcome, const uint64_t *keep, struct filter_piece **piece,
		      struct tf_error *error)
{
	struct piece_key key = { p->path.id, range.first, range.end,
				 keep ? variant_of(p, range, keep) : UINT32_MAX, outcome };
	int status = 0;

	*piece = TABLE_PUT(f->pieces, key);
	if (!*piece)
		return fail_memory(error);
	if (!(*piece)->sources)
		status = make_piece(f, p, *piece, error);
	return status;
}
