/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_groups.h"

#include "traceformat/common/hash_table.h"

/* An operand of an instruction, and the group of the slots that are its values. */
struct operand_group {
	struct code_operand {
		uint64_t pc;
		uint64_t operand; /* number in its instruction */
	} key;
	uint32_t group;
};

struct operand_groups {
	struct slot_model *model;
	HASH_TABLE(struct operand_group) table;
	bool failed; /* memory is out */
};

/*
 * Assigns a group to the slot from which value `v` of the block follows, unless it has one. value:
 * the value's number in the path.
 */
static void assign_group(struct operand_groups *groups, const struct compiled_path *p,
			 const struct tf_block *b, uint32_t v, uint32_t value)
{
	struct slot_model *m = groups->model;
	const struct tf_recipe *r = p->path.recipes ? &p->path.recipes[value] : NULL;
	uint32_t slot = r ? r->slot : value, insn = 0;
	size_t n_known = groups->table.count;
	struct operand_group *group;
	struct slot_home *home = &m->homes[p->slot_base + slot];

	if ((r && r->base != TF_BASE_SLOT) || home->group != TF_NONE)
		return;
	if (v < b->n_operands)
		insn = b->operands[v].insn;
	group = TABLE_PUT(groups->table,
			  { b->pc + b->insns[insn].offset,
			    v - (v < b->n_operands ? b->insns[insn].first_operand : 0) });
	if (!group) {
		groups->failed = true;
		return;
	}
	if (groups->table.count > n_known)
		group->group = m->n_groups++;
	home->group = group->group;
	home->offset = r ? (uint64_t)r->displacement : 0;
}

static void assign_path_groups(struct operand_groups *groups, const struct compiled_path *p)
{
	struct slot_model *m = groups->model;
	uint32_t value = 0;

	for (uint32_t i = 0; i < p->path.n_blocks; i++)
		for (uint32_t v = 0; v < p->blocks[i].n_values; v++, value++)
			assign_group(groups, p, &p->blocks[i].block->block, v, value);
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
	struct operand_groups groups = { .model = m };
	struct walk *w;
	int status;

	m->n_slots = r->n_slots;
	m->homes = malloc((m->n_slots + 1) * sizeof(*m->homes));
	w = walk_new(r, chunk, false);
	status = m->homes && w ? 0 : TF_E_MEMORY;
	for (size_t i = 0; status == 0 && i < m->n_slots; i++)
		m->homes[i] = (struct slot_home){ TF_NONE, 0 };
	while (status == 0 && walk_next(w))
		if (w->record.count && m->homes[w->record.base].group == TF_NONE)
			assign_path_groups(&groups, r->exits.at[w->record.exit].path);
	if (status == 0)
		status = groups.failed ? TF_E_MEMORY : w->status;
	walk_free(w);
	TABLE_FREE(groups.table);
	return status ? status : number_groups(m);
}
