/* SPDX-License-Identifier: MIT */
/*
 * The records of a whole block execution, but those of the last instruction. They are ready once
 * the chunk has the code bytes of the block.
 */
#include <string.h>

#include "cli/export/drmemtrace_file.h"

static void add_record(struct block_template *t, unsigned type, unsigned size, uint64_t value)
{
	uint8_t record[DRMEMTRACE_RECORD_SIZE];

	drmemtrace_make(record, type, size, value);
	template_add(t, record, sizeof(record));
	t->n_records++;
}

static void add_data(struct block_template *t, unsigned type, unsigned size, unsigned value)
{
	add_record(t, type, size, 0);
	template_add_field(t, t->bytes.count - sizeof(uint64_t), value);
}

/* Adds the records of accesses: loads, then stores. Returns false if one takes several records. */
static bool add_accesses(struct block_template *t, const struct drmemtrace_entry *entry,
			 const struct tf_block *block, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++) {
		unsigned value = insn->first_operand + i;
		const struct tf_operand *o = &block->operands[value];

		if (o->size > DRMEMTRACE_MAX_SIZE)
			return false;
		if (o->access & TF_PREFETCH)
			add_data(t, entry->prefetch, 1, value);
		if (o->access & TF_LOAD)
			add_data(t, DRMEMTRACE_READ, o->size, value);
	}
	for (unsigned i = 0; i < insn->n_operands; i++) {
		unsigned value = insn->first_operand + i;
		const struct tf_operand *o = &block->operands[value];

		if (o->access & TF_STORE)
			add_data(t, DRMEMTRACE_WRITE, o->size, value);
	}
	return true;
}

static void make_block(struct export_run *e, struct block_template *t, const struct tf_block *block)
{
	struct drmemtrace_state *s = e->state;

	t->made = true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++) {
		const struct tf_insn *insn = &block->insns[i];
		const struct linear_insn here = { .block = block, .index = i };
		const struct drmemtrace_entry *entry = insn_cache_get(s->insns, &here);

		if (!is_template_insn(block, insn) || entry->sysenter)
			return;
		add_record(t, DRMEMTRACE_INSTR, insn->length, block->pc + insn->offset);
		t->lost += entry->flushes;
		t->lost_registers += entry->regdeps.lost;
		if (e->addresses && !add_accesses(t, entry, block, insn))
			return;
	}
	t->usable = t->n_records < DRMEMTRACE_BUFFERED;
}

/* Returns true if the chunk has the code bytes of all instructions but the last one. */
static bool has_code_of(const struct drmemtrace_state *s, struct block_template *t,
			const struct tf_block *block)
{
	if (t->part == s->chunk + 1)
		return true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++) {
		const struct linear_insn here = { .block = block, .index = i };
		const struct drmemtrace_entry *entry = insn_cache_get(s->insns, &here);

		if (entry->written_chunk != s->chunk + 1)
			return false;
	}
	t->part = s->chunk + 1;
	return true;
}

static void set_last_inside(struct drmemtrace_state *s, const struct tf_block *block)
{
	const struct tf_insn *insn = &block->insns[block->n_insns - 2];

	s->last = (struct drmemtrace_last){
		.pc = block->pc + insn->offset,
		.expected = block->pc + insn->offset + insn->length,
		.length = insn->length,
		.exists = true,
	};
	s->timed = s->kernel = s->in_syscall = false;
	s->chunk_insns += block->n_insns - 1u;
}

bool drmemtrace_put_block(struct export_run *e, const struct tf_block *block,
			  const uint64_t *values, uint64_t ordinal)
{
	struct drmemtrace_state *s = e->state;
	struct block_template *t = &s->blocks.at[block->id];

	if (s->code_changes || s->entered || e->options->v2p_seed != DRMEMTRACE_NO_SEED ||
	    !drmemtrace_goes_on(e, ordinal, block->pc, block->n_insns - 1u) ||
	    !has_code_of(s, t, block))
		return false;
	if (!t->made)
		make_block(e, t, block);
	if (!t->usable)
		return false;
	if (s->n_buffered + t->n_records >= DRMEMTRACE_BUFFERED)
		drmemtrace_flush(e);
	template_fill(t, values);
	memcpy(s->buffer + s->n_buffered * DRMEMTRACE_RECORD_SIZE, t->bytes.at, t->bytes.count);
	s->n_buffered += t->n_records;
	s->visible += t->n_records;
	e->lost[LOSS_FLUSHES] += t->lost;
	e->lost[LOSS_REGISTERS] += t->lost_registers;
	set_last_inside(s, block);
	return true;
}
