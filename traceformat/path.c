/* SPDX-License-Identifier: MIT */
/* Checking and copying paths; counting what an execution of one does. */
#include "path.h"

#include <stdlib.h>
#include <string.h>

#define RULE(condition, sentence) do { if (!(condition)) return sentence; } while (0)

static bool is_scale(unsigned v, unsigned max)
{
	return v == 0 || (v <= max && !(v & (v - 1)));
}

static const char *check_recipe(const struct tf_recipe *r, unsigned n_slots)
{
	RULE(r->base <= TF_BASE_UNKNOWN, "a recipe has an unknown base");
	RULE(r->base != TF_BASE_SLOT || r->slot < n_slots, "a recipe names a slot that does not exist");
	RULE(is_scale(r->scale, 8), "a recipe's scale is 1, 2, 4 or 8");
	RULE(r->bit_string == 0 || (r->bit_string >= 16 && is_scale(r->bit_string, 64)),
	     "a bit string has a width of 16, 32 or 64");
	RULE(!r->scale || !r->bit_string, "a recipe has both an index and a bit offset");
	RULE(!(r->scale || r->bit_string) || r->index_slot < n_slots,
	     "a recipe names a slot that does not exist");
	RULE(r->address32 <= 1 && r->segment <= TF_SEGMENT_GS, "a recipe has unknown flags");
	return NULL;
}

/* How many slots the first n_blocks blocks need. */
static unsigned slots_needed(const struct compiled_path *p, unsigned n_values)
{
	unsigned needed = 0;

	if (!p->path.recipes)
		return n_values;
	for (unsigned i = 0; i < n_values; i++) {
		const struct tf_recipe *r = &p->path.recipes[i];

		if (r->base == TF_BASE_SLOT && r->slot >= needed)
			needed = r->slot + 1u;
		if ((r->scale || r->bit_string) && r->index_slot >= needed)
			needed = r->index_slot + 1u;
	}
	return needed;
}

static unsigned values_of_blocks(const struct compiled_path *p, unsigned n_blocks)
{
	unsigned values = 0;

	for (unsigned i = 0; i < n_blocks; i++)
		values += p->blocks[i]->n_values;
	return values;
}

static const char *check_exit(const struct tf_exit *e, const struct compiled_path *p)
{
	RULE(e->n_blocks >= 1 && e->n_blocks <= p->path.n_blocks, "an exit is not at a block of its path");
	RULE(e->outcome <= TF_TAKEN, "an exit has an unknown outcome");
	RULE(e->n_slots <= p->path.n_slots, "an exit has more slots than its path");
	RULE(e->rsp_rule <= TF_RSP_SLOT, "an exit has an unknown rule for rsp");
	RULE(e->rsp_rule != TF_RSP_SLOT || e->rsp_slot < e->n_slots,
	     "an exit's rsp is in a slot that it does not have");
	RULE(slots_needed(p, values_of_blocks(p, e->n_blocks)) <= e->n_slots,
	     "an exit lacks slots that its blocks need");
	return NULL;
}

static const char *check_path(struct compiled_path *p)
{
	const struct tf_path *path = &p->path;
	uint32_t n_values = 0, n_insns = 0;
	const char *why = NULL;

	for (unsigned i = 0; i < path->n_blocks; i++) {
		RULE(p->blocks[i], "a path names a block that does not exist");
		n_values += p->blocks[i]->n_values;
		n_insns += p->blocks[i]->n_insns;
	}
	RULE(n_values <= TF_MAX_PATH_VALUES, "a path has too many values");
	RULE(n_values == path->n_values, "a path's number of values is not that of its blocks");
	RULE(path->recipes || path->n_slots == n_values, "a path without recipes has a slot a value");
	p->path.n_insns = n_insns;
	for (unsigned i = 0; path->recipes && i < n_values; i++) {
		why = check_recipe(&path->recipes[i], path->n_slots);
		if (why)
			return why;
		p->uses_rsp |= path->recipes[i].base == TF_BASE_RSP;
	}
	for (unsigned k = 0; k < path->n_exits && !why; k++)
		why = check_exit(&path->exits[k], p);
	return why;
}

static void find_dynamic(struct compiled_path *p)
{
	uint32_t first_insn = 0, first_value = 0, n = 0;

	for (unsigned i = 0; i < p->path.n_blocks; i++) {
		const struct tf_block *b = p->blocks[i];

		for (unsigned k = 0; k < b->n_operands; k++) {
			const struct tf_operand *o = &b->operands[k];

			if (o->form == TF_PLAIN || o->form == TF_SIZED)
				continue;
			p->dynamic[n++] = (struct dynamic_operand){
				.insn = first_insn + o->insn,
				.value = first_value + o->extra + (o->form == TF_REP),
				.lanes = UINT64_MAX >> (64 - (o->lanes ? o->lanes : 64)),
				.access = o->access,
				.form = o->form,
				.counts_repetitions = o->form == TF_REP &&
						      (k == 0 || b->operands[k - 1].insn != o->insn),
			};
		}
		first_insn += b->n_insns;
		first_value += b->n_values;
	}
	p->n_dynamic = n;
}

/* At least as many as find_dynamic finds. */
static size_t dynamic_bound(const struct compiled_path *p)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->path.n_blocks; i++)
		for (unsigned k = 0; p->blocks[i] && k < p->blocks[i]->n_operands; k++)
			n += p->blocks[i]->operands[k].form != TF_PLAIN;
	return n;
}

struct compiled_path *path_compile(const struct tf_path *path, block_lookup *lookup,
				   const void *opaque, size_t slot_base, const char **why)
{
	size_t blocks_size = path->n_blocks * sizeof(void *);
	size_t exits_size = path->n_exits * sizeof(struct tf_exit);
	size_t recipes_size = path->recipes ? path->n_values * sizeof(struct tf_recipe) : 0;
	size_t ids_size = path->n_blocks * sizeof(uint32_t);
	struct compiled_path *p;
	char *at;

	*why = path->n_blocks < 1 || path->n_blocks > TF_MAX_PATH_BLOCKS ? "a path has 1 to 256 blocks" :
	       path->n_slots > TF_MAX_PATH_SLOTS ? "a path has too many slots" :
	       path->n_exits > TF_MAX_PATH_EXITS ? "a path has too many exits" :
	       path->n_values > TF_MAX_PATH_VALUES ? "a path has too many values" : NULL;
	if (*why)
		return NULL;
	p = malloc(sizeof(*p) + blocks_size + exits_size + recipes_size + ids_size);
	if (!p)
		return NULL;
	at = (char *)(p + 1);
	*p = (struct compiled_path){ .path = *path, .slot_base = slot_base };
	p->blocks = (const struct tf_block **)at;
	for (unsigned i = 0; i < path->n_blocks; i++)
		p->blocks[i] = lookup(opaque, path->blocks[i]);
	at += blocks_size;
	p->path.exits = exits_size ? memcpy(at, path->exits, exits_size) : NULL;
	at += exits_size;
	p->path.recipes = path->recipes ? memcpy(at, path->recipes, recipes_size) : NULL;
	at += recipes_size;
	p->path.blocks = memcpy(at, path->blocks, ids_size);

	p->dynamic = calloc(dynamic_bound(p) + 1, sizeof(*p->dynamic));
	*why = p->dynamic ? check_path(p) : NULL;
	if (!p->dynamic || *why) {
		path_free(p);
		return NULL;
	}
	find_dynamic(p);
	return p;
}

void path_free(struct compiled_path *p)
{
	if (p)
		free(p->dynamic);
	free(p);
}

/* Counts what the first `executed` instructions do whatever their slots are. */
static void count_static(struct exit_entry *e, uint32_t executed)
{
	uint32_t first_insn = 0;

	for (unsigned i = 0; i < e->path->path.n_blocks && first_insn < executed; i++) {
		const struct tf_block *b = e->path->blocks[i];

		for (unsigned k = 0; k < b->n_operands; k++) {
			const struct tf_operand *o = &b->operands[k];

			if (first_insn + o->insn >= executed)
				break;
			if (o->form != TF_PLAIN && o->form != TF_SIZED)
				continue;
			e->loads += !!(o->access & TF_LOAD);
			e->stores += !!(o->access & TF_STORE);
			e->prefetches += !!(o->access & TF_PREFETCH);
		}
		for (unsigned k = 0; k < b->n_insns && first_insn + k < executed; k++)
			e->opaque += !!(b->insns[k].flags & TF_INSN_OPAQUE);
		first_insn += b->n_insns;
	}
}

void exit_compile(const struct compiled_path *p, unsigned k, struct exit_entry *entry)
{
	const struct tf_exit *e;

	*entry = (struct exit_entry){ .path = p, .outcome = TF_PARTIAL, .dynamic = p->n_dynamic };
	if (k >= p->path.n_exits)
		return;
	e = &p->path.exits[k];
	entry->n_blocks = e->n_blocks;
	entry->n_slots = e->n_slots;
	entry->outcome = e->outcome;
	entry->rsp_rule = e->rsp_rule;
	entry->rsp_slot = e->rsp_slot;
	entry->rsp_value = e->rsp_value;
	for (unsigned i = 0; i < e->n_blocks; i++) {
		entry->n_insns += p->blocks[i]->n_insns;
		entry->n_values += p->blocks[i]->n_values;
	}
	count_static(entry, entry->n_insns);
}

static void count_dynamic(const struct compiled_path *p, uint32_t executed, const uint64_t *slots,
			  const struct recipe_registers *registers, struct tf_totals *totals)
{
	for (uint32_t i = 0; i < p->n_dynamic && p->dynamic[i].insn < executed; i++) {
		const struct dynamic_operand *d = &p->dynamic[i];
		uint64_t v = path_value(p, d->value, slots, registers);
		uint64_t n = d->form == TF_REP ? v : (uint64_t)__builtin_popcountll(v & d->lanes);

		if (d->access & TF_LOAD)
			totals->loads += n;
		if (d->access & TF_STORE)
			totals->stores += n;
		if (d->access & TF_PREFETCH)
			totals->prefetches += n;
		if (d->counts_repetitions)
			totals->repetitions += n;
	}
}

static uint32_t blocks_entered(const struct compiled_path *p, uint32_t executed)
{
	uint32_t n = 0, insns = 0;

	while (n < p->path.n_blocks && insns < executed)
		insns += p->blocks[n++]->n_insns;
	return n;
}

void exit_count(const struct exit_entry *exit, uint32_t executed, const uint64_t *slots,
		const struct recipe_registers *registers, struct tf_totals *totals)
{
	struct exit_entry partial;

	if (exit->outcome == TF_PARTIAL) {
		partial = *exit;
		count_static(&partial, executed);
		partial.n_blocks = (uint16_t)blocks_entered(exit->path, executed);
		exit = &partial;
	}
	totals->paths++;
	totals->blocks += exit->n_blocks;
	totals->instructions += executed;
	totals->loads += exit->loads;
	totals->stores += exit->stores;
	totals->prefetches += exit->prefetches;
	totals->opaque += exit->opaque;
	if (exit->dynamic && slots)
		count_dynamic(exit->path, executed, slots, registers, totals);
}

void totals_add(struct tf_totals *sum, const struct tf_totals *part)
{
	sum->instructions += part->instructions;
	sum->loads += part->loads;
	sum->stores += part->stores;
	sum->prefetches += part->prefetches;
	sum->repetitions += part->repetitions;
	sum->opaque += part->opaque;
	sum->blocks += part->blocks;
	sum->paths += part->paths;
	sum->events += part->events;
}
