/* SPDX-License-Identifier: MIT */
/*
 * SIFT, the traces of the simulator Sniper. An instruction that follows the one before in memory is
 * a byte and its addresses; any other has its pc, too. The code of an instruction comes before its
 * first execution, in records of variable length.
 */
#include <string.h>

#include "cli/common/checked.h"
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
	struct insn_cache *insns;
	HASH_TABLE(struct code) codes;
	uint64_t expected; /* pc of an instruction that follows in memory */
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

static void put_code(struct export_run *e, const struct linear_insn *insn)
{
	struct sift *s = e->state;
	struct code *last = code_of(s, insn);
	uint8_t length = insn->insn->length, data[8 + TF_MAX_INSN_BYTES];

	if (last->code == insn->code)
		return;
	if (last->code && last->length == length && !memcmp(last->code, insn->code, length))
		return;
	last->code = insn->code;
	last->length = length;
	memcpy(data, &insn->pc, 8);
	memcpy(data + 8, insn->code, length);
	put_other(e, CODE, data, 8u + length);
}

/* Writes an execution: of the instruction, or of one repetition. */
static void put_execution(struct export_run *e, const struct linear_insn *insn)
{
	enum { EXECUTED = 1 << 5 };
	struct sift *s = e->state;
	bool branch = linear_is_branch(insn);
	unsigned flags = s->n_addresses | branch << 2 | (branch && insn->taken) << 3;
	uint8_t length = insn->insn->length, *record = pack_room(e->out);
	size_t size = 1;

	if (insn->pc == s->expected) {
		record[0] = (uint8_t)(length | flags << 4);
	} else {
		record[0] = (uint8_t)(length << 4);
		record[1] = (uint8_t)(flags | EXECUTED);
		memcpy(record + 2, &insn->pc, 8);
		size = 2 + 8;
	}
	memcpy(record + size, s->addresses, sizeof(s->addresses));
	pack_advance(e->out, size + s->n_addresses * sizeof(*s->addresses));
	e->records++;
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

static void end(struct export_run *e)
{
	put_other(e, END, "", 0);
}

static void free_state(struct export_run *e)
{
	struct sift *s = e->state;

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
	.end = end,
	.free = free_state,
};
