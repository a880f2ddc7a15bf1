/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_groups.h"

struct home_key {
	uint64_t pc;
	uint32_t operand, group;
};

struct homes {
	struct home_key *keys; /* open hash of 2^bits; group TF_NONE: free */
	unsigned bits;
};

static uint32_t *find_home(struct homes *h, uint64_t pc, uint32_t operand)
{
	size_t at = table_place(h->bits, operand, pc, 0);

	while (h->keys[at].group != TF_NONE &&
	       (h->keys[at].pc != pc || h->keys[at].operand != operand))
		at = (at + 1) % ((size_t)1 << h->bits);
	h->keys[at].pc = pc;
	h->keys[at].operand = operand;
	return &h->keys[at].group;
}

/* Assigns a group to the slot from which value `v` of the block follows, unless it has one. */
static void settle(struct slot_model *m, struct homes *homes, const struct compiled_path *p,
		   const struct tf_block *b, uint32_t v, uint32_t value)
{
	const struct tf_recipe *r = p->path.recipes ? &p->path.recipes[value] : NULL;
	uint32_t slot = r ? r->slot : value, insn = 0, *group;
	struct slot_home *home = &m->homes[p->slot_base + slot];

	if ((r && r->base != TF_BASE_SLOT) || home->group != TF_NONE)
		return;
	if (v < b->n_operands)
		insn = b->operands[v].insn;
	group = find_home(homes, b->pc + b->insns[insn].offset,
			  v - (v < b->n_operands ? b->insns[insn].first_operand : 0));
	if (*group == TF_NONE)
		*group = m->n_groups++;
	home->group = *group;
	home->offset = r ? (uint64_t)r->displacement : 0;
}

static void settle_path(struct slot_model *m, struct homes *homes, const struct compiled_path *p)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < p->path.n_blocks; i++)
		for (uint32_t v = 0; v < p->blocks[i].n_values; v++, value++)
			settle(m, homes, p, &p->blocks[i].block->block, v, value);
	for (uint32_t i = 0; i < p->path.n_slots; i++) {
		struct slot_home *home = &m->homes[p->slot_base + i];

		if (home->group == TF_NONE)
			home->group = m->n_groups++;
	}
}

/* Renumbers groups by their first slot, and sets offsets relative to it. */
static int number_groups(struct slot_model *m)
{
	struct slot_home *first = malloc((m->n_groups + 1) * sizeof(*first));
	uint32_t n = 0;

	if (!first)
		return TF_E_MEMORY;
	for (uint32_t i = 0; i < m->n_groups; i++)
		first[i].group = TF_NONE;
	for (uint32_t i = 0; i < m->n_slots; i++) {
		struct slot_home *h = &m->homes[i], *f = &first[h->group];

		if (h->group == TF_NONE)
			continue;
		if (f->group == TF_NONE)
			*f = (struct slot_home){ n++, h->offset };
		*h = (struct slot_home){ f->group, h->offset - f->offset };
	}
	free(first);
	return 0;
}

int slot_model_groups(const struct tf_reader *r, const struct chunk *chunk, struct slot_model *m)
{
	struct homes homes = { .bits = 8 };
	struct walk *w;
	int status;

	m->n_slots = r->n_slots;
	while ((UINT64_C(1) << homes.bits) < 2 * (uint64_t)m->n_slots)
		homes.bits++;
	m->homes = malloc((m->n_slots + 1) * sizeof(*m->homes));
	homes.keys = malloc(sizeof(*homes.keys) << homes.bits);
	w = walk_new(r, chunk, false);
	status = m->homes && homes.keys && w ? 0 : TF_E_MEMORY;
	for (size_t i = 0; status == 0 && i < m->n_slots; i++)
		m->homes[i] = (struct slot_home){ TF_NONE, 0 };
	for (size_t i = 0; status == 0 && i < (size_t)1 << homes.bits; i++)
		homes.keys[i].group = TF_NONE;
	while (status == 0 && walk_next(w))
		if (w->record.count && m->homes[w->record.base].group == TF_NONE)
			settle_path(m, &homes, r->exits.at[w->record.exit].path);
	status = status ? status : w->status;
	walk_free(w);
	free(homes.keys);
	return status ? status : number_groups(m);
}
