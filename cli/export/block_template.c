/* SPDX-License-Identifier: MIT */
#include "cli/export/block_template.h"

#include <stdlib.h>

struct block_templates block_templates_new(struct tf_reader *reader)
{
	uint32_t n = tf_n_blocks(reader);

	return (struct block_templates){ checked_array(n, sizeof(struct block_template)), n };
}

void block_templates_free(struct block_templates *templates)
{
	for (uint32_t i = 0; i < templates->count; i++) {
		free(templates->at[i].bytes.at);
		free(templates->at[i].fields.at);
	}
	free(templates->at);
}

bool is_template_insn(const struct tf_block *block, const struct tf_insn *insn)
{
	if (insn->flags & (TF_INSN_REP | TF_INSN_OPAQUE))
		return false;
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (block->operands[insn->first_operand + i].form != TF_PLAIN)
			return false;
	return true;
}

bool is_template_block(struct block_template *t, const struct tf_block *block)
{
	if (t->made)
		return t->usable;
	t->made = t->usable = true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++)
		t->usable = t->usable && is_template_insn(block, &block->insns[i]);
	return t->usable;
}

size_t template_add(struct block_template *t, const void *bytes, size_t size)
{
	size_t offset = t->bytes.count;

	CHECKED_RESERVE(t->bytes, offset + size);
	memcpy(t->bytes.at + offset, bytes, size);
	t->bytes.count += size;
	return offset;
}

void template_add_field(struct block_template *t, size_t offset, unsigned value)
{
	CHECKED_RESERVE(t->fields, t->fields.count + 1);
	t->fields.at[t->fields.count++] = (struct template_field){ (uint32_t)offset,
								   (uint32_t)value };
}
