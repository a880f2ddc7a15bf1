/* SPDX-License-Identifier: MIT */
/* The blocks of random traces. */
#include <string.h>

#include "tests/unit/random.h"
#include "tests/unit/traces/random/parts.h"

unsigned random_extras_of(const struct tf_operand *o)
{
	switch (o->form) {
	case TF_MASKED: return 1;
	case TF_REP: return 3;
	case TF_LANES: return 1 + (o->index_size == 8 ? o->lanes : (o->lanes + 1u) / 2);
	case TF_SIZED: return 1;
	}
	return 0;
}

static void random_operand(struct random_trace *t, struct tf_operand *o, bool rep)
{
	static const uint8_t forms[] = { TF_PLAIN, TF_PLAIN,  TF_PLAIN, TF_PLAIN,
					 TF_PLAIN, TF_MASKED, TF_LANES, TF_SIZED };
	uint64_t *r = &t->state;

	o->access = (uint8_t)(1 + random_below(r, TF_PREFETCH));
	o->form = rep ? TF_REP : forms[random_below(r, sizeof(forms))];
	o->flags = (uint8_t)random_below(r, 4);
	o->segment = random_chance(r, 10) ? (uint8_t)(1 + random_below(r, 2)) : TF_SEGMENT_NONE;
	o->size = o->form == TF_SIZED ? 0 : 1u << random_below(r, 7);
	if (o->form == TF_MASKED || o->form == TF_LANES)
		o->lanes = random_chance(r, 10) ? TF_MAX_LANES : (uint8_t)(1 + random_below(r, 16));
	if (o->form == TF_LANES) {
		o->index_size = random_chance(r, 50) ? 4 : 8;
		o->scale = (uint8_t)(1u << random_below(r, 4));
	}
}

/* Adds an instruction with its operands. */
static void random_insn(struct random_trace *t, struct tf_block *b, uint16_t index,
			struct tf_insn *insn, struct tf_operand *operands)
{
	uint64_t *r = &t->state;

	insn->offset = b->code_size;
	insn->length = (uint8_t)(1 + random_below(r, TF_MAX_INSN_BYTES));
	insn->flags = random_chance(r, 10) ? TF_INSN_REP : random_chance(r, 5) ? TF_INSN_OPAQUE : 0;
	insn->first_operand = b->n_operands;
	if (insn->flags == TF_INSN_OPAQUE || !random_chance(r, 50))
		insn->n_operands = 0;
	else
		insn->n_operands = (uint8_t)(1 + random_below(r, random_chance(r, 20) ? 4 : 1));
	for (unsigned k = 0; k < insn->n_operands; k++) {
		struct tf_operand *o = &operands[b->n_operands++];

		o->insn = index;
		random_operand(t, o, insn->flags & TF_INSN_REP);
	}
	b->code_size = (uint16_t)(b->code_size + insn->length);
}

/* Numbers the operands' extra values, behind the addresses. */
static void number_extras(struct tf_block *b, struct tf_operand *operands)
{
	b->n_values = b->n_operands;
	for (unsigned i = 0; i < b->n_operands; i++) {
		struct tf_operand *o = &operands[i];

		if (o->form == TF_REP && i && o[-1].insn == o->insn) {
			o->extra = o[-1].extra;
		} else if (random_extras_of(o)) {
			o->extra = b->n_values;
			b->n_values = (uint16_t)(b->n_values + random_extras_of(o));
		}
	}
}

static void random_place(struct random_trace *t, struct tf_block *b)
{
	const struct tf_block *last = t->blocks.count ? &t->blocks.at[t->blocks.count - 1] : NULL;
	uint64_t *r = &t->state;

	if (last && random_chance(r, 50)) /* memory order, for blocks that fall through */
		b->pc = last->pc + last->code_size;
	else
		b->pc = random_chance(r, 5) ? random_u64(r) : 0x400000 + random_below(r, 1 << 20);
	if (t->modules.count && random_chance(r, 80)) {
		b->module = random_below(r, (unsigned)t->modules.count);
		b->module_offset = b->pc - b->module * UINT64_C(0x7f0000000000);
	} else {
		b->module_offset = b->pc;
	}
}

static void random_end(uint64_t *r, struct tf_block *b)
{
	static const uint8_t branches[] = { TF_END_CONDITIONAL, TF_END_JUMP, TF_END_CALL };

	if (random_chance(r, 60)) {
		b->end = branches[random_below(r, 3)];
		b->target = 1 + random_value(r) / 2;
	} else {
		b->end = (uint8_t)random_below(r, TF_END_OPAQUE + 1);
	}
}

void random_block(struct random_trace *t)
{
	uint64_t *r = &t->state;
	struct tf_insn insns[TF_MAX_BLOCK_INSNS] = { 0 };
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS] = { 0 };
	struct tf_block b = { .id = (uint32_t)t->blocks.count, .module = TF_NONE };
	uint8_t *code;

	b.n_insns = (uint16_t)(1 +
			       random_below(r, random_chance(r, 5) ? 40 : t->options.max_insns));
	for (uint16_t i = 0; i < b.n_insns; i++)
		random_insn(t, &b, i, &insns[i], operands);
	number_extras(&b, operands);
	random_place(t, &b);
	random_end(r, &b);
	code = random_memory(t, b.code_size);
	for (unsigned i = 0; i < b.code_size; i++)
		code[i] = (uint8_t)random_below(r, 256);
	b.code = code;
	b.insns = memcpy(random_memory(t, sizeof(insns)), insns, sizeof(insns));
	b.operands = memcpy(random_memory(t, sizeof(operands)), operands, sizeof(operands));
	PUSH(&t->blocks, b);
}
