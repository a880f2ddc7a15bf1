/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/accesses.h"

#include "analyzers/common/address_space.h"
#include "cli/common/checked.h"

/* A step of an instruction. Reads come before writes. */
struct access_step {
	uint16_t insn;  /* of the block */
	uint16_t value; /* its address, among an execution's values */
	uint8_t kind;   /* enum access_kind; 0: all accesses of an instruction of odd
				   ones */
	uint32_t size;  /* bytes */
	uint64_t pc;    /* fetches */
};

/* ---- static side ------------------------------------------------------------------------- */

struct steps {
	ARRAY(struct access_step);
};

static void add_step(struct steps *to, struct access_step step)
{
	CHECKED_RESERVE(*to, to->count + 1);
	to->at[to->count++] = step;
}

static unsigned kinds_of(const struct tf_operand *operand)
{
	return (operand->access & TF_LOAD ? ACCESS_READ : 0) |
	       (operand->access & TF_STORE ? ACCESS_WRITE : 0);
}

static void add_operands(struct steps *to, const struct tf_block *block, unsigned index,
			 enum access_kind kind)
{
	const struct tf_insn *insn = &block->insns[index];

	for (unsigned i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++)
		if (kinds_of(&block->operands[i]) & kind)
			add_step(to, (struct access_step){ .insn = index,
							   .value = i,
							   .kind = kind,
							   .size = block->operands[i].size });
}

static bool is_odd(const struct tf_block *block, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (block->operands[insn->first_operand + i].form != TF_PLAIN)
			return true;
	return false;
}

static void add_insn(struct steps *to, const struct tf_block *block, unsigned index, unsigned kinds)
{
	const struct tf_insn *insn = &block->insns[index];

	if (kinds & ACCESS_FETCH)
		add_step(to, (struct access_step){ .insn = index,
						   .kind = ACCESS_FETCH,
						   .size = insn->length,
						   .pc = block->pc + insn->offset });
	if (is_odd(block, insn)) {
		if (kinds & (ACCESS_READ | ACCESS_WRITE))
			add_step(to, (struct access_step){ .insn = index });
		return;
	}
	if (kinds & ACCESS_READ)
		add_operands(to, block, index, ACCESS_READ);
	if (kinds & ACCESS_WRITE)
		add_operands(to, block, index, ACCESS_WRITE);
}

void access_code_init(struct access_code *code, const struct tf_reader *reader, unsigned kinds)
{
	uint32_t n_blocks = tf_n_blocks(reader);
	struct steps steps = { 0 };

	code->reader = reader;
	code->first = checked_array(n_blocks + 1ul, sizeof(*code->first));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		code->first[id] = steps.count;
		for (unsigned i = 0; block && i < block->n_insns; i++)
			add_insn(&steps, block, i, kinds);
	}
	code->first[n_blocks] = steps.count;
	code->steps = steps.at;
}

void access_code_free(struct access_code *code)
{
	free(code->first);
	free(code->steps);
}

/* ---- executions -------------------------------------------------------------------------- */

static inline void add(struct access_collector *c, uint64_t address, uint32_t size,
		       enum access_kind kind, unsigned insn)
{
	if (c->count == sizeof(c->accesses) / sizeof(c->accesses[0]))
		access_flush(c);
	c->insns[c->count] = insn;
	c->accesses[c->count++] = (struct access){ address, size, kind };
}

/* Adds the accesses of an odd instruction. Those of its operands take turns, as for rep movs. */
__attribute__((noinline)) static void add_odd(struct access_collector *c,
					      const struct tf_block *block, unsigned index,
					      const uint64_t *values, uint64_t space)
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
			unsigned kinds = kinds_of(&operands[i]) & c->kinds;

			more = true;
			if (kinds & ACCESS_READ)
				add(c, its[i].address + space, its[i].size, ACCESS_READ, index);
			if (kinds & ACCESS_WRITE)
				add(c, its[i].address + space, its[i].size, ACCESS_WRITE, index);
		}
	}
}

void access_collect_block(struct access_collector *c, const struct tf_block_exec *exec,
			  uint64_t space)
{
	const struct access_step *step = c->code->steps + c->code->first[exec->block->id];
	const struct access_step *end = c->code->steps + c->code->first[exec->block->id + 1];
	const uint64_t *values = exec->values;
	unsigned executed = exec->executed;
	size_t count = c->count; /* kept in a register */

	for (; step < end && step->insn < executed; step++) {
		bool fetches = step->kind == ACCESS_FETCH;

		if (step->kind) {
			if (count == sizeof(c->accesses) / sizeof(c->accesses[0])) {
				c->count = count;
				access_flush(c);
				count = 0;
			}
			c->insns[count] = step->insn;
			c->accesses[count].address = (fetches ? step->pc : values[step->value]) +
						     space;
			c->accesses[count].size = step->size;
			c->accesses[count++].kind = step->kind;
			continue;
		}
		c->count = count;
		add_odd(c, exec->block, step->insn, values, space);
		count = c->count;
	}
	c->count = count;
}

void access_collect(struct access_collector *c, const struct tf_item *item)
{
	uint64_t space = address_space(c->code->reader, item->thread);

	for (size_t i = 0; i < item->count; i++)
		access_collect_block(c, &item->blocks[i], space);
}

void access_flush(struct access_collector *c)
{
	c->consume(c->opaque, c->accesses, c->count);
	c->count = 0;
}
