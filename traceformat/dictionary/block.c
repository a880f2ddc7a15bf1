/* SPDX-License-Identifier: MIT */
/* Checks and copies basic blocks, and iterates over the accesses that their executions make. */
#include "traceformat/dictionary/path.h"

#include <stdlib.h>
#include <string.h>

#include "traceformat/traceformat.h"

/* clang-format off */
#define RULE(condition, sentence) do { if (!(condition)) return sentence; } while (0)
/* clang-format on */

static const char *check_insns(const struct tf_block *b)
{
	unsigned offset = 0, operand = 0;

	RULE(b->n_insns >= 1 && b->n_insns <= TF_MAX_BLOCK_INSNS,
	     "a block has 1 to 256 instructions");
	RULE(b->n_operands <= TF_MAX_BLOCK_OPERANDS, "a block has too many operands");
	RULE(b->end <= TF_END_OPAQUE, "a block's end is of an unknown kind");
	for (unsigned i = 0; i < b->n_insns; i++) {
		const struct tf_insn *insn = &b->insns[i];

		RULE(insn->length >= 1 && insn->length <= TF_MAX_INSN_BYTES,
		     "an instruction has 1 to 15 bytes");
		RULE(insn->offset == offset, "instructions of a block do not follow each other");
		RULE(insn->flags <= (TF_INSN_REP | TF_INSN_OPAQUE), "unknown instruction flags");
		RULE(insn->first_operand == operand && operand + insn->n_operands <= b->n_operands,
		     "operands are not in the order of their instructions");
		offset += insn->length;
		operand += insn->n_operands;
	}
	RULE(offset == b->code_size, "the code size is not the sum of the instruction lengths");
	RULE(operand == b->n_operands, "an operand belongs to no instruction");
	return NULL;
}

static const char *check_operand(const struct tf_operand *o, const struct tf_insn *insn)
{
	bool rep = insn->flags & TF_INSN_REP;

	RULE(o->access >= 1 && o->access <= TF_PREFETCH,
	     "an operand loads, stores, does both, or prefetches");
	RULE(o->form <= TF_SIZED, "an operand is of an unknown form");
	RULE(o->flags <= (TF_IMPLICIT | TF_ADDRESS32), "unknown operand flags");
	RULE(o->segment <= TF_SEGMENT_GS, "an unknown segment");
	RULE((o->form == TF_REP) == rep,
	     "the operands of a rep instruction, and no others, repeat");
	RULE((o->size != 0) == (o->form != TF_SIZED), "an operand's size is missing");
	RULE(o->size <= TF_MAX_OPERAND_BYTES, "an operand has more than 65536 bytes");
	if (o->form == TF_MASKED || o->form == TF_LANES)
		RULE(o->lanes >= 1 && o->lanes <= TF_MAX_LANES, "an operand has 1 to 64 lanes");
	else
		RULE(o->lanes == 0, "an operand without lanes has a number of lanes");
	if (o->form == TF_LANES) {
		RULE(o->index_size == 4 || o->index_size == 8, "a lane index has 4 or 8 bytes");
		RULE(o->scale && o->scale <= 8 && !(o->scale & (o->scale - 1)),
		     "a lane scale is 1, 2, 4 or 8");
	} else {
		RULE(o->index_size == 0 && o->scale == 0, "only lanes have an index");
	}
	return NULL;
}

unsigned operand_extras(const struct tf_operand *o)
{
	switch (o->form) {
	case TF_MASKED:
	case TF_SIZED: return 1;
	case TF_REP: return 3;
	case TF_LANES: return 1 + (o->lanes * o->index_size + 7) / 8;
	default: return 0;
	}
}

/* Returns the number of values. */
static unsigned number_extras(const struct tf_block *b, struct tf_operand *operands)
{
	unsigned next = b->n_operands;

	for (unsigned i = 0; i < b->n_operands; i++) {
		struct tf_operand *o = &operands[i];
		bool shared = o->form == TF_REP && i && operands[i - 1].insn == o->insn;

		if (shared) {
			o->extra = operands[i - 1].extra;
			continue;
		}
		o->extra = operand_extras(o) ? (uint16_t)next : 0;
		next += operand_extras(o);
	}
	return next;
}

static const char *check_extras(const struct tf_block *mine, const struct tf_block *his)
{
	RULE(mine->n_values == his->n_values, "the block's number of values is wrong");
	for (unsigned i = 0; i < mine->n_operands; i++)
		RULE(!operand_extras(&mine->operands[i]) ||
			     mine->operands[i].extra == his->operands[i].extra,
		     "an operand's extras are misplaced");
	return NULL;
}

/* Returns true if the number of accesses is known only at execution. */
static bool is_counted(const struct tf_operand *o)
{
	return o->form == TF_MASKED || o->form == TF_LANES || o->form == TF_REP;
}

static bool is_dynamic(const struct tf_operand *o)
{
	return is_counted(o) || o->form == TF_SIZED;
}

static unsigned count_dynamic(const struct tf_block *b)
{
	unsigned n = 0;

	for (unsigned k = 0; k < b->n_operands; k++)
		n += is_dynamic(&b->operands[k]);
	return n;
}

static void find_dynamic(const struct tf_block *b, struct dynamic_operand *dynamic)
{
	for (unsigned k = 0; k < b->n_operands; k++) {
		const struct tf_operand *o = &b->operands[k];

		if (!is_dynamic(o))
			continue;
		*dynamic++ = (struct dynamic_operand){
			.insn = o->insn,
			.value = (uint16_t)(o->extra + (o->form == TF_REP)),
			.access = o->access,
			.form = o->form,
			.counts_repetitions = o->form == TF_REP &&
					      (k == 0 || o[-1].insn != o->insn),
			.lanes = UINT64_MAX >> (64 - (o->lanes ? o->lanes : 64)),
		};
	}
}

void block_count(const struct compiled_block *block, uint32_t executed, struct static_counts *sum)
{
	const struct tf_block *b = &block->block;

	for (unsigned k = 0; k < b->n_operands && b->operands[k].insn < executed; k++) {
		const struct tf_operand *o = &b->operands[k];

		if (is_counted(o))
			continue;
		sum->loads += !!(o->access & TF_LOAD);
		sum->stores += !!(o->access & TF_STORE);
		sum->prefetches += !!(o->access & TF_PREFETCH);
	}
	for (unsigned i = 0; i < b->n_insns && i < executed; i++)
		sum->opaque += !!(b->insns[i].flags & TF_INSN_OPAQUE);
}

static const char *check_operands(struct tf_block *b, struct tf_operand *operands)
{
	const char *why = NULL;
	unsigned n_values;

	for (unsigned i = 0; i < b->n_insns; i++)
		for (unsigned k = 0; k < b->insns[i].n_operands && !why; k++) {
			struct tf_operand *o = &operands[b->insns[i].first_operand + k];

			o->insn = (uint16_t)i;
			why = check_operand(o, &b->insns[i]);
		}
	if (why)
		return why;
	n_values = number_extras(b, operands);
	RULE(n_values <= TF_MAX_PATH_VALUES, "a block has too many values");
	b->n_values = (uint16_t)n_values;
	return NULL;
}

/* The code of blocks whose code is withheld. */
static const uint8_t no_code[TF_MAX_BLOCK_INSNS * TF_MAX_INSN_BYTES];

struct compiled_block *block_compile(const struct tf_block *block, const char **why)
{
	size_t insns_size = block->n_insns * sizeof(struct tf_insn);
	size_t operands_size = block->n_operands * sizeof(struct tf_operand);
	size_t kinds_size = block->kinds ? block->n_insns * sizeof(*block->kinds) : 0;
	size_t code_size = block->kinds ? 0 : block->code_size;
	const struct tf_insn_kind **kinds;
	unsigned n_dynamic;
	struct dynamic_operand *dynamic;
	struct tf_operand *operands;
	struct compiled_block *c;
	struct tf_insn *insns;
	uint8_t *code;

	*why = check_insns(block);
	if (*why)
		return NULL;
	n_dynamic = count_dynamic(block);
	c = malloc(sizeof(*c) + n_dynamic * sizeof(*dynamic) + kinds_size + insns_size +
		   operands_size + code_size);
	if (!c)
		return NULL;
	dynamic = (struct dynamic_operand *)(c + 1);
	kinds = (const struct tf_insn_kind **)(dynamic + n_dynamic);
	operands = (struct tf_operand *)((char *)kinds + kinds_size);
	insns = (struct tf_insn *)((char *)operands + operands_size);
	code = (uint8_t *)insns + insns_size;
	*c = (struct compiled_block){ .block = *block, .n_dynamic = n_dynamic, .dynamic = dynamic };
	c->block.operands = operands;
	if (operands_size)
		memcpy(operands, block->operands, operands_size);
	c->block.insns = memcpy(insns, block->insns, insns_size);
	if (block->kinds)
		c->block.kinds = memcpy(kinds, block->kinds, kinds_size);
	c->block.code = block->kinds ? no_code : memcpy(code, block->code, code_size);
	*why = check_operands(&c->block, operands);
	if (!*why && block->n_values)
		*why = check_extras(&c->block, block);
	if (*why) {
		free(c);
		return NULL;
	}
	find_dynamic(&c->block, dynamic);
	block_count(c, c->block.n_insns, &c->counts);
	return c;
}

/* ---- the accesses of an execution ------------------------------------------------------------ */

static uint64_t lane_mask(const struct tf_operand *o, uint64_t mask)
{
	return mask & UINT64_MAX >> (64 - o->lanes);
}

uint64_t tf_access_count(const struct tf_operand *o, const uint64_t *values)
{
	switch (o->form) {
	case TF_MASKED:
	case TF_LANES: return (uint64_t)__builtin_popcountll(lane_mask(o, values[o->extra]));
	case TF_REP: return values[o->extra + 1];
	default: return 1;
	}
}

void tf_accesses_begin(struct tf_accesses *it, const struct tf_operand *operand,
		       const struct tf_block *block, const uint64_t *values)
{
	*it = (struct tf_accesses){
		.operand = operand,
		.size = operand->size,
		.base = values[operand - block->operands],
		.extra = values + operand->extra,
		.end = 1,
	};
	if (operand->form == TF_REP)
		it->end = it->extra[1];
	else if (operand->form == TF_SIZED)
		it->size = it->extra[0] > UINT32_MAX ? UINT32_MAX : (uint32_t)it->extra[0];
	else if (operand->form == TF_MASKED || operand->form == TF_LANES)
		it->end = lane_mask(operand, it->extra[0]);
}

static uint64_t lane_address(const struct tf_accesses *it, unsigned lane)
{
	const struct tf_operand *o = it->operand;
	uint64_t index, address;

	if (o->form == TF_MASKED)
		return it->base + (uint64_t)lane * o->size;
	index = o->index_size == 8
			? it->extra[1 + lane]
			: (uint64_t)(int64_t)(int32_t)(it->extra[1 + lane / 2] >> lane % 2 * 32);
	address = it->base + index * o->scale;
	return o->flags & TF_ADDRESS32 ? (uint32_t)address : address;
}

/* For repetitions, `next` counts them; for lanes, `end` is the mask of the lanes still to come. */
bool tf_accesses_next(struct tf_accesses *it)
{
	const struct tf_operand *o = it->operand;

	if (o->form == TF_MASKED || o->form == TF_LANES) {
		if (!it->end)
			return false;
		it->address = lane_address(it, (unsigned)__builtin_ctzll(it->end));
		it->end &= it->end - 1;
		return true;
	}
	if (it->next == it->end)
		return false;
	it->address = it->base;
	if (o->form == TF_REP)
		it->address += it->extra[2] & TF_REP_DOWN ? -(it->next * o->size)
							  : it->next * o->size;
	it->next++;
	return true;
}

void tf_block_accesses_begin(struct tf_block_accesses *it, const struct tf_block_exec *exec)
{
	*it = (struct tf_block_accesses){ .exec = exec };
}

/* Moves to the next operand that has executed. */
static bool next_operand(struct tf_block_accesses *it)
{
	const struct tf_block *block = it->exec->block;

	it->operand = &block->operands[it->next];
	if (it->next == block->n_operands || it->operand->insn >= it->exec->executed)
		return false;
	it->next++;
	tf_accesses_begin(&it->accesses, it->operand, block, it->exec->values);
	return true;
}

bool tf_block_accesses_next(struct tf_block_accesses *it)
{
	while (!it->next || !tf_accesses_next(&it->accesses))
		if (!next_operand(it))
			return false;
	it->address = it->accesses.address;
	it->size = it->accesses.size;
	return true;
}
