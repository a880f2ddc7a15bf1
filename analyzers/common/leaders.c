/* SPDX-License-Identifier: MIT */
#include "analyzers/common/leaders.h"

#include <stdlib.h>

#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

struct leader {
	struct code_place key;
};

struct leaders {
	HASH_TABLE(struct leader) places;
};

/* Returns a block of the code that is looked at, or NULL. */
static const struct tf_block *block_of(const struct tf_reader *reader,
				       const struct executed *executed, uint32_t id)
{
	return !executed || executed->reached[id] ? tf_block(reader, id) : NULL;
}

static void add(struct leaders *leaders, struct code_place place)
{
	checked(TABLE_PUT(leaders->places, place));
}

static bool has(const struct leaders *leaders, struct code_place place)
{
	return TABLE_FIND(leaders->places, place);
}

struct leaders *leaders_of(const struct tf_reader *reader, const struct executed *executed)
{
	struct leaders *leaders = checked_array(1, sizeof(*leaders));
	struct leaders continued = { 0 };
	uint32_t n = tf_n_blocks(reader);

	for (size_t i = 0; executed && i < executed->n_resumed; i++) {
		const struct code_point *point = &executed->resumed[i];
		const struct tf_block *block = tf_block(reader, point->block);

		add(&continued, code_place_at(block, block->insns[point->insn].offset));
	}
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = block_of(reader, executed, id);

		if (!block)
			continue;
		if (block->target)
			add(leaders, code_place_at(block, block->target - block->pc));
		add(falls_through(block) ? &continued : leaders,
		    code_place_at(block, block->code_size));
	}
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = block_of(reader, executed, id);

		if (block && !has(&continued, code_place_at(block, 0)))
			add(leaders, code_place_at(block, 0));
	}
	TABLE_FREE(continued.places);
	return leaders;
}

void leaders_free(struct leaders *leaders)
{
	if (!leaders)
		return;
	TABLE_FREE(leaders->places);
	free(leaders);
}

bool leads(const struct leaders *leaders, const struct tf_block *block, unsigned index)
{
	return has(leaders, code_place_at(block, block->insns[index].offset));
}
