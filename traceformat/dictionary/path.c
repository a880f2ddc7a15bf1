/* SPDX-License-Identifier: MIT */
/* Checks and copies paths, and counts what an execution of a path does. */
#include "traceformat/dictionary/path.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define RULE(condition, sentence) do { if (!(condition)) return sentence; } while (0)
/* clang-format on */

static bool is_scale(unsigned v, unsigned max)
{
	return v == 0 || (v <= max && !(v & (v - 1)));
}

static const char *check_recipe(const struct tf_recipe *r, unsigned n_slots)
{
	RULE(r->base <= TF_BASE_UNKNOWN, "a recipe has an unknown base");
	RULE(r->base != TF_BASE_SLOT || r->slot < n_slots,
	     "a recipe names a slot that does not exist");
	RULE(is_scale(r->scale, 8), "a recipe's scale is 1, 2, 4 or 8");
	RULE(r->bit_string == 0 || (r->bit_string >= 16 && is_scale(r->bit_string, 64)),
	     "a bit string has a width of 16, 32 or 64");
	RULE(!r->scale || !r->bit_string, "a recipe has both an index and a bit offset");
	RULE(!(r->scale || r->bit_string) || r->index_slot < n_slots,
	     "a recipe names a slot that does not exist");
	RULE(r->address32 <= 1 && r->segment <= TF_SEGMENT_GS, "a recipe has unknown flags");
	return NULL;
}

static unsigned slots_of_recipe(const struct tf_recipe *r)
{
	unsigned needed = r->base == TF_BASE_SLOT ? r->slot + 1u : 0;

	if ((r->scale || r->bit_string) && r->index_slot >= needed)
		needed = r->index_slot + 1u;
	return needed;
}

/* Returns the number of slots that value i needs, but at least `needed`. */
static unsigned slots_of_value(const struct compiled_path *p, unsigned i, unsigned needed)
{
	unsigned own = p->value_slots    ? p->value_slots[i]
		       : p->path.recipes ? slots_of_recipe(&p->path.recipes[i])
					 : i + 1;

	return own > needed ? own : needed;
}

uint32_t path_slots_needed(const struct compiled_path *p, uint32_t executed)
{
	unsigned needed = 0, first_value = 0, first_insn = 0;

	for (unsigned i = 0; i < p->path.n_blocks && first_insn < executed; i++) {
		const struct tf_block *b = &p->blocks[i].block->block;

		for (unsigned k = 0; k < b->n_operands; k++) {
			const struct tf_operand *o = &b->operands[k];

			if (first_insn + o->insn >= executed)
				break;
			needed = slots_of_value(p, first_value + k, needed);
			for (unsigned j = 0; j < operand_extras(o); j++)
				needed = slots_of_value(p, first_value + o->extra + j, needed);
		}
		first_value += b->n_values;
		first_insn += b->n_insns;
	}
	return needed;
}

/*
 * Returns what is wrong with an exit, or NULL. needed: slots that the blocks up to the exit need.
 */
static const char *check_exit(const struct tf_exit *e, const struct tf_path *path, unsigned needed)
{
	RULE(e->outcome <= TF_TAKEN, "an exit has an unknown outcome");
	RULE(e->n_slots <= path->n_slots, "an exit has more slots than its path");
	RULE(e->rsp_rule <= TF_RSP_SLOT, "an exit has an unknown rule for rsp");
	RULE(e->rsp_rule != TF_RSP_SLOT || e->rsp_slot < e->n_slots,
	     "an exit's rsp is in a slot that it does not have");
	RULE(needed <= e->n_slots, "an exit lacks slots that its blocks need");
	return NULL;
}

static const char *check_exits(const struct compiled_path *p)
{
	uint16_t needed[TF_MAX_PATH_BLOCKS + 1] = { 0 }; /* by number of blocks */
	const struct tf_path *path = &p->path;
	unsigned value = 0, slots = 0;
	const char *why = NULL;

	for (unsigned i = 0; i < path->n_blocks; i++) {
		for (unsigned k = 0; k < p->blocks[i].n_values; k++)
			slots = slots_of_value(p, value++, slots);
		needed[i + 1] = (uint16_t)slots;
	}
	for (unsigned k = 0; k < path->n_exits && !why; k++) {
		const struct tf_exit *e = &path->exits[k];

		RULE(e->n_blocks >= 1 && e->n_blocks <= path->n_blocks,
		     "an exit is not at a block of its path");
		why = check_exit(e, path, needed[e->n_blocks]);
	}
	return why;
}

static void mark_slot(uint64_t *slots, unsigned slot)
{
	slots[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* The bits of wanted_extras.slots, while they are found. */
struct extra_slots {
	uint64_t *reps, *extents;
};

/* Adds the value of an extra. */
static void note_extra(const struct compiled_path *p, struct wanted_extras *extras, uint64_t *slots,
		       unsigned value)
{
	const struct tf_recipe *r = p->path.recipes ? &p->path.recipes[value] : NULL;

	extras->any = true;
	if (!r || r->base == TF_BASE_SLOT)
		mark_slot(slots, r ? r->slot : value);
	if (r && (r->scale || r->bit_string))
		mark_slot(slots, r->index_slot);
	extras->use_rsp |= r && r->base == TF_BASE_RSP;
}

static void find_extras(struct compiled_path *p, const struct extra_slots *slots)
{
	for (unsigned i = 0, value = 0; i < p->path.n_blocks; value += p->blocks[i++].n_values) {
		const struct compiled_block *b = p->blocks[i].block;

		for (unsigned k = 0; k < b->n_dynamic; k++) {
			const struct dynamic_operand *d = &b->dynamic[k];

			p->bounded |= d->form == TF_REP || d->form == TF_SIZED;
			note_extra(p, &p->extents, slots->extents, value + d->value);
			for (unsigned j = 0; d->counts_repetitions && j < 3; j++)
				note_extra(p, &p->reps, slots->reps, value + d->value - 1 + j);
		}
	}
}

static const char *check_path(struct compiled_path *p, const struct extra_slots *slots)
{
	const struct tf_path *path = &p->path;
	uint32_t n_values = 0, n_insns = 0;

	for (unsigned i = 0; i < path->n_blocks; i++) {
		RULE(p->blocks[i].block, "a path names a block that does not exist");
		n_values += p->blocks[i].n_values;
		n_insns += p->blocks[i].n_insns;
		p->dynamic |= p->blocks[i].block->n_dynamic != 0;
	}
	RULE(n_values <= TF_MAX_PATH_VALUES, "a path has too many values");
	RULE(n_values == path->n_values, "a path's number of values is not that of its blocks");
	RULE(path->recipes || path->n_slots == n_values,
	     "a path without recipes has a slot a value");
	p->path.n_insns = n_insns;
	for (unsigned i = 0; path->recipes && i < n_values; i++) {
		const char *why = check_recipe(&path->recipes[i], path->n_slots);

		if (why)
			return why;
		p->uses_rsp |= path->recipes[i].base == TF_BASE_RSP;
	}
	find_extras(p, slots);
	return check_exits(p);
}

/* Returns the outcome of a block inside a path. */
static enum tf_outcome inner_outcome(const struct tf_block *b, const struct tf_block *next)
{
	switch (b->end) {
	case TF_END_JUMP:
	case TF_END_INDIRECT_JUMP:
	case TF_END_CALL:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN: return TF_TAKEN;
	default: return next->pc == b->pc + b->code_size ? TF_NOT_TAKEN : TF_TAKEN;
	}
}

static struct path_block path_block(const struct compiled_block *b,
				    const struct compiled_block *next)
{
	struct path_block pb = { .block = b };

	if (!b)
		return pb;
	pb.n_insns = b->block.n_insns;
	pb.n_values = b->block.n_values;
	if (next)
		pb.outcome = inner_outcome(&b->block, &next->block);
	return pb;
}

/* Fills frame_recipes and special, for which there is room. */
static void compile_recipes(struct compiled_path *p, struct frame_recipe *recipes,
			    uint16_t *special)
{
	for (unsigned i = 0; i < p->path.n_values; i++) {
		const struct tf_recipe *r = &p->path.recipes[i];
		bool unknown = r->base == TF_BASE_UNKNOWN;

		recipes[i].place = r->base == TF_BASE_SLOT  ? FRAME_SLOTS + r->slot
				   : r->base == TF_BASE_RSP ? FRAME_RSP
							    : FRAME_ZERO;
		recipes[i].displacement = unknown ? 0 : (uint64_t)r->displacement;
		if (!unknown && (r->scale || r->bit_string || r->address32 || r->segment))
			special[p->n_special++] = (uint16_t)i;
	}
	p->frame_recipes = recipes;
	p->special = special;
}

static const char *check_limits(const struct tf_path *path)
{
	RULE(path->n_blocks >= 1 && path->n_blocks <= TF_MAX_PATH_BLOCKS,
	     "a path has 1 to 256 blocks");
	RULE(path->n_slots <= TF_MAX_PATH_SLOTS, "a path has too many slots");
	RULE(path->n_exits <= TF_MAX_PATH_EXITS, "a path has too many exits");
	RULE(path->n_values <= TF_MAX_PATH_VALUES, "a path has too many values");
	return NULL;
}

/* Returns true if the counts of an execution depend on its values. */
static bool has_dynamic(const struct tf_path *path, block_lookup *lookup, const void *opaque)
{
	for (unsigned i = 0; i < path->n_blocks; i++) {
		const struct compiled_block *b = lookup(opaque, path->blocks[i]);

		if (b && b->n_dynamic)
			return true;
	}
	return false;
}

/* Keeps only the number of slots that each value needs, in place of the recipes. */
static void keep_value_slots(struct compiled_path *p, uint16_t *value_slots)
{
	for (unsigned i = 0; i < p->path.n_values; i++)
		value_slots[i] = (uint16_t)slots_of_recipe(&p->path.recipes[i]);
	p->value_slots = value_slots;
	p->path.recipes = NULL;
}

/* Compiles a path that is within the limits. */
static struct compiled_path *compile(const struct tf_path *path, enum path_use use,
				     block_lookup *lookup, const void *opaque, uint32_t slot_base,
				     const char **why)
{
	bool dynamic = has_dynamic(path, lookup, opaque);
	bool spare = use == PATH_WRITTEN && !check_limits(path) && !dynamic;
	size_t n_values = path->recipes ? path->n_values : 0, n_recipes = spare ? 0 : n_values;
	size_t n_framed = use == PATH_READ ? n_values : 0;
	size_t blocks_size = path->n_blocks * sizeof(struct path_block);
	size_t slots_size = dynamic ? (path->n_slots + 63u) / 64 * sizeof(uint64_t) : 0;
	size_t exits_size = path->n_exits * sizeof(struct tf_exit);
	size_t recipes_size = n_recipes * sizeof(struct tf_recipe);
	size_t frame_size = n_framed * sizeof(struct frame_recipe);
	size_t ids_size = path->n_blocks * sizeof(uint32_t);
	const struct compiled_block *next = NULL;
	struct compiled_path *p;
	struct extra_slots slots;
	char *at;

	p = malloc(sizeof(*p) + blocks_size + 2 * slots_size + exits_size + recipes_size +
		   frame_size + ids_size + n_values * sizeof(uint16_t));
	if (!p)
		return NULL;
	*p = (struct compiled_path){ .path = *path, .slot_base = slot_base };
	for (unsigned i = path->n_blocks; i--; next = p->blocks[i].block)
		p->blocks[i] = path_block(lookup(opaque, path->blocks[i]), next);
	at = (char *)p->blocks + blocks_size;
	p->reps.slots = slots.reps = memset(at, 0, slots_size);
	at += slots_size;
	p->extents.slots = slots.extents = memset(at, 0, slots_size);
	at += slots_size;
	p->path.exits = exits_size ? memcpy(at, path->exits, exits_size) : NULL;
	at += exits_size;
	if (path->recipes && !spare)
		p->path.recipes = memcpy(at, path->recipes, recipes_size);
	at += recipes_size;
	p->path.blocks = memcpy(at + frame_size, path->blocks, ids_size);
	*why = check_path(p, &slots);
	if (*why) {
		free(p);
		return NULL;
	}
	if (path->recipes && spare)
		keep_value_slots(p, (uint16_t *)(at + ids_size));
	else if (path->recipes && use == PATH_READ)
		compile_recipes(p, (struct frame_recipe *)at,
				(uint16_t *)(at + frame_size + ids_size));
	return p;
}

struct compiled_path *path_compile(const struct tf_path *path, enum path_use use,
				   block_lookup *lookup, const void *opaque, uint32_t slot_base,
				   const char **why)
{
	*why = check_limits(path);
	return *why ? NULL : compile(path, use, lookup, opaque, slot_base, why);
}

void exit_compile(const struct compiled_path *p, unsigned k, struct exit_entry *entry)
{
	const struct tf_exit *e;

	*entry = (struct exit_entry){
		.path = p,
		.outcome = TF_PARTIAL,
		.uses_rsp = p->uses_rsp,
		.framed = p->frame_recipes != NULL,
		.slot_base = p->slot_base,
		.has_reps = p->reps.any,
		.has_extents = p->extents.any,
		.bounded = p->bounded,
	};
	if (k >= p->path.n_exits)
		return;
	e = &p->path.exits[k];
	entry->n_blocks = e->n_blocks;
	entry->only = e->n_blocks == 1 ? &p->blocks[0].block->block : NULL;
	entry->n_slots = e->n_slots;
	entry->outcome = e->outcome;
	entry->rsp_rule = e->rsp_rule;
	entry->rsp_slot = e->rsp_slot;
	entry->rsp_value = e->rsp_value;
	for (unsigned i = 0; i < e->n_blocks; i++) {
		entry->n_insns += p->blocks[i].n_insns;
		entry->n_values = (uint16_t)(entry->n_values + p->blocks[i].n_values);
	}
}

struct static_counts exit_counts(const struct exit_entry *e)
{
	struct static_counts sum = { 0 };

	for (unsigned i = 0; i < e->n_blocks; i++) {
		const struct static_counts *b = &e->path->blocks[i].block->counts;

		sum.loads += b->loads;
		sum.stores += b->stores;
		sum.prefetches += b->prefetches;
		sum.opaque += b->opaque;
	}
	return sum;
}

/* Steps through the dynamic operands among a path's first `executed` instructions. */
struct dynamic_walk {
	const struct compiled_path *path;
	uint32_t executed;
	unsigned block, k;                /* the next one */
	uint32_t first_insn, first_value; /* of that block */
};

/* Returns the next dynamic operand, or NULL. *value is the index of its value among the path's. */
static inline const struct dynamic_operand *next_dynamic(struct dynamic_walk *w, uint32_t *value)
{
	const struct compiled_path *p = w->path;

	while (w->block < p->path.n_blocks && w->first_insn < w->executed) {
		const struct compiled_block *b = p->blocks[w->block].block;
		const struct dynamic_operand *d = &b->dynamic[w->k];

		if (w->k < b->n_dynamic && w->first_insn + d->insn < w->executed) {
			w->k++;
			*value = w->first_value + d->value;
			return d;
		}
		w->first_insn += b->block.n_insns;
		w->first_value += b->block.n_values;
		w->block++;
		w->k = 0;
	}
	return NULL;
}

/* Adds without wrapping, since a chunk's repetitions are compared with a limit. */
static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Returns the extent of an operand whose count, mask or size is v. */
static inline uint64_t extent_of(const struct dynamic_operand *d, uint64_t v)
{
	return d->form == TF_REP || d->form == TF_SIZED
		       ? v
		       : (uint64_t)__builtin_popcountll(v & d->lanes);
}

static void count_operand(const struct dynamic_operand *d, uint64_t v, struct tf_totals *totals)
{
	uint64_t n = extent_of(d, v);

	if (d->access & TF_LOAD)
		totals->loads += n;
	if (d->access & TF_STORE)
		totals->stores += n;
	if (d->access & TF_PREFETCH)
		totals->prefetches += n;
	if (d->counts_repetitions)
		totals->repetitions = add_saturated(totals->repetitions, n);
}

static void count_dynamic(const struct compiled_path *p, uint32_t executed, const uint64_t *slots,
			  const struct recipe_registers *registers, struct tf_totals *totals)
{
	struct dynamic_walk walk = { .path = p, .executed = executed };
	const struct dynamic_operand *d;
	uint32_t value;

	while ((d = next_dynamic(&walk, &value)))
		if (d->form != TF_SIZED) /* one access, which is counted with the others */
			count_operand(d, path_value(p, value, slots, registers), totals);
}

void exit_count(const struct exit_entry *exit, const struct static_counts *counts,
		uint32_t executed, const uint64_t *slots, const struct recipe_registers *registers,
		struct tf_totals *totals)
{
	const struct compiled_path *p = exit->path;
	struct static_counts partial = { 0 };
	unsigned n_blocks = exit->n_blocks;

	if (exit->outcome == TF_PARTIAL) {
		for (uint32_t first = 0; first < executed; first += p->blocks[n_blocks++].n_insns)
			block_count(p->blocks[n_blocks].block, executed - first, &partial);
		counts = &partial;
	}
	totals->paths++;
	totals->blocks += n_blocks;
	totals->instructions += executed;
	totals->loads += counts->loads;
	totals->stores += counts->stores;
	totals->prefetches += counts->prefetches;
	totals->opaque += counts->opaque;
	if (p->dynamic)
		count_dynamic(p, executed, slots, registers, totals);
}

size_t path_repetitions(const struct compiled_path *p, uint32_t executed, const uint64_t *slots,
			const struct recipe_registers *registers, uint64_t *values)
{
	struct dynamic_walk walk = { .path = p, .executed = executed };
	const struct dynamic_operand *d;
	uint32_t value;
	size_t n = 0;

	while ((d = next_dynamic(&walk, &value)))
		for (unsigned j = 0; d->counts_repetitions && j < 3; j++)
			values[n++] = path_value(p, value - 1 + j, slots, registers);
	return n;
}

/* Subtracts the repetitions of an operand; returns false if v is beyond a limit. */
static inline bool value_fits(const struct dynamic_operand *d, uint64_t v, uint64_t *repetitions)
{
	if (d->form == TF_SIZED)
		return v <= TF_MAX_OPERAND_BYTES;
	if (!d->counts_repetitions)
		return true;
	if (v > *repetitions)
		return false;
	*repetitions -= v;
	return true;
}

size_t path_extents(const struct compiled_path *p, uint32_t executed, const uint64_t *slots,
		    const struct recipe_registers *registers, uint64_t *extents,
		    uint64_t *repetitions, bool *fit)
{
	struct dynamic_walk walk = { .path = p, .executed = executed };
	const struct dynamic_operand *d;
	uint32_t value;
	size_t n = 0;

	*fit = true;
	while ((d = next_dynamic(&walk, &value))) {
		uint64_t v = path_value(p, value, slots, registers);

		extents[n++] = extent_of(d, v);
		*fit = *fit && value_fits(d, v, repetitions);
	}
	return n;
}

bool path_values_fit(const struct compiled_path *p, uint32_t executed, const uint64_t *values,
		     uint64_t *repetitions)
{
	struct dynamic_walk walk = { .path = p, .executed = executed };
	const struct dynamic_operand *d;
	uint32_t value;

	while ((d = next_dynamic(&walk, &value)))
		if (!value_fits(d, values[value], repetitions))
			return false;
	return true;
}

bool path_sizes_fit(const struct compiled_path *p, uint32_t executed, const uint64_t *slots,
		    const struct recipe_registers *registers)
{
	struct dynamic_walk walk = { .path = p, .executed = executed };
	const struct dynamic_operand *d;
	uint32_t value;

	while ((d = next_dynamic(&walk, &value)))
		if (d->form == TF_SIZED &&
		    path_value(p, value, slots, registers) > TF_MAX_OPERAND_BYTES)
			return false;
	return true;
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
