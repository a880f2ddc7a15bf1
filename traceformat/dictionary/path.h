/* SPDX-License-Identifier: MIT */
/*
 * Prepares the static part of a trace for writer and reader. Blocks and paths are checked against
 * every rule of FORMAT.md 4 and copied, and the counts of each exit are summed up in advance.
 */
#ifndef PATH_H
#define PATH_H

#include "traceformat/tracewriter.h"

/* Counts of executed instructions that do not depend on their slots. */
struct static_counts {
	uint32_t loads, stores, prefetches, opaque;
};

/* An operand whose number or size of accesses is known only at execution. */
struct dynamic_operand {
	uint16_t insn;  /* index in the block */
	uint16_t value; /* index in the block's values of the count, mask or size */
	uint8_t access;
	uint8_t form;
	bool counts_repetitions; /* the first operand of its rep instruction */
	uint64_t lanes;          /* the mask of all its lanes */
};

struct compiled_block {
	struct tf_block block;
	struct static_counts counts; /* of all its instructions */
	unsigned n_dynamic;
	const struct dynamic_operand *dynamic;
};

/*
 * Checks a block and copies it with its arrays into one allocation (free it with free()). Extras
 * are numbered by FORMAT.md 4.2; if the caller numbered them (n_values not 0), the numbers must be
 * the same. Returns NULL with *why set to a sentence, or to NULL if memory is out.
 */
struct compiled_block *block_compile(const struct tf_block *block, const char **why);

/* Returns how many extras an operand has. */
unsigned operand_extras(const struct tf_operand *operand);

/* Adds the counts of the block's first `executed` instructions to *sum. */
void block_count(const struct compiled_block *block, uint32_t executed, struct static_counts *sum);

/* The facts about a block of a path that a replay needs, so that it need not read the block. */
struct path_block {
	const struct compiled_block *block;
	uint16_t n_insns, n_values;
	uint8_t outcome; /* enum tf_outcome, if the path goes on behind it */
};

/*
 * The base and displacement of a recipe: value = frame[place] + displacement. A frame holds 0, rsp
 * at the path's entry, and the slots.
 */
struct frame_recipe {
	uint64_t displacement;
	uint32_t place;
};
enum {
	FRAME_ZERO = 0,
	FRAME_RSP = 1,
	FRAME_SLOTS = 2,
	FRAME_SIZE = FRAME_SLOTS + TF_MAX_PATH_SLOTS,
};

/* Extras of a path that a reader may want without the rest, and the slots that they follow from. */
struct wanted_extras {
	bool any;
	bool use_rsp;
	const uint64_t *slots; /* a bit a slot */
};

static inline bool extras_take(const struct wanted_extras *extras, uint32_t slot)
{
	return extras->any && extras->slots[slot / 64] >> slot % 64 & 1;
}

struct compiled_path {
	struct tf_path path;
	uint32_t slot_base; /* of its slots' states among those of all paths */
	bool uses_rsp;
	bool dynamic;                 /* some block has dynamic operands, */
	bool bounded;                 /* whose values have limits: rep or sized ones */
	struct wanted_extras reps;    /* all of its rep instructions */
	struct wanted_extras extents; /* counts, masks and sizes of its dynamic operands */
	uint16_t n_special;
	const struct frame_recipe *frame_recipes; /* of all values; NULL: value i is slot i,
							   or not read */
	const uint16_t *special;     /* values whose recipe takes more than a frame_recipe */
	const uint16_t *value_slots; /* NULL, or in place of recipes: how many slots each value
					   needs */
	struct path_block blocks[];
};

/*
 * Returns the outcome of block k of an execution that ran all of the block, and `left` instructions
 * of the path after it. outcome: that of the execution. A partial execution that ends between two
 * blocks was about to go on with the second one.
 */
static inline uint8_t path_outcome(const struct compiled_path *p, uint32_t k, uint32_t left,
				   uint8_t outcome)
{
	bool is_inner = left || (outcome == TF_PARTIAL && k + 1 < p->path.n_blocks);

	return is_inner ? p->blocks[k].outcome : outcome;
}

/* The effects of leaving a path by one exit. */
struct exit_entry {
	const struct compiled_path *path; /* NULL: lost */
	const struct tf_block *only;      /* the block, if it executes just one */
	int64_t rsp_value;
	uint32_t n_insns; /* 0: the partial exit, or lost */
	uint16_t n_blocks;
	uint16_t n_slots;
	uint16_t n_values;
	uint16_t rsp_slot;
	uint8_t outcome;
	uint8_t rsp_rule;
	bool uses_rsp, framed;               /* the path's: framed if it has recipes */
	bool has_reps, has_extents, bounded; /* the path */
	uint32_t slot_base;                  /* the path's */
};

/* Finds a block by id; NULL if there is none. */
typedef const struct compiled_block *block_lookup(const void *opaque, uint32_t id);

/*
 * The purpose for which a path is compiled. Only a reader of executions needs frame_recipes. A
 * writer keeps recipes only where it counts accesses by them, and value_slots elsewhere, because a
 * trace may have many paths.
 */
enum path_use { PATH_WRITTEN, PATH_READ };

/*
 * Checks a path and copies it into one allocation (free it with free()). Returns NULL with *why set
 * to a sentence, or to NULL if memory is out. slot_base: the number of states of all paths before
 * it.
 */
struct compiled_path *path_compile(const struct tf_path *path, enum path_use use,
				   block_lookup *lookup, const void *opaque, uint32_t slot_base,
				   const char **why);

/* Returns how many slots a record of the path's first `executed` instructions must have. */
uint32_t path_slots_needed(const struct compiled_path *path, uint32_t executed);

/* Fills the entry of exit k; k == n_exits is the partial exit. */
void exit_compile(const struct compiled_path *path, unsigned k, struct exit_entry *entry);

/* Returns the counts of leaving by the exit; zeros for the partial exit. */
struct static_counts exit_counts(const struct exit_entry *exit);

/* Registers that recipes use. */
struct recipe_registers {
	uint64_t rsp;
	uint64_t segment[3]; /* by enum tf_segment; [0] is 0 */
};

static inline uint64_t recipe_value(const struct tf_recipe *r, const uint64_t *slots,
				    const struct recipe_registers *registers)
{
	uint64_t v = (uint64_t)r->displacement;

	if (r->base == TF_BASE_SLOT)
		v += slots[r->slot];
	else if (r->base == TF_BASE_RSP)
		v += registers->rsp;
	else if (r->base == TF_BASE_UNKNOWN)
		return 0;
	if (r->scale)
		v += slots[r->index_slot] * r->scale;
	if (r->bit_string)
		v += (uint64_t)((int64_t)slots[r->index_slot] >> __builtin_ctz(r->bit_string)) *
		     (r->bit_string / 8);
	if (r->address32)
		v = (uint32_t)v;
	return v + registers->segment[r->segment];
}

static inline uint64_t path_value(const struct compiled_path *p, uint32_t i, const uint64_t *slots,
				  const struct recipe_registers *registers)
{
	return p->path.recipes ? recipe_value(&p->path.recipes[i], slots, registers) : slots[i];
}

/*
 * Adds to *totals the counts of one execution that left the path by `exit` (the partial one
 * included) after `executed` instructions. counts: those of the exit.
 */
void exit_count(const struct exit_entry *exit, const struct static_counts *counts,
		uint32_t executed, const uint64_t *slots, const struct recipe_registers *registers,
		struct tf_totals *totals);

/* Returns rsp after leaving by exit (not the partial one). */
static inline uint64_t exit_rsp(const struct exit_entry *e, const uint64_t *slots, uint64_t rsp)
{
	if (e->rsp_rule == TF_RSP_DELTA)
		return rsp + (uint64_t)e->rsp_value;
	if (e->rsp_rule == TF_RSP_SLOT)
		return slots[e->rsp_slot] + (uint64_t)e->rsp_value;
	return rsp;
}

/*
 * Writes the three extras of each rep instruction among the path's first `executed`; returns the
 * number of values written. values must have room for all of the path's.
 */
size_t path_repetitions(const struct compiled_path *path, uint32_t executed, const uint64_t *slots,
			const struct recipe_registers *registers, uint64_t *values);

/*
 * Writes the extent of each dynamic operand among the path's first `executed` instructions: its
 * bytes if it is sized, else the number of its accesses. Returns the number of extents. Subtracts
 * repetitions from *repetitions; *fit becomes false where path_values_fit is.
 */
size_t path_extents(const struct compiled_path *path, uint32_t executed, const uint64_t *slots,
		    const struct recipe_registers *registers, uint64_t *extents,
		    uint64_t *repetitions, bool *fit);

/*
 * Subtracts from *repetitions those of the rep instructions among the path's first `executed`, as
 * the values give them. Returns false if there are more than *repetitions, or if the size of an
 * operand is beyond the format's limit.
 */
bool path_values_fit(const struct compiled_path *path, uint32_t executed, const uint64_t *values,
		     uint64_t *repetitions);

/*
 * Returns false if the size of an operand among the path's first `executed` instructions, as the
 * slots give it, is beyond the format's limit.
 */
bool path_sizes_fit(const struct compiled_path *path, uint32_t executed, const uint64_t *slots,
		    const struct recipe_registers *registers);

void totals_add(struct tf_totals *sum, const struct tf_totals *part);

#endif
