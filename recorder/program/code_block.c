/* SPDX-License-Identifier: MIT */
#include "recorder/program/code_block.h"

#include <string.h>

#include "recorder/program/modules.h"
#include "recorder/program/stepped_insns.h"

/* A block under construction, before its size is known. */
struct draft {
	struct tf_insn insns[CODE_BLOCK_INSNS];
	const struct isa_insn *facts[CODE_BLOCK_INSNS];
	const struct isa_effects *effects[CODE_BLOCK_INSNS];
	unsigned n_insns, n_operands, n_values, size;
};

/* Adds the next instruction, whose facts are already in place. */
static void draft_add(struct draft *d)
{
	const struct isa_insn *fact = d->facts[d->n_insns];

	d->insns[d->n_insns] = (struct tf_insn){
		.offset = (uint16_t)d->size,
		.length = fact->length,
		.flags = fact->flags,
		.first_operand = (uint16_t)d->n_operands,
		.n_operands = fact->n_operands,
	};
	d->n_insns++;
	d->n_operands += fact->n_operands;
	d->n_values += fact->n_values;
	d->size += fact->length;
}

static bool is_stepped(const struct draft *d, unsigned insn, const uint8_t *code)
{
	return insn_is_stepped(d->facts[insn], d->effects[insn], code);
}

static bool ends_block(const struct draft *d, const struct code_source *source)
{
	unsigned i = d->n_insns - 1;
	const struct isa_insn *fact = d->facts[i];

	return fact->end != TF_END_NONE || fact->loads_control_word || fact->writes_segment_base ||
	       is_stepped(d, i, source->code + d->insns[i].offset);
}

/* Numbers the operands and extras of all instructions as a trace does. */
static void number_values(const struct draft *d, struct tf_operand *operands, uint16_t *extras)
{
	unsigned operand = 0, extra = d->n_operands;

	for (unsigned i = 0; i < d->n_insns; i++) {
		const struct isa_insn *fact = d->facts[i];
		bool rep = fact->flags & TF_INSN_REP;
		unsigned at = extra;

		extras[i] = (uint16_t)extra;
		for (unsigned k = 0; k < fact->n_operands; k++, operand++) {
			unsigned n = fact->operands[k].n_extras;

			operands[operand] = fact->operands[k].trace;
			operands[operand].insn = (uint16_t)i;
			operands[operand].extra = n ? (uint16_t)at : 0;
			if (!rep)
				at += n;
		}
		extra += fact->n_values - fact->n_operands;
	}
}

static struct code_block *finish(const struct draft *d, const struct code_source *source)
{
	const struct isa_insn *last = d->facts[d->n_insns - 1];
	size_t operands_size = d->n_operands * sizeof(struct tf_operand);
	size_t insns_size = d->n_insns * sizeof(struct tf_insn);
	size_t extras_size = d->n_insns * sizeof(uint16_t);
	size_t facts_size = d->n_insns * sizeof(struct isa_insn *);
	size_t effects_size = d->n_insns * sizeof(struct isa_effects *);
	struct code_block *b = pool_alloc(facts_pool(source->facts),
					  sizeof(*b) + facts_size + effects_size + operands_size +
						  insns_size + extras_size + d->size);
	struct tf_operand *operands;
	struct tf_insn *insns;
	uint8_t *code;

	if (!b)
		return NULL;
	*b = (struct code_block){ .path = TF_NONE };
	b->facts = memcpy(b + 1, d->facts, facts_size);
	b->effects = memcpy(b->facts + d->n_insns, d->effects, effects_size);
	operands = (struct tf_operand *)(b->effects + d->n_insns);
	insns = memcpy(operands + d->n_operands, d->insns, insns_size);
	b->extras = (uint16_t *)(insns + d->n_insns);
	code = memcpy(b->extras + d->n_insns, source->code, d->size);
	number_values(d, operands, b->extras);
	b->trace = (struct tf_block){
		.id = TF_NONE,
		.module = source->module ? source->module->index : TF_NONE,
		.pc = source->pc,
		.module_offset = source->module ? source->module_offset : 0,
		.target = last->target,
		.end = last->end,
		.n_insns = (uint16_t)d->n_insns,
		.n_operands = (uint16_t)d->n_operands,
		.n_values = (uint16_t)d->n_values,
		.code_size = (uint16_t)d->size,
		.code = code,
		.insns = insns,
		.operands = operands,
	};
	b->watch = watch_at(source->module, source->module_offset);
	return b;
}

/*
 * Decodes the next instruction, unless a block begins there. An instruction that is stepped has a
 * block of its own, so that the instructions before it run translated.
 */
static enum facts_status decode_next(struct draft *d, const struct code_source *source)
{
	struct watch watch = watch_at(source->module, source->module_offset + d->size);
	enum facts_status status;

	if (d->n_insns && watch.any)
		return FACTS_UNDECODABLE;
	status = facts_of_code(source->facts, source->code + d->size, source->available - d->size,
			       source->pc + d->size, source->vendor, &d->facts[d->n_insns],
			       &d->effects[d->n_insns]);
	if (status == FACTS_FOUND && d->n_insns &&
	    is_stepped(d, d->n_insns, source->code + d->size))
		return FACTS_UNDECODABLE;
	return status;
}

enum code_status code_block_build(const struct code_source *source, struct code_block **block)
{
	enum facts_status status;
	struct draft d;

	d.n_insns = d.n_operands = d.n_values = d.size = 0;
	do {
		status = decode_next(&d, source);
		if (status == FACTS_FOUND)
			draft_add(&d);
	} while (status == FACTS_FOUND && !ends_block(&d, source) && d.n_insns < CODE_BLOCK_INSNS &&
		 d.size < source->available);
	if (status == FACTS_MEMORY)
		return CODE_MEMORY;
	if (!d.n_insns)
		return CODE_UNDECODABLE;
	*block = finish(&d, source);
	return *block ? CODE_BLOCK : CODE_MEMORY;
}

struct code_block *code_block_opaque(const struct code_source *source, unsigned length)
{
	const struct isa_insn opaque = {
		.length = (uint8_t)length,
		.flags = TF_INSN_OPAQUE,
		.end = TF_END_OPAQUE,
		.insn_class = ISA_CLASS_OPAQUE,
	};
	struct code_block *block;
	struct draft d;

	d.n_insns = d.n_operands = d.n_values = d.size = 0;
	d.effects[0] = NULL;
	d.facts[0] = facts_keep(source->facts, &opaque);
	if (!d.facts[0])
		return NULL;
	draft_add(&d);
	block = finish(&d, source);
	if (block)
		block->undecoded = true;
	return block;
}
