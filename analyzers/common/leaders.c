/* SPDX-License-Identifier: MIT */
#include "analyzers/common/leaders.h"

#include <stdlib.h>

#include "cli/common/checked.h"

/* A place in code: of a module, or without one. value is stored plus 1, for 0 is a free slot. */
struct place {
	uint64_t value;
	uint32_t module;
};

struct set {
	struct place *slots; /* open addressing */
	size_t mask;
};

struct leaders {
	struct set set;
};

static struct place *slot_of(const struct set *set, struct place place)
{
	size_t i = (place.value ^ (uint64_t)place.module << 40) * 0x9e3779b97f4a7c15 >> 20;

	for (i &= set->mask; set->slots[i].value; i = (i + 1) & set->mask)
		if (set->slots[i].value == place.value && set->slots[i].module == place.module)
			break;
	return &set->slots[i];
}

static void set_begin(struct set *set, size_t expected)
{
	*set = (struct set){ .mask = 1023 };
	while (set->mask < 2 * expected)
		set->mask = 2 * set->mask + 1;
	set->slots = checked_array(set->mask + 1, sizeof(*set->slots));
}

static void add(struct set *set, struct place place)
{
	*slot_of(set, place) = place;
}

static bool has(const struct set *set, struct place place)
{
	return slot_of(set, place)->value;
}

/* Returns the place `distance` bytes after a basic block's start. */
static struct place place_at(const struct tf_block *block, uint64_t distance)
{
	uint64_t base = block->module == TF_NONE ? block->pc : block->module_offset;

	return (struct place){ base + distance + 1, block->module };
}

/* Returns true if the trace divides code after this block although control falls through. */
static bool goes_on(const struct tf_block *block)
{
	return block->end == TF_END_NONE || block->end == TF_END_OPAQUE;
}

/* Returns a block of the code that is looked at, or NULL. */
static const struct tf_block *block_of(const struct tf_reader *reader,
				       const struct executed *executed, uint32_t id)
{
	return !executed || executed->blocks[id] ? tf_block(reader, id) : NULL;
}

struct leaders *leaders_of(const struct tf_reader *reader, const struct executed *executed)
{
	struct leaders *leaders = checked_array(1, sizeof(*leaders));
	size_t n_resumed = executed ? executed->n_resumed : 0;
	struct set continued;
	uint32_t n = tf_n_blocks(reader);

	set_begin(&leaders->set, 3 * (size_t)n);
	set_begin(&continued, n + n_resumed);
	for (size_t i = 0; i < n_resumed; i++) {
		const struct code_point *point = &executed->resumed[i];
		const struct tf_block *block = tf_block(reader, point->block);

		add(&continued, place_at(block, block->insns[point->insn].offset));
	}
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = block_of(reader, executed, id);

		if (!block)
			continue;
		if (block->target)
			add(&leaders->set, place_at(block, block->target - block->pc));
		add(goes_on(block) ? &continued : &leaders->set, place_at(block, block->code_size));
	}
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = block_of(reader, executed, id);

		if (block && !has(&continued, place_at(block, 0)))
			add(&leaders->set, place_at(block, 0));
	}
	free(continued.slots);
	return leaders;
}

void leaders_free(struct leaders *leaders)
{
	if (!leaders)
		return;
	free(leaders->set.slots);
	free(leaders);
}

bool leads(const struct leaders *leaders, const struct tf_block *block, unsigned index)
{
	return has(&leaders->set, place_at(block, block->insns[index].offset));
}
