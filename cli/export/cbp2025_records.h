/* SPDX-License-Identifier: MIT */
/*
 * The records of traces of the branch prediction championship of 2025: how they are made, which the
 * writers of instructions and of blocks share.
 */
#ifndef CBP2025_RECORDS_H
#define CBP2025_RECORDS_H

#include <string.h>

#include "cli/export/block_template.h"
#include "cli/export/insn_cache.h"

enum {
	CBP_ALU = 0,
	CBP_LOAD = 1,
	CBP_STORE = 2,
	CBP_CONDITIONAL = 3,
	CBP_JUMP = 4,
	CBP_INDIRECT_JUMP = 5,
	CBP_FLOATING_POINT = 6,
	CBP_SLOW_ALU = 7,
	CBP_CALL = 9,
	CBP_INDIRECT_CALL = 10,
	CBP_RETURN = 11,
	CBP_STACK_POINTER = 31,
	CBP_VECTORS = 32, /* register number of the first of 32 */
	CBP_FLAGS = 64,
	CBP_ZERO = 65,
	CBP_MAX_INPUTS = 3,
	CBP_MAX_REGISTERS = 16,
	CBP_MAX_BYTES = 128, /* of an access, in one record */
	CBP_MAX_RECORD = 512,
};

struct cbp_registers {
	uint8_t at[CBP_MAX_REGISTERS];
	uint8_t count;
};

struct cbp_entry {
	struct cbp_registers from, to;
	uint8_t compute_class;
};

struct cbp {
	struct block_templates blocks;
	struct insn_cache *insns;
};

/* The functions return the place behind what they have added to a record in the output's buffer. */
static inline uint8_t *cbp_add_byte(uint8_t *at, uint64_t value)
{
	*at = (uint8_t)value;
	return at + 1;
}

static inline uint8_t *cbp_add_address(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint8_t *cbp_begin_record(uint8_t *at, uint64_t pc, unsigned record_class)
{
	return cbp_add_byte(cbp_add_address(at, pc), record_class);
}

static inline uint8_t *cbp_add_set(uint8_t *at, const struct cbp_registers *set, uint8_t most,
				   uint64_t *lost)
{
	uint8_t n = set->count < most ? set->count : most;

	*lost += set->count - n;
	at = cbp_add_byte(at, n);
	memcpy(at, set->at, sizeof(set->at));
	return at + n;
}

static inline uint8_t *cbp_add_value(uint8_t *at, uint8_t number)
{
	enum { GENERAL = 8, VECTOR = 16 };

	memset(at, 0, VECTOR);
	return at + (number >= CBP_VECTORS && number < CBP_FLAGS ? VECTOR : GENERAL);
}

/*
 * Ends a record with its inputs, outputs, and a value of 0 for each output. *lost grows by the
 * registers that are left out.
 */
static inline uint8_t *cbp_end_record(uint8_t *at, const struct cbp_registers *from,
				      uint8_t most_from, const struct cbp_registers *to,
				      uint8_t most_to, uint64_t *lost)
{
	at = cbp_add_set(at, from, most_from, lost);
	at = cbp_add_set(at, to, most_to, lost);
	for (uint8_t i = 0; i < to->count && i < most_to; i++)
		at = cbp_add_value(at, to->at[i]);
	return at;
}

static const struct cbp_registers cbp_none, cbp_zero = { { CBP_ZERO }, 1 };

/* Part of an access, of at most CBP_MAX_BYTES. */
struct cbp_part {
	uint64_t pc, address;
	uint8_t size;
};

/* The functions make a record at a place with room for CBP_MAX_RECORD bytes. */
static inline uint8_t *cbp_make_load(uint8_t *at, const struct cbp_entry *entry,
				     struct cbp_part part, bool result, uint64_t *lost)
{
	const struct cbp_registers *to = result && entry->to.count ? &entry->to : &cbp_zero;

	at = cbp_begin_record(at, part.pc, CBP_LOAD);
	at = cbp_add_address(at, part.address);
	at = cbp_add_byte(at, part.size);
	at = cbp_add_byte(at, 0); /* the base register is not updated */
	return cbp_end_record(at, &entry->from, CBP_MAX_INPUTS, to, 1, lost);
}

static inline uint8_t *cbp_make_store(uint8_t *at, const struct cbp_entry *entry,
				      struct cbp_part part, uint64_t *lost)
{
	struct cbp_registers from = entry->from;

	at = cbp_begin_record(at, part.pc, CBP_STORE);
	at = cbp_add_address(at, part.address);
	at = cbp_add_byte(at, part.size);
	at = cbp_add_byte(at, 0);
	at = cbp_add_byte(at, 0); /* no offset in a register */
	while (from.count < 2)
		from.at[from.count++] = CBP_ZERO;
	return cbp_end_record(at, &from, 2, &cbp_none, 0, lost);
}

static inline uint8_t *cbp_make_compute(uint8_t *at, const struct cbp_entry *entry, uint64_t pc,
					uint64_t *lost)
{
	at = cbp_begin_record(at, pc, entry->compute_class);
	return cbp_end_record(at, &entry->from, CBP_MAX_INPUTS, &entry->to, CBP_MAX_REGISTERS,
			      lost);
}

/* Writes a block, as in struct exporter. */
bool cbp_put_block(struct export_run *e, const struct tf_block *block, const uint64_t *values,
		   uint64_t ordinal);

#endif
