/* SPDX-License-Identifier: MIT */
/* The paths of random traces, their recipes and exits. */
#include "tests/unit/random.h"
#include "tests/unit/traces/random/parts.h"
#include "traceformat/tracewriter.h"

static uint16_t random_slot(struct random_trace *t, struct tf_path *p)
{
	uint64_t *r = &t->state;

	if (p->n_slots == 0 || (random_chance(r, 60) && p->n_slots < TF_MAX_PATH_SLOTS))
		return p->n_slots++;
	return (uint16_t)random_below(r, p->n_slots);
}

static void random_recipe(struct random_trace *t, struct tf_path *p, struct tf_recipe *recipe)
{
	uint64_t *r = &t->state;
	unsigned dice = random_below(r, 100);

	recipe->base = dice < 45   ? TF_BASE_SLOT
		       : dice < 70 ? TF_BASE_RSP
		       : dice < 97 ? TF_BASE_CONSTANT
				   : TF_BASE_UNKNOWN;
	if (recipe->base == TF_BASE_SLOT)
		recipe->slot = random_slot(t, p);
	if (random_chance(r, 20))
		recipe->scale = (uint8_t)(1u << random_below(r, 4));
	else if (random_chance(r, 10))
		recipe->bit_string = (uint8_t)(16u << random_below(r, 3));
	if (recipe->scale || recipe->bit_string)
		recipe->index_slot = random_slot(t, p);
	recipe->address32 = random_chance(r, 10);
	recipe->segment = random_chance(r, 15) ? (uint8_t)(1 + random_below(r, 2))
					       : TF_SEGMENT_NONE;
	recipe->displacement = (int64_t)random_value(r) * (random_chance(r, 30) ? -1 : 1);
}

/* Makes a value small, as the format wants it: it is a small slot, or a small constant. */
static void random_small_value(struct tf_path *p, struct tf_recipe *recipes, unsigned value,
			       bool *small_slots)
{
	struct tf_recipe *recipe;

	if (!p->recipes) {
		small_slots[value] = true;
		return;
	}
	recipe = &recipes[value];
	if (recipe->base == TF_BASE_SLOT)
		small_slots[recipe->slot] = true;
	*recipe = (struct tf_recipe){
		.base = recipe->base == TF_BASE_SLOT ? TF_BASE_SLOT : TF_BASE_CONSTANT,
		.slot = recipe->slot,
		.displacement = (int64_t)((uint64_t)recipe->displacement % 100),
	};
}

/* Repetitions and sizes. */
static void random_small_values(struct random_trace *t, struct tf_path *p,
				struct tf_recipe *recipes, bool *small_slots)
{
	unsigned first_value = 0;

	for (unsigned i = 0; i < p->n_blocks; i++) {
		const struct tf_block *b = &t->blocks.at[p->blocks[i]];

		for (unsigned k = 0; k < b->n_operands; k++) {
			const struct tf_operand *o = &b->operands[k];

			if (o->form == TF_REP || o->form == TF_SIZED)
				random_small_value(p, recipes,
						   first_value + o->extra + (o->form == TF_REP),
						   small_slots);
		}
		first_value += b->n_values;
	}
}

/* Returns the number of slots that the recipes of the path's first n values need. */
static unsigned random_slots_of(const struct tf_path *p, unsigned value)
{
	const struct tf_recipe *recipe;
	unsigned needed = 0;

	if (!p->recipes)
		return value + 1;
	recipe = &p->recipes[value];
	if (recipe->base == TF_BASE_SLOT)
		needed = recipe->slot + 1u;
	if ((recipe->scale || recipe->bit_string) && recipe->index_slot >= needed)
		needed = recipe->index_slot + 1u;
	return needed;
}

void random_each_value(const struct random_trace *t, const struct tf_path *p, uint32_t executed,
		       void (*visit)(void *, unsigned), void *opaque)
{
	unsigned first_insn = 0, first_value = 0;

	for (unsigned i = 0; i < p->n_blocks; i++) {
		const struct tf_block *b = &t->blocks.at[p->blocks[i]];

		for (unsigned k = 0; k < b->n_operands; k++) {
			const struct tf_operand *o = &b->operands[k];

			if (first_insn + o->insn >= executed)
				return;
			visit(opaque, first_value + k);
			for (unsigned j = 0; j < random_extras_of(o); j++)
				visit(opaque, first_value + o->extra + j);
		}
		first_insn += b->n_insns;
		first_value += b->n_values;
	}
}

struct random_need {
	const struct tf_path *path;
	unsigned slots;
};

static void random_visit_need(void *opaque, unsigned value)
{
	struct random_need *need = opaque;
	unsigned slots = random_slots_of(need->path, value);

	if (slots > need->slots)
		need->slots = slots;
}

unsigned random_slots_needed(const struct random_trace *t, const struct tf_path *p,
			     uint32_t executed)
{
	struct random_need need = { p, 0 };

	random_each_value(t, p, executed, random_visit_need, &need);
	return need.slots;
}

uint32_t random_insns_of(const struct random_trace *t, const struct tf_path *p, unsigned n_blocks)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < n_blocks; i++)
		n += t->blocks.at[p->blocks[i]].n_insns;
	return n;
}

static void random_exit(struct random_trace *t, const struct tf_path *p, struct tf_exit *e)
{
	uint64_t *r = &t->state;
	unsigned needed;

	e->n_blocks = (uint16_t)(1 + random_below(r, p->n_blocks));
	e->outcome = (uint8_t)random_below(r, 2);
	needed = random_slots_needed(t, p, random_insns_of(t, p, e->n_blocks));
	if (!p->recipes) {
		needed = 0;
		for (unsigned i = 0; i < e->n_blocks; i++)
			needed += t->blocks.at[p->blocks[i]].n_values;
	}
	e->n_slots = (uint16_t)(needed + random_below(r, p->n_slots - needed + 1));
	e->rsp_rule = random_chance(r, 5)    ? TF_RSP_UNTRACKED
		      : random_chance(r, 80) ? TF_RSP_DELTA
					     : TF_RSP_SLOT;
	if (e->rsp_rule == TF_RSP_SLOT && e->n_slots == 0)
		e->rsp_rule = TF_RSP_DELTA;
	if (e->rsp_rule == TF_RSP_SLOT)
		e->rsp_slot = (uint16_t)random_below(r, e->n_slots);
	if (e->rsp_rule != TF_RSP_UNTRACKED)
		e->rsp_value = random_chance(r, 50) ? 0 : 8 * (int64_t)random_below(r, 99) - 400;
}

void random_path(struct random_trace *t)
{
	uint64_t *r = &t->state;
	struct tf_path p = { .id = (uint32_t)t->paths.count };
	struct tf_recipe *recipes = NULL;
	struct tf_exit *exits;
	uint32_t *blocks;
	bool *small_slots;

	p.first_exit = (uint32_t)t->next_exit.count;
	p.n_blocks = t->options.identity || random_chance(r, 40)
			     ? 1
			     : (uint16_t)(1 + random_below(r, 5));
	blocks = random_memory(t, p.n_blocks * sizeof(*blocks));
	for (unsigned i = 0; i < p.n_blocks; i++) {
		blocks[i] = random_below(r, (unsigned)t->blocks.count);
		if (i && random_chance(r, 50) && blocks[i - 1] + 1 < t->blocks.count)
			blocks[i] = blocks[i - 1] + 1;
		p.n_values = (uint16_t)(p.n_values + t->blocks.at[blocks[i]].n_values);
		p.n_insns += t->blocks.at[blocks[i]].n_insns;
	}
	p.blocks = blocks;
	if (t->options.identity || random_chance(r, 30)) {
		p.n_slots = p.n_values;
	} else {
		recipes = random_memory(t, p.n_values * sizeof(*recipes));
		for (unsigned i = 0; i < p.n_values; i++)
			random_recipe(t, &p, &recipes[i]);
		if (random_chance(r, 20))
			p.n_slots++;
		p.recipes = recipes;
	}
	small_slots = random_memory(t, p.n_slots);
	random_small_values(t, &p, recipes, small_slots);
	p.n_exits = random_chance(r, 3) ? 0 : (uint16_t)(1 + random_below(r, 4));
	exits = random_memory(t, p.n_exits * sizeof(*exits));
	for (unsigned k = 0; k < p.n_exits; k++)
		random_exit(t, &p, &exits[k]);
	p.exits = exits;
	PUSH(&t->paths, p);
	PUSH(&t->small_slots, small_slots);
	PUSH(&t->last_slots, random_memory(t, p.n_slots * sizeof(uint64_t)));
	for (unsigned k = 0; k <= p.n_exits; k++)
		PUSH(&t->next_exit, (uint32_t)random_u64(r));
}
