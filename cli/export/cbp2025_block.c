/* SPDX-License-Identifier: MIT */
/* The records of a whole block execution, but those of the last instruction. */
#include "cli/export/cbp2025_records.h"

static void add_record(struct block_template *t, const uint8_t *record, const uint8_t *end)
{
	template_add(t, record, (size_t)(end - record));
	t->n_records++;
}

/* Adds a record with an access, whose address each execution fills in. */
static void add_access(struct block_template *t, const uint8_t *record, const uint8_t *end,
		       unsigned value)
{
	enum { ADDRESS = 9 };

	template_add_field(t, t->bytes.count + ADDRESS, value);
	add_record(t, record, end);
}

/* Adds the records of an instruction. Returns false if an access takes several. */
static bool add_insn(struct block_template *t, const struct cbp_entry *entry,
		     const struct tf_block *block, const struct tf_insn *insn)
{
	const struct tf_operand *operands = block->operands + insn->first_operand;
	struct cbp_part part = { .pc = block->pc + insn->offset };
	unsigned n_loads = 0, n_stores = 0, loads = 0;
	uint8_t record[CBP_MAX_RECORD];

	for (unsigned i = 0; i < insn->n_operands; i++) {
		n_loads += (operands[i].access & TF_LOAD) != 0;
		n_stores += (operands[i].access & TF_STORE) != 0;
		if (operands[i].access & TF_PREFETCH || !operands[i].size ||
		    operands[i].size > CBP_MAX_BYTES)
			return false;
	}
	for (unsigned i = 0; i < insn->n_operands; i++) {
		part.size = (uint8_t)operands[i].size;
		if (operands[i].access & TF_LOAD)
			add_access(t, record,
				   cbp_make_load(record, entry, part, ++loads == n_loads, &t->lost),
				   insn->first_operand + i);
	}
	for (unsigned i = 0; i < insn->n_operands; i++) {
		part.size = (uint8_t)operands[i].size;
		if (operands[i].access & TF_STORE)
			add_access(t, record, cbp_make_store(record, entry, part, &t->lost),
				   insn->first_operand + i);
	}
	if (!n_loads && !n_stores)
		add_record(t, record, cbp_make_compute(record, entry, part.pc, &t->lost));
	return true;
}

static void make_block(struct cbp *c, struct block_template *t, const struct tf_block *block)
{
	t->made = true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++) {
		const struct linear_insn insn = { .block = block, .index = i };

		if (!is_template_insn(block, &block->insns[i]) ||
		    !add_insn(t, insn_cache_get(c->insns, &insn), block, &block->insns[i]))
			return;
	}
	t->usable = true;
}

bool cbp_put_block(struct export_run *e, const struct tf_block *block, const uint64_t *values,
		   __attribute__((unused)) uint64_t ordinal)
{
	struct cbp *c = e->state;
	struct block_template *t = &c->blocks.at[block->id];

	if (!t->made)
		make_block(c, t, block);
	if (!t->usable)
		return false;
	template_put(e, t, values);
	e->lost[LOSS_REGISTERS] += t->lost;
	return true;
}
