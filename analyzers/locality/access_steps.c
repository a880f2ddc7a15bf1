/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/access_steps.h"

#include "cli/common/checked.h"

struct steps {
	ARRAY(struct access_step);
};

static void add_step(struct steps *to, struct access_step step)
{
	CHECKED_RESERVE(*to, to->count + 1);
	to->at[to->count++] = step;
}

/* Returns true if the number of an instruction's accesses is not known before it executes. */
static bool is_odd(const struct tf_block *block, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (block->operands[insn->first_operand + i].form != TF_PLAIN)
			return true;
	return false;
}

static unsigned kinds_of(const struct tf_operand *operand)
{
	return (operand->access & TF_LOAD ? ACCESS_READ : 0) |
	       (operand->access & TF_STORE ? ACCESS_WRITE : 0);
}

static uint64_t pc_of(const struct tf_block *block, unsigned index)
{
	return block->pc + block->insns[index].offset;
}

static void add_operands(struct steps *to, const struct tf_block *block, unsigned index,
			 enum access_kind kind)
{
	const struct tf_insn *insn = &block->insns[index];

	for (unsigned i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++)
		if (kinds_of(&block->operands[i]) & kind)
			add_step(to, (struct access_step){ .pc = pc_of(block, index),
							   .insn = index,
							   .value = i,
							   .kind = kind,
							   .size = block->operands[i].size,
							   .count = 1 });
}

/* Adds an instruction to the fetch before it, if both are in one line. */
static bool extend_fetch(struct access_step *last, uint64_t pc, unsigned length, uint32_t line)
{
	uint64_t at = last->pc / line;

	if ((pc + length - 1) / line != at || (last->pc + last->size - 1) / line != at)
		return false;
	last->size = pc + length - last->pc;
	last->count++;
	return true;
}

/* *last: number of the block's last fetch; SIZE_MAX: none. */
static void add_fetch(struct steps *to, size_t *last, const struct tf_block *block, unsigned index,
		      uint32_t line)
{
	const struct tf_insn *insn = &block->insns[index];
	uint64_t pc = pc_of(block, index);

	if (line && *last != SIZE_MAX && extend_fetch(&to->at[*last], pc, insn->length, line))
		return;
	*last = to->count;
	add_step(to, (struct access_step){ .insn = index,
					   .kind = ACCESS_FETCH,
					   .pc = pc,
					   .size = insn->length,
					   .count = 1 });
}

static void add_block(struct steps *to, const struct tf_block *block, unsigned kinds, uint32_t line)
{
	size_t last = SIZE_MAX;

	for (unsigned i = 0; i < block->n_insns; i++) {
		if (kinds & ACCESS_FETCH)
			add_fetch(to, &last, block, i, line);
		if (!(kinds & (ACCESS_READ | ACCESS_WRITE)))
			continue;
		if (is_odd(block, &block->insns[i])) {
			add_step(to, (struct access_step){ .insn = i, .pc = pc_of(block, i) });
			continue;
		}
		if (kinds & ACCESS_READ)
			add_operands(to, block, i, ACCESS_READ);
		if (kinds & ACCESS_WRITE)
			add_operands(to, block, i, ACCESS_WRITE);
	}
}

void access_code_init(struct access_code *code, const struct tf_reader *reader, unsigned kinds,
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
			add_block(&steps, block, kinds, line);
	}
	code->first[n_blocks] = steps.count;
	code->steps = steps.at;
}

void access_code_free(struct access_code *code)
{
	free(code->first);
	free(code->steps);
}

void access_step_each(const struct tf_block *block, unsigned index, const uint64_t *values,
		      void (*emit)(void *opaque, uint64_t address, uint32_t size,
				   enum access_kind kind),
		      void *opaque)
{
	enum { MOST = 2 };
	const struct tf_insn *insn = &block->insns[index];
	const struct tf_operand *operands = &block->operands[insn->first_operand];
	unsigned n = insn->n_operands < MOST ? insn->n_operands : MOST;
	struct tf_accesses its[MOST];
	bool more = n > 0;

	for (unsigned i = 0; i < n; i++)
		tf_accesses_begin(&its[i], &operands[i], block, values);
	while (more) {
		more = false;
		for (unsigned i = 0; i < n; i++) {
			if (!tf_accesses_next(&its[i]))
				continue;
			more = true;
			if (operands[i].access & TF_LOAD)
				emit(opaque, its[i].address, its[i].size, ACCESS_READ);
			if (operands[i].access & TF_STORE)
				emit(opaque, its[i].address, its[i].size, ACCESS_WRITE);
		}
	}
}
