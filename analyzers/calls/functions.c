/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/functions.h"

#include "analyzers/program/whole_symbol.h"
#include "cli/common/checked.h"

static uint32_t number_of(struct call_functions *f, const struct tf_symbol *symbol,
			  const char *label, uint32_t module)
{
	const struct call_function *function = checked(
		TABLE_PUT(f->functions, { symbol, label, module }));

	return (uint32_t)(function - f->functions.at);
}

static void add_pieces(struct call_functions *f, const struct tf_block *block)
{
	const struct tf_symbol *symbol = NULL, *last = NULL;
	struct call_piece *piece = NULL;

	for (unsigned i = 0; i < block->n_insns; i++) {
		uint64_t offset = block->module_offset + block->insns[i].offset;

		symbol = block->module == TF_NONE ? NULL
						  : tf_symbol(f->reader, block->module, offset);
		if (piece && symbol == last) {
			piece->end++;
			continue;
		}
		CHECKED_RESERVE(f->pieces, f->pieces.count + 1);
		piece = &f->pieces.at[f->pieces.count++];
		*piece = (struct call_piece){
			number_of(f, whole_symbol(f->reader, block->module, symbol), NULL,
				  block->module),
			(uint16_t)i, (uint16_t)(i + 1), symbol && symbol->value == offset
		};
		last = symbol;
	}
}

void call_functions_init(struct call_functions *f, const struct tf_reader *reader)
{
	uint32_t n = tf_n_blocks(reader);

	*f = (struct call_functions){ .reader = reader };
	f->first_piece = checked_array(n + (size_t)1, sizeof(*f->first_piece));
	for (uint32_t id = 0; id < n; id++) {
		if (tf_block(reader, id))
			add_pieces(f, tf_block(reader, id));
		f->first_piece[id + 1] = (uint32_t)f->pieces.count;
	}
}

void call_functions_free(struct call_functions *f)
{
	TABLE_FREE(f->functions);
	free(f->first_piece);
	free(f->pieces.at);
}

uint32_t call_functions_label(struct call_functions *f, const char *label)
{
	return number_of(f, NULL, label, TF_NONE);
}
