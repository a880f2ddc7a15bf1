/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/program.h"

#include "analyzers/common/checked.h"
#include "cli/common/vendor.h"

void ibs_code_init(struct ibs_code *code, struct tf_reader *reader, const struct machine *machine)
{
	enum isa_vendor vendor = recorded_vendor(reader);
	uint32_t n_blocks = tf_n_blocks(reader);
	size_t total = 0;

	code->reader = reader;
	code->first = checked_array(n_blocks + 1ul, sizeof(*code->first));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		code->first[id] = total;
		total += block ? block->n_insns : 0;
	}
	code->first[n_blocks] = total;
	code->insns = checked_array(total, sizeof(*code->insns));
	code->blocks = checked_array(total, sizeof(*code->blocks));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		for (size_t i = 0; block && i < block->n_insns; i++) {
			const struct tf_insn *insn = &block->insns[i];
			size_t index = code->first[id] + i;

			ibs_insn_decode(&code->insns[index], machine, vendor,
					block->code + insn->offset, insn->length,
					block->pc + insn->offset);
			code->insns[index].index = index;
			code->blocks[index] = id;
		}
	}
}

void ibs_code_free(struct ibs_code *code)
{
	free(code->first);
	free(code->insns);
	free(code->blocks);
}

/* ---- executions -------------------------------------------------------------------------- */

/* The one before it now knows where it went. */
static struct ibs_op *next_op(struct ibs_program *p, const struct ibs_insn *insn)
{
	if (p->has_current) {
		p->ops[p->current].next_pc = insn->pc;
		p->consume(p->opaque, &p->ops[p->current]);
	}
	p->current ^= 1;
	p->has_current = true;

	struct ibs_op *op = &p->ops[p->current];

	op->insn = insn;
	op->taken = false;
	op->n_accesses = 0;
	return op;
}

static void add_access(struct ibs_op *op, uint64_t address, uint32_t size, enum access_kind kind)
{
	if (op->n_accesses < IBS_MAX_ACCESSES)
		op->accesses[op->n_accesses++] = (struct access){ address, size, kind };
}

static void add_operand(struct ibs_op *op, const struct tf_operand *operand,
			enum tf_access access, const struct tf_block_exec *exec)
{
	enum access_kind kind = access == TF_LOAD ? ACCESS_READ : ACCESS_WRITE;
	struct tf_accesses it;

	if (!(operand->access & access))
		return;
	if (operand->form == TF_PLAIN) {
		add_access(op, exec->values[operand - exec->block->operands], operand->size, kind);
		return;
	}
	tf_accesses_begin(&it, operand, exec->block, exec->values);
	while (tf_accesses_next(&it))
		add_access(op, it.address, it.size, kind);
}

/* An op each repetition, and one if there is none. */
static void add_repetitions(struct ibs_program *p, const struct ibs_insn *model,
			    const struct tf_insn *insn, const struct tf_block_exec *exec)
{
	enum { MOST = 2 };
	const struct tf_operand *operands = &exec->block->operands[insn->first_operand];
	unsigned n = insn->n_operands < MOST ? insn->n_operands : MOST;
	struct ibs_op *op = next_op(p, model);
	struct tf_accesses its[MOST];

	for (unsigned i = 0; i < n; i++)
		tf_accesses_begin(&its[i], &operands[i], exec->block, exec->values);
	for (bool first = true;; first = false)
		for (unsigned i = 0; i < n; i++) {
			if (!tf_accesses_next(&its[i]))
				return;
			if (i == 0 && !first)
				op = next_op(p, model);
			add_access(op, its[i].address, its[i].size,
				   operands[i].access & TF_LOAD ? ACCESS_READ : ACCESS_WRITE);
		}
}

static void add_insn(struct ibs_program *p, const struct ibs_insn *model,
		     const struct tf_insn *insn, const struct tf_block_exec *exec)
{
	const struct tf_operand *operands = &exec->block->operands[insn->first_operand];

	if (insn->flags & TF_INSN_REP && insn->n_operands) {
		add_repetitions(p, model, insn, exec);
		return;
	}
	struct ibs_op *op = next_op(p, model);

	for (unsigned i = 0; i < insn->n_operands; i++)
		add_operand(op, &operands[i], TF_LOAD, exec);
	for (unsigned i = 0; i < insn->n_operands; i++)
		add_operand(op, &operands[i], TF_STORE, exec);
}

void ibs_program_feed(struct ibs_program *p, const struct tf_item *item)
{
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		const struct ibs_insn *models = &p->code->insns[p->code->first[exec->block->id]];

		for (unsigned k = 0; k < exec->executed; k++)
			add_insn(p, &models[k], &exec->block->insns[k], exec);
		if (exec->executed == exec->block->n_insns)
			p->ops[p->current].taken = exec->outcome == TF_TAKEN;
	}
}

void ibs_program_end(struct ibs_program *p)
{
	struct ibs_op *last = &p->ops[p->current];

	if (!p->has_current)
		return;
	last->next_pc = last->insn->pc + last->insn->length;
	last->taken = false;
	p->consume(p->opaque, last);
	p->has_current = false;
}
