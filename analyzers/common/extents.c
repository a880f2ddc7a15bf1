/* SPDX-License-Identifier: MIT */
#include "analyzers/common/extents.h"
#include "traceformat/tracewriter.h"

/* Returns true if the values give the block's extents. recipes: those of the block's values. */
static bool block_known(const struct tf_block *block, const struct tf_recipe *recipes,
			bool reps_only)
{
	for (size_t i = 0; i < block->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];
		size_t n = operand->form == TF_REP ? 3 : operand->form != TF_PLAIN && !reps_only;

		for (size_t k = 0; k < n; k++)
			if (recipes[operand->extra + k].base == TF_BASE_UNKNOWN)
				return false;
	}
	return true;
}

bool extents_known(const struct tf_reader *reader, bool reps_only)
{
	for (uint32_t id = 0; id < tf_n_paths(reader); id++) {
		const struct tf_path *path = tf_path(reader, id);
		const struct tf_recipe *recipes = path ? path->recipes : NULL;

		for (size_t i = 0; recipes && i < path->n_blocks; i++) {
			const struct tf_block *block = tf_block(reader, path->blocks[i]);

			if (!block_known(block, recipes, reps_only))
				return false;
			recipes += block->n_values;
		}
	}
	return true;
}
