/* SPDX-License-Identifier: MIT */
#include "cli/import/code_table.h"

#include <string.h>

#include "cli/common/checked.h"
#include "traceformat/common/sorted.h"

enum { NO_CODE_BYTE = 0x06 }; /* decodes to nothing in 64-bit mode */

bool code_check(struct code_table *code, int status, const struct tf_error *error)
{
	if (status < 0 && code->status >= 0) {
		code->status = status;
		code->error = *error;
	}
	return status >= 0;
}

uint64_t code_table_size(const struct code_table *code)
{
	return code->insns.any.capacity * sizeof(struct code_insn) +
	       code->insns.any.index.n_slots * sizeof(struct hash_slot) +
	       code->operands.capacity * sizeof(struct tf_operand) +
	       code->blocks.capacity * sizeof(struct code_block) +
	       (code->lists.capacity + code->exits.capacity) * sizeof(uint32_t) +
	       code->by_insns.n_slots * sizeof(struct hash_slot);
}

void code_table_free(struct code_table *code)
{
	TABLE_FREE(code->insns);
	free(code->operands.at);
	free(code->blocks.at);
	free(code->lists.at);
	free(code->exits.at);
	free(code->places.at);
	hash_index_free(&code->by_insns);
}

/* ---- instructions ------------------------------------------------------------------------ */

static void add_operand(struct code_table *code, struct code_insn *insn,
			const struct tf_operand *operand, unsigned n_extras)
{
	CHECKED_RESERVE(code->operands, code->operands.count + 1);
	code->operands.at[code->operands.count++] = *operand;
	insn->n_operands++;
	insn->n_values += 1 + n_extras;
}

static void decode(struct code_table *code, struct code_insn *insn)
{
	const struct code_key *key = &insn->key;
	struct isa_insn facts;
	bool has_extras = false;

	if (isa_decode(key->code, key->length, key->pc, ISA_INTEL, &facts) < 0 ||
	    facts.length != key->length) {
		insn->end = TF_END_OPAQUE;
		insn->flags = TF_INSN_OPAQUE;
		return;
	}
	insn->end = facts.end;
	insn->flags = facts.flags;
	insn->target = facts.target;
	for (unsigned i = 0; i < facts.n_operands; i++) {
		const struct isa_operand *operand = &facts.operands[i];
		bool shares = has_extras && facts.flags & TF_INSN_REP;

		if (key->absent & 1u << i)
			continue;
		add_operand(code, insn, &operand->trace, shares ? 0 : operand->n_extras);
		has_extras = true;
	}
}

static void describe(struct code_table *code, struct code_insn *insn)
{
	const struct code_key *key = &insn->key;

	insn->end = key->end;
	insn->flags = TF_INSN_OPAQUE;
	insn->target = key->target;
	for (unsigned i = 0; i < key->n_accesses; i++)
		add_operand(code, insn,
			    &(struct tf_operand){ .access = (uint8_t)key->accesses[i].access,
						  .size = key->accesses[i].size },
			    0);
}

uint32_t code_insn(struct code_table *code, const struct code_key *key)
{
	size_t known = code->insns.count;
	struct code_insn *insn = checked(TABLE_PUT(code->insns, *key));

	if (code->insns.count > known) {
		insn->block = TF_NONE;
		insn->operands = (uint32_t)code->operands.count;
		if (key->has_code)
			decode(code, insn);
		else
			describe(code, insn);
	}
	return (uint32_t)(insn - code->insns.at);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Room for what the writer needs of a block. */
struct draft {
	struct tf_insn insns[CODE_BLOCK_INSNS];
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
	struct tf_recipe recipes[CODE_BLOCK_VALUES];
	uint8_t code[CODE_BLOCK_INSNS * TF_MAX_INSN_BYTES];
};

static void draft_insn(const struct code_table *code, const struct code_insn *insn,
		       struct draft *draft, struct tf_block *block)
{
	draft->insns[block->n_insns++] = (struct tf_insn){
		.offset = block->code_size,
		.length = insn->key.length,
		.flags = insn->flags,
		.first_operand = block->n_operands,
		.n_operands = insn->n_operands,
	};
	for (unsigned i = 0; i < insn->n_operands; i++) {
		struct tf_operand *operand = &draft->operands[block->n_operands++];

		*operand = code->operands.at[insn->operands + i];
		operand->insn = block->n_insns - 1;
	}
	if (insn->key.has_code)
		memcpy(draft->code + block->code_size, insn->key.code, insn->key.length);
	else
		memset(draft->code + block->code_size, NO_CODE_BYTE, insn->key.length);
	block->code_size += insn->key.length;
	block->n_values += insn->n_values;
}

static unsigned extras_of(const struct tf_operand *operand)
{
	switch (operand->form) {
	case TF_MASKED:
	case TF_SIZED: return 1;
	case TF_REP: return 3;
	case TF_LANES: return 1u + (operand->lanes * operand->index_size + 7u) / 8;
	default: return 0;
	}
}

/* The operands of a rep instruction share the extras of the first. */
static bool shares_extras(const struct tf_block *block, unsigned i)
{
	const struct tf_operand *operand = &block->operands[i];

	return operand->form == TF_REP && i && operand[-1].insn == operand->insn;
}

/* Numbers the extras of the block's operands, behind the addresses. */
static void number_extras(const struct tf_block *block, struct tf_operand *operands)
{
	unsigned next = block->n_operands;

	for (unsigned i = 0; i < block->n_operands; i++) {
		unsigned extras = extras_of(&operands[i]);

		if (shares_extras(block, i)) {
			operands[i].extra = operands[i - 1].extra;
			continue;
		}
		operands[i].extra = (uint16_t)(extras ? next : 0);
		next += extras;
	}
}

/*
 * Makes the recipes of a trace without addresses: only masks, counts and sizes have slots. Returns
 * the number of slots.
 */
static unsigned draft_recipes(const struct tf_block *block, struct tf_recipe *recipes)
{
	unsigned n = 0, slots = 0;

	for (unsigned i = 0; i < block->n_operands; i++)
		recipes[n++] = (struct tf_recipe){ .base = TF_BASE_UNKNOWN };
	for (unsigned i = 0; i < block->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];
		unsigned extras = shares_extras(block, i) ? 0 : extras_of(operand);

		for (unsigned e = 0; e < extras; e++) {
			bool is_index = operand->form == TF_LANES && e;

			recipes[n].base = is_index ? TF_BASE_UNKNOWN : TF_BASE_SLOT;
			recipes[n++].slot = (uint16_t)(is_index ? 0 : slots++);
		}
	}
	return slots;
}

static bool is_always_taken(uint8_t end)
{
	return end >= TF_END_JUMP && end <= TF_END_RETURN;
}

/* Adds a block and its path to the trace. Returns false after an error. */
static bool write_block(struct code_table *code, struct tf_block *trace, struct draft *draft,
			struct code_block *block)
{
	struct tf_exit exits[2] = { { .n_blocks = 1 } };
	struct tf_path path = { .n_blocks = 1,
				.blocks = &trace->id,
				.n_insns = trace->n_insns,
				.exits = exits,
				.n_exits = 1 };
	struct tf_error error;
	uint32_t first;

	block->n_slots = trace->n_values;
	if (!code->addresses) {
		block->n_slots = (uint16_t)draft_recipes(trace, draft->recipes);
		path.recipes = draft->recipes;
	}
	path.n_slots = block->n_slots;
	path.n_values = trace->n_values;
	exits[0].n_slots = block->n_slots;
	exits[0].outcome = is_always_taken(trace->end) ? TF_TAKEN : TF_NOT_TAKEN;
	if (trace->end == TF_END_CONDITIONAL) {
		exits[1] = exits[0];
		exits[1].outcome = TF_TAKEN;
		path.n_exits = 2;
	}
	if (!code_check(code, tf_writer_add_block(code->writer, trace, &trace->id, &error),
			&error) ||
	    !code_check(code, tf_writer_add_path(code->writer, &path, &block->path, &first, &error),
			&error))
		return false;
	block->exit = (uint32_t)code->exits.count;
	CHECKED_RESERVE(code->exits, code->exits.count + 2);
	for (unsigned i = 0; i < path.n_exits; i++)
		code->exits.at[code->exits.count++] = first + i;
	return true;
}

/* Sets the module that the block begins in, if it is known. */
static void set_module(const struct code_table *code, struct tf_block *block)
{
	size_t i = PARTITION_POINT(code->places.at, code->places.count, p, p->end <= block->pc);

	if (i == code->places.count || block->pc < code->places.at[i].first)
		return;
	block->module = code->places.at[i].module;
	block->module_offset = block->pc - code->places.at[i].bias;
}

static const struct code_block *add_block(struct code_table *code, const uint32_t *insns,
					  unsigned n, uint64_t hash)
{
	struct draft *draft = checked_array(1, sizeof(*draft));
	const struct code_insn *last = &code->insns.at[insns[n - 1]];
	struct tf_block trace = { .module = TF_NONE,
				  .pc = code->insns.at[insns[0]].key.pc,
				  .end = last->end,
				  .target = last->target,
				  .insns = draft->insns,
				  .operands = draft->operands,
				  .code = draft->code };
	struct code_block block = { .insns = (uint32_t)code->lists.count,
				    .n_insns = (uint16_t)n,
				    .end = last->end };
	bool done;

	set_module(code, &trace);
	for (unsigned i = 0; i < n; i++)
		draft_insn(code, &code->insns.at[insns[i]], draft, &trace);
	number_extras(&trace, draft->operands);
	block.n_operands = trace.n_operands;
	done = write_block(code, &trace, draft, &block);
	free(draft);
	if (!done)
		return NULL;
	CHECKED_RESERVE(code->lists, code->lists.count + n);
	memcpy(code->lists.at + code->lists.count, insns, n * sizeof(*insns));
	code->lists.count += n;
	CHECKED_RESERVE(code->blocks, code->blocks.count + 1);
	code->blocks.at[code->blocks.count] = block;
	if (!hash_index_add(&code->by_insns, hash, (uint32_t)code->blocks.count))
		out_of_memory();
	return &code->blocks.at[code->blocks.count++];
}

static bool has_insns(const struct code_table *code, const struct code_block *block,
		      const uint32_t *insns, unsigned n)
{
	return !memcmp(code->lists.at + block->insns, insns, n * sizeof(*insns));
}

static const struct code_block *find_block(const struct code_table *code, const uint32_t *insns,
					   unsigned n, uint64_t hash)
{
	uint64_t at = hash;
	uint32_t number;

	while ((number = hash_index_next(&code->by_insns, hash, &at)) != HASH_NONE) {
		const struct code_block *block = &code->blocks.at[number];

		if (block->n_insns == n && has_insns(code, block, insns, n))
			return block;
	}
	return NULL;
}

const struct code_block *code_block(struct code_table *code, const uint32_t *insns, unsigned n,
				    bool is_cut)
{
	struct code_insn *first = &code->insns.at[insns[0]];
	const struct code_block *block;
	uint64_t hash;

	if (first->block != TF_NONE) {
		block = &code->blocks.at[first->block];
		if ((block->n_insns == n || (is_cut && block->n_insns > n)) &&
		    has_insns(code, block, insns, n))
			return block;
	}
	hash = hash_bytes(insns, n * sizeof(*insns));
	block = find_block(code, insns, n, hash);
	if (!block)
		block = add_block(code, insns, n, hash);
	if (block)
		first->block = (uint32_t)(block - code->blocks.at);
	return block;
}
