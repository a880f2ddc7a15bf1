/* SPDX-License-Identifier: MIT */
#include "recorder/program/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/program/modules.h"
#include "traceformat/common/hash_table.h"

/* The blocks at a pc, linked by `next`. */
struct blocks_at {
	uint64_t key; /* the pc */
	struct code_block *first;
};

struct dictionary {
	bool no_addresses, has_rsp, only_counted;
	uint32_t count; /* blocks */
	HASH_TABLE(struct blocks_at) blocks;
	struct facts *facts;
};

static struct code_block *first_at(const struct dictionary *d, uint64_t pc)
{
	const struct blocks_at *found = TABLE_FIND(d->blocks, pc);

	return found ? found->first : NULL;
}

struct dictionary *dictionary_new(bool no_addresses, bool has_rsp, bool only_counted)
{
	struct dictionary *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->no_addresses = no_addresses;
	d->has_rsp = has_rsp && !no_addresses && !only_counted;
	d->only_counted = only_counted;
	d->facts = facts_new();
	if (d->facts)
		return d;
	dictionary_free(d);
	return NULL;
}

void dictionary_free(struct dictionary *d)
{
	if (!d)
		return;
	TABLE_FREE(d->blocks);
	facts_free(d->facts);
	free(d);
}

struct facts *dictionary_facts(const struct dictionary *d)
{
	return d->facts;
}

static bool matches(const struct code_block *b, const struct code_source *source)
{
	return b->trace.code_size <= source->available &&
	       b->trace.module == (source->module ? source->module->index : TF_NONE) &&
	       b->trace.module_offset == (source->module ? source->module_offset : 0) &&
	       memcmp(b->trace.code, source->code, b->trace.code_size) == 0;
}

struct code_block *dictionary_find(const struct dictionary *d, const struct code_source *source)
{
	for (struct code_block *b = first_at(d, source->pc); b; b = b->next)
		if (!b->undecoded && matches(b, source))
			return b;
	return NULL;
}

struct code_block *dictionary_find_undecoded(const struct dictionary *d,
					     const struct code_source *source, unsigned length)
{
	for (struct code_block *b = first_at(d, source->pc); b; b = b->next)
		if (b->undecoded && b->trace.code_size == length && matches(b, source))
			return b;
	return NULL;
}

bool dictionary_insert(struct dictionary *d, struct code_block *b)
{
	struct blocks_at *to = TABLE_PUT(d->blocks, b->trace.pc);

	if (!to)
		return false;
	b->next = to->first;
	to->first = b;
	d->count++;
	return true;
}

int dictionary_publish(struct code_block *b, struct output *output)
{
	struct tf_excluded excluded = { .reason = b->excluded };

	if (b->trace.id != TF_NONE)
		return 0;
	if (output_add_block(output, &b->trace, &b->trace.id) < 0)
		return -1;
	excluded.block = b->trace.id;
	return b->excluded ? output_exclude(output, &excluded, b->rule) : 0;
}

/* Finds the constant that the block adds to rsp. Returns false if it is not constant. */
static bool rsp_delta(const struct code_block *code, int64_t *delta)
{
	*delta = 0;
	for (unsigned i = 0; i < code->trace.n_insns; i++) {
		const struct isa_effects *e = code->effects[i];

		if (!e)
			return false;
		if (e->to == ISA_RSP && e->from == ISA_RSP)
			*delta += e->displacement;
		else if (e->writes >> ISA_RSP & 1)
			return false;
	}
	return true;
}

static void choose_rsp_rule(const struct dictionary *d, const struct code_block *b,
			    struct tf_exit *e)
{
	e->rsp_rule = TF_RSP_UNTRACKED;
	if (d->has_rsp) {
		e->rsp_rule = TF_RSP_SLOT;
		e->rsp_slot = b->trace.n_values;
	} else if (!d->no_addresses && rsp_delta(b, &e->rsp_value)) {
		e->rsp_rule = TF_RSP_DELTA;
	}
}

static unsigned exits_of(const struct dictionary *d, const struct code_block *b,
			 struct tf_exit exits[2], unsigned n_slots)
{
	unsigned end = b->trace.end;
	bool both = end == TF_END_CONDITIONAL || end == TF_END_OPAQUE;
	bool taken = end == TF_END_JUMP || end == TF_END_INDIRECT_JUMP || end == TF_END_CALL ||
		     end == TF_END_INDIRECT_CALL || end == TF_END_RETURN;

	exits[0] = (struct tf_exit){ .n_blocks = 1, .n_slots = (uint16_t)n_slots };
	choose_rsp_rule(d, b, &exits[0]);
	exits[1] = exits[0];
	exits[0].outcome = taken ? TF_TAKEN : TF_NOT_TAKEN;
	exits[1].outcome = TF_TAKEN;
	return both ? 2 : 1;
}

/* Returns how many of an operand's extras, from the first on, determine the number of accesses. */
static unsigned counting_extras(const struct tf_operand *o)
{
	switch ((enum tf_form)o->form) {
	case TF_MASKED:
	case TF_LANES:
	case TF_SIZED: return 1;
	case TF_REP: return 3;
	case TF_PLAIN: break;
	}
	return 0;
}

/*
 * Lists the values that have a slot even with no_addresses, in ascending order, and returns their
 * number.
 */
static unsigned kept_values(const struct tf_block *b, uint16_t *kept)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->n_operands; i++) {
		const struct tf_operand *o = &b->operands[i];

		if (o->form == TF_REP && i && b->operands[i - 1].insn == o->insn)
			continue;
		for (unsigned k = 0; k < counting_extras(o); k++)
			kept[n++] = (uint16_t)(o->extra + k);
	}
	return n;
}

/* Sets the recipe of each value, and *n_slots to the number of the path's slots. */
static void choose_slots(const struct dictionary *d, const struct code_block *b,
			 struct tf_recipe *recipes, uint16_t *n_slots)
{
	uint16_t slots[CODE_BLOCK_VALUES];
	unsigned n = b->trace.n_values;

	for (unsigned i = 0; i < b->trace.n_values; i++)
		slots[i] = (uint16_t)i;
	if (d->no_addresses)
		n = kept_values(&b->trace, slots);
	for (unsigned i = 0; i < b->trace.n_values; i++)
		recipes[i].base = TF_BASE_UNKNOWN;
	for (unsigned i = 0; i < n; i++)
		recipes[slots[i]] = (struct tf_recipe){ .base = TF_BASE_SLOT, .slot = (uint16_t)i };
	*n_slots = (uint16_t)(n + d->has_rsp);
}

int dictionary_publish_path(const struct dictionary *d, struct code_block *b, struct output *output)
{
	struct tf_recipe *recipes = NULL;
	struct tf_exit exits[2];
	struct tf_path path = {
		.n_blocks = 1,
		.n_slots = b->trace.n_values,
		.n_values = b->trace.n_values,
		.n_insns = b->trace.n_insns,
		.blocks = &b->trace.id,
		.exits = exits,
	};
	int status;

	if (b->path != TF_NONE)
		return 0;
	output_lock(output);
	status = dictionary_publish(b, output);
	output_unlock(output);
	if (status < 0)
		return -1;
	if ((d->no_addresses || d->has_rsp) && !d->only_counted) {
		recipes = calloc(path.n_values + 1u, sizeof(*recipes));
		if (!recipes)
			return output_memory(output);
		choose_slots(d, b, recipes, &path.n_slots);
	}
	path.recipes = recipes;
	path.n_exits = (uint16_t)exits_of(d, b, exits, path.n_slots);
	b->n_exits = path.n_exits;
	status = output_add_path(output, &path, &b->path, &b->first_exit);
	free(recipes);
	return status;
}

unsigned dictionary_slots(const struct dictionary *d, const struct code_block *b, uint64_t *values,
			  uint64_t rsp)
{
	uint16_t kept[CODE_BLOCK_VALUES];
	unsigned n = b->trace.n_values;

	if (d->has_rsp)
		values[n++] = rsp;
	if (!d->no_addresses)
		return n;
	n = kept_values(&b->trace, kept);
	/* kept[i] >= i, so that no value is overwritten before it is read */
	for (unsigned i = 0; i < n; i++)
		values[i] = values[kept[i]];
	return n;
}

uint32_t dictionary_count(const struct dictionary *d)
{
	return d->count;
}

bool dictionary_each(const struct dictionary *d,
		     bool (*call)(const struct code_block *block, void *opaque), void *opaque)
{
	for (size_t i = 0; i < d->blocks.count; i++)
		for (const struct code_block *b = d->blocks.at[i].first; b; b = b->next)
			if (!call(b, opaque))
				return false;
	return true;
}
