/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/lengths.h"

#include "cli/common/checked.h"

void bbv_lengths_free(struct bbv_lengths *lengths)
{
	TABLE_FREE(lengths->known);
}

void bbv_lengths_add(struct bbv_lengths *lengths, uint32_t thread, uint64_t ordinal,
		     uint64_t instructions)
{
	struct bbv_place_of_thread key = { thread, ordinal };
	struct bbv_length *length = checked(TABLE_PUT(lengths->known, key));

	length->instructions = instructions;
}

uint64_t bbv_length_at(const struct bbv_lengths *lengths, uint32_t thread, uint64_t ordinal)
{
	struct bbv_place_of_thread key = { thread, ordinal };
	const struct bbv_length *length = TABLE_FIND(lengths->known, key);

	if (length)
		return length->instructions;
	return ordinal > lengths->first ? ordinal - lengths->first : 0;
}
