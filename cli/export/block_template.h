/* SPDX-License-Identifier: MIT */
/*
 * The records that every execution of a block shares: those of its instructions but the last one,
 * whose successor differs. An execution fills in its addresses.
 */
#ifndef BLOCK_TEMPLATE_H
#define BLOCK_TEMPLATE_H

#include <string.h>

#include "cli/common/checked.h"
#include "cli/export/exporter.h"
#include "traceformat/traceformat.h"
#include "traceformat/common/array.h"

/* A field of 8 bytes that an address of the execution fills. */
struct template_field {
	uint32_t offset;
	uint32_t value; /* index into the values of the execution */
};

struct block_template {
	ARRAY(uint8_t) bytes; /* records */
	ARRAY(struct template_field) fields;
	uint64_t n_records;
	uint64_t lost;           /* parts of the trace that the records have no room for, */
	uint64_t lost_registers; /* of another kind than these */
	uint64_t part; /* of the file for which the format has checked the template, + 1 */
	bool made;
	bool usable; /* false: the instructions must be written one by one */
};

/* The templates of all blocks of a trace, by their ids. */
struct block_templates {
	struct block_template *at;
	uint32_t count;
};

/* Ends the process without memory. */
struct block_templates block_templates_new(struct tf_reader *reader);
void block_templates_free(struct block_templates *templates);

/*
 * Returns true if the records of an instruction inside of a block can be part of a template: its
 * operands are plain ones, so that each has one address.
 */
bool is_template_insn(const struct tf_block *block, const struct tf_insn *insn);

/*
 * Returns true if all instructions of a block but the last one are such. The first call for a
 * template computes the answer.
 */
bool is_template_block(struct block_template *t, const struct tf_block *block);

/* Adds bytes to the records. Returns their offset. */
size_t template_add(struct block_template *t, const void *bytes, size_t size);

/* Makes the 8 bytes at an offset of the records a field of the address with that index. */
void template_add_field(struct block_template *t, size_t offset, unsigned value);

/* Puts the addresses of an execution into the records. */
static inline void template_fill(struct block_template *t, const uint64_t *values)
{
	for (size_t i = 0; i < t->fields.count; i++)
		memcpy(t->bytes.at + t->fields.at[i].offset, &values[t->fields.at[i].value],
		       sizeof(*values));
}

/* Writes the records with the addresses of an execution. */
static inline void template_put(struct export_run *e, struct block_template *t,
				const uint64_t *values)
{
	template_fill(t, values);
	pack_write(e->out, t->bytes.at, t->bytes.count);
	e->records += t->n_records;
}

#endif
