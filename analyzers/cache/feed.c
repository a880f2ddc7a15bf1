/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/feed.h"

#include "analyzers/common/address_space.h"
#include "cli/common/checked.h"

/* A step of a block: an access whose address is static or a value, or an instruction of others. */
struct cache_step {
	uint64_t pc;    /* fetches */
	uint32_t size;  /* bytes */
	uint16_t insn;  /* of the block */
	uint16_t value; /* its address, among an execution's values */
	uint16_t count; /* instructions, of fetches */
	uint8_t kind;   /* enum cache_kind, or ODD */
};
enum { ODD = N_CACHE_KINDS };

/* ---- static side --------------------------------------------------------------------------- */

struct steps {
	ARRAY(struct cache_step);
};

static void add_step(struct steps *to, struct cache_step step)
{
	CHECKED_RESERVE(*to, to->count + 1);
	to->at[to->count++] = step;
}

static bool is_odd(const struct tf_block *block, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (block->operands[insn->first_operand + i].form != TF_PLAIN)
			return true;
	return false;
}

static void add_operands(struct steps *to, const struct tf_block *block, unsigned index)
{
	const struct tf_insn *insn = &block->insns[index];
	unsigned end = insn->first_operand + insn->n_operands;

	for (unsigned kind = CACHE_LOAD; kind <= CACHE_STORE; kind++)
		for (unsigned i = insn->first_operand; i < end; i++)
			if (block->operands[i].access & (kind == CACHE_LOAD ? TF_LOAD : TF_STORE))
				add_step(to, (struct cache_step){ .insn = index,
								  .value = i,
								  .kind = kind,
								  .size = block->operands[i].size,
								  .count = 1 });
}

/* Adds the fetch of an instruction, or adds the instruction to the fetch of its line. */
static void add_fetch(struct steps *to, struct cache_step **last, const struct tf_block *block,
		      unsigned index, uint32_t line)
{
	const struct tf_insn *insn = &block->insns[index];
	uint64_t pc = block->pc + insn->offset;

	if (*last && line) {
		uint64_t at = (*last)->pc / line;

		if ((pc + insn->length - 1) / line == at &&
		    ((*last)->pc + (*last)->size - 1) / line == at) {
			(*last)->size = pc + insn->length - (*last)->pc;
			(*last)->count++;
			return;
		}
	}
	add_step(to, (struct cache_step){ .insn = index,
					  .kind = CACHE_FETCH,
					  .pc = pc,
					  .size = insn->length,
					  .count = 1 });
}

static void add_block(struct steps *to, const struct tf_block *block, unsigned wanted,
		      uint32_t line)
{
	size_t fetch = SIZE_MAX;

	for (unsigned i = 0; i < block->n_insns; i++) {
		if (wanted & CACHE_FETCHES) {
			struct cache_step *last = fetch == SIZE_MAX ? NULL : &to->at[fetch];
			size_t before = to->count;

			add_fetch(to, &last, block, i, line);
			if (to->count > before)
				fetch = before;
		}
		if (!(wanted & CACHE_DATA))
			continue;
		if (is_odd(block, &block->insns[i]))
			add_step(to, (struct cache_step){ .insn = i, .kind = ODD });
		else
			add_operands(to, block, i);
	}
}

void cache_code_init(struct cache_code *code, const struct tf_reader *reader, unsigned wanted,
		     uint32_t line)
{
	uint32_t n_blocks = tf_n_blocks(reader);
	struct steps steps = { 0 };

	code->reader = reader;
	code->first = checked_array(n_blocks + 1ul, sizeof(*code->first));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		code->first[id] = steps.count;
		if (block)
			add_block(&steps, block, wanted, line);
	}
	code->first[n_blocks] = steps.count;
	code->steps = steps.at;
}

void cache_code_free(struct cache_code *code)
{
	free(code->first);
	free(code->steps);
}

/* ---- executions ---------------------------------------------------------------------------- */

/* An execution of a block by a thread. */
struct execution {
	const struct tf_block_exec *exec;
	uint64_t space, ordinal;
	uint32_t thread;
	uint8_t core;
};

static inline void add(struct cache_feed *f, const struct execution *x, unsigned insn,
		       struct cache_access access)
{
	if (f->count == CACHE_BATCH)
		cache_feed_flush(f);
	if (f->wants_origins)
		f->origins[f->count] = (struct cache_origin){ x->exec->block, x->ordinal + insn,
							      x->thread, insn };
	access.address += x->space;
	access.core = x->core;
	f->accesses[f->count++] = access;
}

/* Adds the accesses of an odd instruction. Those of its operands take turns, as for rep movs. */
static void add_odd(struct cache_feed *f, const struct execution *x, unsigned index)
{
	enum { MOST = 2 };
	const struct tf_block *block = x->exec->block;
	const struct tf_insn *insn = &block->insns[index];
	const struct tf_operand *operands = &block->operands[insn->first_operand];
	unsigned n = insn->n_operands < MOST ? insn->n_operands : MOST;
	struct tf_accesses its[MOST];
	bool more = n > 0;

	for (unsigned i = 0; i < n; i++)
		tf_accesses_begin(&its[i], &operands[i], block, x->exec->values);
	while (more) {
		more = false;
		for (unsigned i = 0; i < n; i++) {
			if (!tf_accesses_next(&its[i]))
				continue;
			struct cache_access access = { .address = its[i].address,
						       .size = its[i].size,
						       .count = 1,
						       .kind = CACHE_LOAD };

			more = true;
			if (operands[i].access & TF_LOAD)
				add(f, x, index, access);
			access.kind = CACHE_STORE;
			if (operands[i].access & TF_STORE)
				add(f, x, index, access);
		}
	}
}

static uint16_t fetched(const struct cache_step *step, unsigned executed)
{
	unsigned most = executed - step->insn;

	return step->count < most ? step->count : most;
}

static void add_steps(struct cache_feed *f, const struct execution *x)
{
	const struct tf_block_exec *exec = x->exec;
	const struct cache_step *step = f->code->steps + f->code->first[exec->block->id];
	const struct cache_step *end = f->code->steps + f->code->first[exec->block->id + 1];

	for (; step < end && step->insn < exec->executed; step++)
		if (step->kind == ODD)
			add_odd(f, x, step->insn);
		else
			add(f, x, step->insn,
			    (struct cache_access){ .address = step->kind == CACHE_FETCH
								      ? step->pc
								      : exec->values[step->value],
						   .size = step->size,
						   .count = step->kind == CACHE_FETCH
								    ? fetched(step, exec->executed)
								    : 1,
						   .kind = step->kind });
}

void cache_feed_blocks(struct cache_feed *f, const struct tf_item *item, unsigned core)
{
	struct execution x = { .space = address_space(f->code->reader, item->thread),
			       .ordinal = item->ordinal,
			       .thread = item->thread,
			       .core = core };

	for (size_t i = 0; i < item->count; i++) {
		x.exec = &item->blocks[i];
		add_steps(f, &x);
		x.ordinal += x.exec->executed;
	}
}

void cache_feed_flush(struct cache_feed *f)
{
	f->consume(f->opaque, f->accesses, f->wants_origins ? f->origins : NULL, f->count);
	f->count = 0;
}
