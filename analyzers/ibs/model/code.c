/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/code.h"

#include "analyzers/locality/accesses.h"
#include "cli/common/checked.h"
#include "cli/common/trace_meta.h"

unsigned ibs_operand_kinds(const struct tf_operand *operand)
{
	return (operand->access & (TF_LOAD | TF_PREFETCH) ? ACCESS_READ : 0) |
	       (operand->access & TF_STORE ? ACCESS_WRITE : 0);
}

/* ---- an instruction ---------------------------------------------------------------------- */

static void add_steps(struct ibs_code *code, struct ibs_code_op *op, const struct tf_block *block,
		      const struct tf_insn *insn, unsigned kind)
{
	for (unsigned i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];

		if (!(ibs_operand_kinds(operand) & kind & op->facts.kinds) || !operand->size ||
		    op->n_steps == IBS_MAX_ACCESSES)
			continue;
		code->steps.at[code->steps.count++] = (struct ibs_step){
			.size = operand->size,
			.value = i,
			.kind = kind,
		};
		op->n_steps++;
	}
}

/* Returns true if an op makes the accesses that its facts give, each kind at one place. */
static bool has_plain_steps(const struct ibs_code *code, const struct ibs_code_op *op)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < op->n_steps; i++)
		kinds += code->steps.at[op->first_step + i].kind;
	return kinds == op->facts.kinds && op->n_steps <= 2;
}

static enum ibs_form form_of(const struct ibs_code *code, const struct ibs_code_op *op,
			     bool is_last)
{
	const struct ibs_op_facts *facts = &op->facts;

	if (facts->serializes || facts->is_prefetch || op->is_odd ||
	    facts->n_sources > IBS_LEAST_SOURCES || facts->n_results > IBS_LEAST_RESULTS ||
	    !has_plain_steps(code, op) || (facts->end != TF_END_NONE && !is_last))
		return IBS_GENERAL;
	if (!facts->kinds && facts->moved == IBS_IGNORED && facts->n_sources <= IBS_PLAIN_SOURCES)
		return IBS_PLAIN;
	return facts->kinds == ACCESS_READ    ? IBS_READ
	       : facts->kinds == ACCESS_WRITE ? IBS_WRITE
					      : IBS_MIXED;
}

/* Sets the form of an op. is_last: the op's instruction is the last of its block. */
static void set_form(const struct ibs_code *code, struct ibs_code_op *op, bool is_last)
{
	op->form = form_of(code, op, is_last);
	for (unsigned i = 0; i < op->n_steps && op->form != IBS_GENERAL; i++) {
		const struct ibs_step *step = &code->steps.at[op->first_step + i];

		*(step->kind == ACCESS_READ ? &op->read : &op->write) = *step;
	}
}

static bool is_odd(const struct tf_block *block, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (block->operands[insn->first_operand + i].form != TF_PLAIN)
			return true;
	return insn->flags & TF_INSN_REP;
}

static void add_insn(struct ibs_code *code, const struct tf_block *block, unsigned index,
		     const struct machine *machine)
{
	const struct tf_insn *insn = &block->insns[index];
	struct ibs_code_block *code_block = &code->blocks[block->id];
	size_t number = code_block->first + index;
	struct ibs_op_facts ops[IBS_MAX_OPS];
	unsigned n = ibs_insn_of_block(ops, machine, code->vendor, block, index);

	code_block->branch = ops[n - 1].pc;
	code_block->fall_through = ops[n - 1].pc + ops[n - 1].length;
	code_block->end = ops[n - 1].end;
	code->insns[number] = (struct ibs_insn){ ops[0].pc, block->id, insn->length };
	CHECKED_RESERVE(code->ops, code->ops.count + n);
	CHECKED_RESERVE(code->steps, code->steps.count + 2ul * insn->n_operands);
	for (unsigned i = 0; i < n; i++) {
		struct ibs_code_op *op = &code->ops.at[code->ops.count++];

		*op = (struct ibs_code_op){ .facts = ops[i], .first_step = code->steps.count };
		op->facts.insn = number;
		op->is_odd = op->facts.kinds && is_odd(block, insn);
		code_block->is_odd |= op->is_odd;
		if (!op->is_odd) {
			add_steps(code, op, block, insn, ACCESS_READ);
			add_steps(code, op, block, insn, ACCESS_WRITE);
		}
		set_form(code, op, index + 1u == block->n_insns);
	}
}

static uint64_t last_line(const struct ibs_op_facts *facts)
{
	return (facts->pc + facts->length - 1) >> MACHINE_LINE_SHIFT;
}

/*
 * Finds the ops before which the front end may have to fetch: those that end in another line than
 * the op before, those after an op of the general form, which may jump anywhere, and such ops,
 * which fetch on their own.
 */
static void find_fetches(struct ibs_code_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ops[i].may_fetch = i == 0 || ops[i].form == IBS_GENERAL ||
				   ops[i - 1].form == IBS_GENERAL ||
				   last_line(&ops[i].facts) != last_line(&ops[i - 1].facts);
}

/* ---- a trace ----------------------------------------------------------------------------- */

static void add_block(struct ibs_code *code, uint32_t id, const struct machine *machine)
{
	const struct tf_block *block = tf_block(code->reader, id);

	code->blocks[id].first_op = code->ops.count;
	for (unsigned i = 0; block && i < block->n_insns; i++)
		add_insn(code, block, i, machine);
	find_fetches(&code->ops.at[code->blocks[id].first_op],
		     code->ops.count - code->blocks[id].first_op);
}

void ibs_code_init(struct ibs_code *code, struct tf_reader *reader, const struct machine *machine)
{
	uint32_t n_blocks = tf_n_blocks(reader);
	size_t total = 0;

	*code = (struct ibs_code){ .reader = reader, .vendor = recorded_vendor(reader) };
	code->blocks = checked_array(n_blocks + 1ul, sizeof(*code->blocks));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		code->blocks[id].first = total;
		total += block ? block->n_insns : 0;
	}
	code->blocks[n_blocks].first = total;
	code->insns = checked_array(total, sizeof(*code->insns));
	for (uint32_t id = 0; id < n_blocks; id++)
		add_block(code, id, machine);
	code->blocks[n_blocks].first_op = code->ops.count;
}

void ibs_code_free(struct ibs_code *code)
{
	free(code->blocks);
	free(code->insns);
	free(code->ops.at);
	free(code->steps.at);
}
