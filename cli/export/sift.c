/* SPDX-License-Identifier: MIT */
/*
 * SIFT, the traces of the simulator Sniper. An instruction that follows the one before in memory is
 * a byte and its addresses; any other has its pc, too. The code of an instruction comes before its
 * first execution, in records of variable length.
 */
#include <string.h>

#include "cli/common/checked.h"
#include "cli/export/block_template.h"
#include "cli/export/formats.h"
#include "cli/export/insn_cache.h"
#include "traceformat/common/hash_table.h"

enum {
	MAGIC = 0x54464953,
	VARIABLE_CODE = 4, /* option: records of code of any length */
	CODE = 11,         /* types of other records */
	END = 255,
	MAX_ADDRESSES = 3,
};

/* The code that the file last has for an address. */
struct code {
	uint64_t key; /* pc */
	const uint8_t *code;
	uint8_t length;
};

/* Facts about a static instruction: where its address is in codes, + 1; 0: not known yet. */
struct entry {
	uint32_t place;
};

struct sift {
	struct block_templates blocks;
	struct insn_cache *insns;
	HASH_TABLE(struct code) codes;
	uint64_t code_changes; /* of addresses to which the file had given other code */
	uint64_t expected;     /* pc of an instruction that follows in memory */
	uint64_t addresses[MAX_ADDRESSES];
	unsigned n_addresses;
};

static void put_other(struct export_run *e, uint8_t type, const void *data, uint32_t size)
{
	uint8_t head[6] = { 0, type };

	memcpy(head + 2, &size, sizeof(size));
	pack_write(e->out, head, sizeof(head));
	export_record(e, data, size);
}

static void begin(struct export_run *e)
{
	const struct {
		uint32_t magic, extra;
		uint64_t options;
	} head = { MAGIC, 0, VARIABLE_CODE };
	struct sift *s = e->state;

	s->expected = UINT64_MAX;
	s->blocks = block_templates_new(e->reader);
	s->insns = insn_cache_new(e->reader, sizeof(struct entry), NULL, NULL);
	pack_write(e->out, &head, sizeof(head));
}

static struct code *code_of(struct sift *s, const struct linear_insn *insn)
{
	struct entry *entry = insn_cache_get(s->insns, insn);

	if (!entry->place) {
		struct code *code = checked(TABLE_PUT(s->codes, insn->pc));

		entry->place = (uint32_t)(code - s->codes.at) + 1;
	}
	return &s->codes.at[entry->place - 1];
}

static bool has_code(const struct code *last, const struct linear_insn *insn)
{
	uint8_t length = insn->insn->length;

	return last->code == insn->code ||
	       (last->code && last->length == length && !memcmp(last->code, insn->code, length));
}

static void put_code(struct export_run *e, const struct linear_insn *insn)
{
	struct sift *s = e->state;
	struct code *last = code_of(s, insn);
	uint8_t length = insn->insn->length, data[8 + TF_MAX_INSN_BYTES];

	if (has_code(last, insn))
		return;
	s->code_changes += last->code != NULL;
	last->code = insn->code;
	last->length = length;
	memcpy(data, &insn->pc, 8);
	memcpy(data + 8, insn->code, length);
	put_other(e, CODE, data, 8u + length);
}

enum {
	EXECUTED = 1 << 5,
	LONG_HEAD = 2 + 8, /* bytes before the addresses, with the pc */
	SHORT_HEAD = 1,
};

/* Store what stands before the addresses. flags: the number of these, and what a branch did. */
static inline void store_long_head(uint8_t *at, uint64_t pc, uint8_t length, unsigned flags)
{
	at[0] = (uint8_t)(length << 4);
	at[1] = (uint8_t)(flags | EXECUTED);
	memcpy(at + 2, &pc, sizeof(pc));
}

static inline void store_short_head(uint8_t *at, uint8_t length, unsigned flags)
{
	*at = (uint8_t)(length | flags << 4);
}

/* Writes an execution: of the instruction, or of one repetition. */
static void put_execution(struct export_run *e, const struct linear_insn *insn)
{
	struct sift *s = e->state;
	bool branch = linear_is_branch(insn);
	unsigned flags = s->n_addresses | branch << 2 | (branch && insn->taken) << 3;
	uint8_t length = insn->insn->length, *at = pack_room(e->out);

	if (insn->pc == s->expected) {
		store_short_head(at, length, flags);
		at += SHORT_HEAD;
	} else {
		store_long_head(at, insn->pc, length, flags);
		at += LONG_HEAD;
	}
	memcpy(at, s->addresses, sizeof(s->addresses));
	export_advance(e, at + s->n_addresses * sizeof(*s->addresses));
	s->expected = insn->pc + length;
	s->n_addresses = 0;
}

static void put_insn(struct export_run *e, const struct linear_insn *insn)
{
	struct sift *s = e->state;
	struct linear_accesses it;
	uint64_t repetition = 0;

	put_code(e, insn);
	e->lost[LOSS_SUCCESSORS] += insn->taken && insn->broken;
	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		if (it.now.repetition != repetition) {
			put_execution(e, insn);
			repetition = it.now.repetition;
		}
		if (s->n_addresses == MAX_ADDRESSES)
			e->lost[LOSS_ACCESSES]++;
		else
			s->addresses[s->n_addresses++] = it.now.address;
	}
	put_execution(e, insn);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Adds a record without its head, and the fields of its addresses. */
static void add_addresses(struct block_template *t, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++) {
		static const uint64_t address;

		template_add_field(t, template_add(t, &address, sizeof(address)),
				   insn->first_operand + i);
	}
	t->n_records++;
}

/* The first record has a long head, which an execution may shorten. */
static void make_block(struct block_template *t, const struct tf_block *block)
{
	t->made = true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++) {
		const struct tf_insn *insn = &block->insns[i];
		uint8_t head[LONG_HEAD];

		if (!is_template_insn(block, insn) || insn->n_operands > MAX_ADDRESSES)
			return;
		if (i) {
			store_short_head(head, insn->length, insn->n_operands);
			template_add(t, head, SHORT_HEAD);
		} else {
			store_long_head(head, block->pc, insn->length, insn->n_operands);
			template_add(t, head, LONG_HEAD);
		}
		add_addresses(t, insn);
	}
	t->usable = true;
}

/* Returns true if the file has the code of all instructions but the last one. */
static bool has_code_of(struct sift *s, struct block_template *t, const struct tf_block *block)
{
	if (t->part == s->code_changes + 1)
		return true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++) {
		const struct tf_insn *insn = &block->insns[i];
		const struct linear_insn here = {
			.block = block,
			.insn = insn,
			.code = block->code + insn->offset,
			.pc = block->pc + insn->offset,
			.index = i,
		};

		if (!has_code(code_of(s, &here), &here))
			return false;
	}
	t->part = s->code_changes + 1;
	return true;
}

static bool put_block(struct export_run *e, const struct tf_block *block, const uint64_t *values,
		      __attribute__((unused)) uint64_t ordinal)
{
	struct sift *s = e->state;
	struct block_template *t = &s->blocks.at[block->id];
	const struct tf_insn *first = &block->insns[0], *last = first + block->n_insns - 1;
	size_t skipped = 0;

	if (!t->made)
		make_block(t, block);
	if (!t->usable || !has_code_of(s, t, block))
		return false;
	template_fill(t, values);
	if (block->pc == s->expected) {
		uint8_t head;

		store_short_head(&head, first->length, first->n_operands);
		pack_write(e->out, &head, SHORT_HEAD);
		skipped = LONG_HEAD;
	}
	pack_write(e->out, t->bytes.at + skipped, t->bytes.count - skipped);
	e->records += t->n_records;
	s->expected = block->pc + last->offset;
	return true;
}

/* ---- the format -------------------------------------------------------------------------- */

static void end(struct export_run *e)
{
	put_other(e, END, "", 0);
}

static void free_state(struct export_run *e)
{
	struct sift *s = e->state;

	block_templates_free(&s->blocks);
	insn_cache_free(s->insns);
	TABLE_FREE(s->codes);
}

const struct exporter sift = {
	.name = "sift",
	.summary = "Sniper, replay of one thread",
	.state_size = sizeof(struct sift),
	.addresses = true,
	.code = true,
	.begin = begin,
	.insn = put_insn,
	.block = put_block,
	.end = end,
	.free = free_state,
};
