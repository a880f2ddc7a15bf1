/* SPDX-License-Identifier: MIT */
/* Makes the translation of a superblock whose code has been written. */
#include <string.h>

#include "recorder/translate/emit/emitter.h"

static void *append(char **at, const void *from, size_t size)
{
	void *to = *at;

	if (size)
		memcpy(to, from, size);
	*at += (size + 7) & ~(size_t)7;
	return to;
}

static void finalize_exits(const struct emitter *e, struct translation_exit *exits)
{
	const struct plan *p = e->plan;
	bool syscall = p->insns[p->n_insns - 1].fact->end == TF_END_SYSCALL &&
		       !p->options.call_stub;

	for (unsigned i = 0; i < p->n_exits; i++)
		exits[i] = (struct translation_exit){
			.trace = p->exits[i].trace,
			.n_insns = p->exits[i].n_insns,
			.n_places = p->exits[i].n_places,
			.pending = e->pending[i].chosen,
			.target = p->exits[i].target,
			.jump = e->jumps[i],
			.side_exit = e->side_exits[i],
			.syscall = syscall && i + 1 == p->n_exits,
		};
}

static void finalize_reached(const struct plan *p, uint16_t *places, uint16_t *slots)
{
	for (unsigned i = 0; i < p->n_insns; i++)
		places[i] = p->insns[i].first_place;
	places[p->n_insns] = (uint16_t)p->n_insn_places;
	for (unsigned i = 0; slots && i < p->n_insns; i++)
		slots[i] = p->insns[i].first_slot;
	if (slots)
		slots[p->n_insns] = (uint16_t)p->n_insn_slots;
}

/* Returns the translation without what follows it in memory. */
static struct translation finalize_fields(const struct emitter *e)
{
	enum { INT = 0xcd };
	const struct plan *p = e->plan;

	return (struct translation){
		.pc = p->pc,
		.code = e->a.pc,
		.size = (uint32_t)(e->a.at - e->a.start),
		.q = e->q,
		.t = e->t,
		.int80 = p->insns[p->n_insns - 1].code[0] == INT,
		.first_exit = e->first_exit,
		.trace_path = TF_NONE,
		.executed = TF_NONE,
		.n_blocks = (uint16_t)p->n_blocks,
		.n_insns = (uint16_t)p->n_insns,
		.n_exits = (uint16_t)p->n_exits,
		.n_values = (uint16_t)p->n_values,
		.n_slots = (uint16_t)p->numbering.n_slots,
		.n_corrections = (uint16_t)p->n_corrections,
		.n_entries = (uint16_t)e->n_entries,
		.n_x87_stores = (uint16_t)e->n_x87_stores,
		.n_states = (uint16_t)e->n_states,
		.event_bytes = (uint16_t)emit_call_bytes(p),
		.call_trap = e->call_trap,
		.control_words = (uint8_t)p->control_words,
		.control_place = (uint16_t)p->control_place,
		.checked = p->checked && !p->start.inside,
		.counted = p->options.counted,
		.excluded = p->blocks[0]->excluded,
		.extension_done = p->options.counted,
		.pending = p->start.pending,
		.bounded = p->options.bounded,
	};
}

struct translation *emit_finalize(struct emitter *e, struct pool *pool)
{
	const struct plan *p = e->plan;
	size_t blocks = p->n_blocks * sizeof(*p->blocks);
	size_t corrections = p->n_corrections * sizeof(*p->corrections);
	size_t entries = e->n_entries * sizeof(*e->entries);
	size_t x87_stores = e->n_x87_stores * sizeof(*e->x87_stores);
	size_t sources = e->n_sources * sizeof(*e->sources);
	size_t recipes = p->options.counted ? 0 : p->n_values * sizeof(*p->recipes);
	size_t exits = p->n_exits * sizeof(struct translation_exit);
	size_t places = p->numbering.n_slots < p->numbering.n_places
				? p->numbering.n_slots * sizeof(uint16_t)
				: 0;
	unsigned n_reached = p->n_insns + 1;
	size_t reached = (places ? 2 : 1) * n_reached * sizeof(uint16_t);
	size_t n_bytes = states_pack(e->states, e->n_states, e->packed_states);
	struct translation *t = pool_alloc(pool, sizeof(*t) + blocks + corrections + entries +
							 sources + recipes + exits + reached +
							 places + n_bytes + x87_stores + 7 * 8);
	char *at;

	if (!t)
		return NULL;
	*t = finalize_fields(e);
	at = (char *)t->blocks;
	append(&at, p->blocks, blocks);
	t->corrections = append(&at, p->corrections, corrections);
	t->sources = append(&at, e->sources, sources);
	t->entries = append(&at, e->entries, entries);
	t->x87_stores = append(&at, e->x87_stores, x87_stores);
	/* NULL would mean that each value has a slot, also of a superblock without values */
	t->recipes = p->options.counted ? NULL : append(&at, p->recipes, recipes);
	t->places = places ? append(&at, p->numbering.places, places) : NULL;
	t->exits = (struct translation_exit *)at;
	finalize_exits(e, t->exits);
	t->reached = (uint16_t *)(at + exits);
	finalize_reached(p, t->reached, places ? t->reached + n_reached : NULL);
	t->states = (uint8_t *)t->reached + reached;
	memcpy(t->states, e->packed_states, n_bytes);
	return t;
}
