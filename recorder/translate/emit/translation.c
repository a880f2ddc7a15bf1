/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/translation.h"

unsigned translation_places_before(const struct translation *t, unsigned insn)
{
	return t->reached[insn];
}

/*
 * If each place has a slot, their numbers are equal, and are stored once. Without any slot,
 * `places` is NULL too, even if there are hidden places.
 */
unsigned translation_slots_before(const struct translation *t, unsigned insn)
{
	if (!t->n_slots)
		return 0;
	return t->reached[t->places ? t->n_insns + 1u + insn : insn];
}

struct state translation_state(const struct translation *t, uint32_t offset)
{
	return states_at(t->states, t->n_states, offset);
}

static const struct code_block *block_of(const struct translation *t, unsigned *insn)
{
	unsigned i = 0;

	while (*insn >= t->blocks[i]->trace.n_insns)
		*insn -= t->blocks[i++]->trace.n_insns;
	return t->blocks[i];
}

bool translation_leads_back(const struct translation *t, unsigned exit)
{
	const struct translation_exit *e = &t->exits[exit];

	return e->target <= t->blocks[e->trace.n_blocks - 1]->trace.pc;
}

uint64_t translation_pc(const struct translation *t, unsigned insn)
{
	const struct code_block *b = block_of(t, &insn);

	return b->trace.pc + b->trace.insns[insn].offset;
}

const struct isa_insn *translation_fact(const struct translation *t, unsigned insn)
{
	return block_of(t, &insn)->facts[insn];
}

const struct isa_effects *translation_effects(const struct translation *t, unsigned insn)
{
	return block_of(t, &insn)->effects[insn];
}

const uint8_t *translation_code(const struct translation *t, unsigned insn)
{
	const struct code_block *b = block_of(t, &insn);

	return b->trace.code + b->trace.insns[insn].offset;
}

uint64_t *translation_slots(const struct translation *t, uint64_t *places, unsigned n_slots,
			    uint64_t *room)
{
	if (!t->places)
		return places;
	for (unsigned i = 0; i < n_slots; i++)
		room[i] = places[t->places[i]];
	return room;
}
