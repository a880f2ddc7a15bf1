/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/program.h"

#include <string.h>

void ibs_program_init(struct ibs_program *p, const struct machine *machine,
		      const struct ibs_code *code)
{
	p->code = code;
	p->rep_bytes = machine->rep_bytes;
	predictor_init(&p->predictor, machine);
}

void ibs_program_free(struct ibs_program *p)
{
	predictor_free(&p->predictor);
}

static void hand_on(struct ibs_program *p)
{
	for (struct ibs_op *op = p->ops; op < p->ops + p->n_ops; op++)
		op->mispredicted = predictor_misses(&p->predictor, op->facts, op->next_pc,
						    op->taken);
	if (p->n_runs)
		p->run(p->opaque, p->runs, p->n_runs);
	if (p->n_ops)
		p->consume(p->opaque, p->ops, p->n_ops);
	p->n_runs = p->n_ops = p->n_accesses = 0;
}

static inline struct ibs_op *next_op(struct ibs_program *p, const struct ibs_op_facts *facts)
{
	if (p->n_ops == IBS_PROGRAM_OPS || p->n_accesses > IBS_PROGRAM_ACCESSES - IBS_MAX_ACCESSES)
		hand_on(p);
	struct ibs_op *op = &p->ops[p->n_ops++];

	op->facts = facts;
	op->accesses = &p->accesses[p->n_accesses];
	op->n_accesses = 0;
	op->next_pc = 0;
	op->taken = op->mispredicted = op->repeats = false;
	return op;
}

/* Adds an access to the newest op. */
static inline void add_access(struct ibs_program *p, struct ibs_op *op, struct access access)
{
	if (op->n_accesses == IBS_MAX_ACCESSES || !access.size)
		return;
	p->accesses[p->n_accesses++] = access;
	op->n_accesses++;
}

/* ---- odd accesses ------------------------------------------------------------------------ */

/*
 * The most bytes of one access. No processor has as much state to load or store, so a larger size
 * in a trace is damage.
 */
enum { MOST_BYTES = 1 << 16 };

static void add_operand(struct ibs_program *p, struct ibs_op *op, const struct tf_operand *operand,
			enum access_kind kind, const struct tf_block_exec *exec)
{
	struct tf_accesses it;

	if (!(ibs_operand_kinds(operand) & op->facts->kinds & kind))
		return;
	tf_accesses_begin(&it, operand, exec->block, exec->values);
	while (tf_accesses_next(&it)) {
		uint32_t size = it.size < MOST_BYTES ? it.size : MOST_BYTES;

		add_access(p, op, (struct access){ it.address, size, kind });
	}
}

enum { MOST_STRINGS = 2 }; /* operands of a string instruction */

struct repetition {
	unsigned n;
	const struct tf_operand *operands;
	struct tf_accesses accesses[MOST_STRINGS];
};

/* Moves to the next repetition; returns false if there is none. */
static bool next_repetition(struct repetition *r)
{
	bool found = false;

	for (unsigned i = 0; i < r->n; i++)
		found = tf_accesses_next(&r->accesses[i]);
	return found;
}

/* Makes an access longer by one that continues it, up or down. */
static void extend(struct access *access, const struct tf_accesses *more)
{
	if (more->address < access->address)
		access->address = more->address;
	access->size += more->size;
}

/*
 * Adds an op for each group of repetitions that writes rep_bytes, and one op if there are no
 * repetitions.
 */
static void add_repetitions(struct ibs_program *p, const struct ibs_op_facts *facts,
			    const struct tf_insn *insn, const struct tf_block_exec *exec)
{
	struct repetition r = {
		.n = insn->n_operands < MOST_STRINGS ? insn->n_operands : MOST_STRINGS,
		.operands = &exec->block->operands[insn->first_operand],
	};
	bool writes = facts->kinds & ACCESS_WRITE;
	struct ibs_op *op = next_op(p, facts);

	for (unsigned i = 0; i < r.n; i++)
		tf_accesses_begin(&r.accesses[i], &r.operands[i], exec->block, exec->values);
	while (next_repetition(&r)) {
		struct access *last = &p->accesses[p->n_accesses - op->n_accesses];

		if (op->n_accesses && writes && last->size + r.accesses[0].size <= p->rep_bytes) {
			for (unsigned i = 0; i < r.n; i++)
				extend(&last[i], &r.accesses[i]);
			continue;
		}
		if (op->n_accesses) {
			op = next_op(p, facts);
			op->repeats = true;
		}
		for (unsigned i = 0; i < r.n; i++)
			add_access(p, op,
				   (struct access){ r.accesses[i].address, r.accesses[i].size,
						    r.operands[i].access & TF_LOAD
							    ? ACCESS_READ
							    : ACCESS_WRITE });
	}
}

static void add_odd_op(struct ibs_program *p, const struct ibs_op_facts *facts,
		       const struct tf_insn *insn, const struct tf_block_exec *exec)
{
	const struct tf_operand *operands = &exec->block->operands[insn->first_operand];

	if (insn->flags & TF_INSN_REP) {
		add_repetitions(p, facts, insn, exec);
		return;
	}
	struct ibs_op *op = next_op(p, facts);

	for (unsigned i = 0; i < insn->n_operands; i++)
		add_operand(p, op, &operands[i], ACCESS_READ, exec);
	for (unsigned i = 0; i < insn->n_operands; i++)
		add_operand(p, op, &operands[i], ACCESS_WRITE, exec);
}

/* ---- executions -------------------------------------------------------------------------- */

static inline void add_op(struct ibs_program *p, const struct ibs_code_op *code_op,
			  const uint64_t *values)
{
	const struct ibs_step *step = &p->code->steps.at[code_op->first_step];
	struct ibs_op *op = next_op(p, &code_op->facts);

	for (unsigned i = 0; i < code_op->n_steps; i++, step++)
		add_access(p, op, (struct access){ values[step->value], step->size, step->kind });
}

/* Finds the ops of an execution. Returns their number. */
static size_t find_ops(const struct ibs_code *code, const struct tf_block_exec *exec,
		       const struct ibs_code_op **ops)
{
	const struct ibs_code_block *block = &code->blocks[exec->block->id];
	size_t n = block[1].first_op - block->first_op, end = block->first + exec->executed;

	*ops = &code->ops.at[block->first_op];
	while (exec->executed < exec->block->n_insns && n && (*ops)[n - 1].facts.insn >= end)
		n--;
	return n;
}

static void add_block(struct ibs_program *p, const struct tf_block_exec *exec)
{
	const struct tf_block *block = exec->block;
	size_t first = p->code->blocks[block->id].first;
	const struct ibs_code_op *ops;
	size_t n_ops = find_ops(p->code, exec, &ops);

	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].is_odd)
			add_odd_op(p, &ops[i].facts, &block->insns[ops[i].facts.insn - first],
				   exec);
		else
			add_op(p, &ops[i], exec->values);
	if (exec->executed == block->n_insns)
		p->ops[p->n_ops - 1].taken = exec->outcome == TF_TAKEN;
}

/* Returns true if the branch of an execution is mispredicted. The facts of its op are not read. */
static inline bool misses(struct ibs_program *p, const struct tf_block_exec *exec, uint64_t next_pc)
{
	const struct ibs_code_block *block = &p->code->blocks[exec->block->id];
	struct branch branch = {
		.pc = block->branch,
		.next_pc = next_pc,
		.fall_through = block->fall_through,
		.end = block->end,
		.taken = exec->outcome == TF_TAKEN,
	};

	return exec->executed == exec->block->n_insns && block->end != TF_END_NONE &&
	       !predictor_step(&p->predictor, &branch);
}

/* Adds a block without odd ops. */
static void add_run(struct ibs_program *p, const struct tf_block_exec *exec, uint64_t next_pc)
{
	if (p->n_ops || p->n_runs == IBS_PROGRAM_RUNS)
		hand_on(p);
	struct ibs_run *run = &p->runs[p->n_runs++];

	run->n_ops = find_ops(p->code, exec, &run->ops);
	run->values = exec->values;
	run->n_values = exec->block->n_values;
	run->next_pc = next_pc;
	run->taken = exec->executed == exec->block->n_insns && exec->outcome == TF_TAKEN;
	run->mispredicted = misses(p, exec, next_pc);
}

/* Hands on all ops but the last, whose next pc is not known. */
static void hand_on_known(struct ibs_program *p)
{
	struct ibs_op last;
	struct access accesses[IBS_MAX_ACCESSES];

	if (p->n_ops < 2)
		return;
	last = p->ops[--p->n_ops];
	memcpy(accesses, last.accesses, last.n_accesses * sizeof(*accesses));
	hand_on(p);
	memcpy(p->accesses, accesses, last.n_accesses * sizeof(*accesses));
	last.accesses = p->accesses;
	p->ops[0] = last;
	p->n_ops = 1;
	p->n_accesses = last.n_accesses;
}

/*
 * Feeds an item. An event between items is known to happen after all earlier ops but the last one.
 */
void ibs_program_feed(struct ibs_program *p, const struct tf_item *item)
{
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];

		if (p->n_ops)
			p->ops[p->n_ops - 1].next_pc = exec->block->pc;
		if (i + 1 < item->count && !p->code->blocks[exec->block->id].is_odd) {
			add_run(p, exec, exec[1].block->pc);
			continue;
		}
		if (p->n_runs)
			hand_on(p);
		add_block(p, exec);
	}
	hand_on_known(p);
}

void ibs_program_end(struct ibs_program *p)
{
	if (!p->n_ops)
		return;
	struct ibs_op *last = &p->ops[p->n_ops - 1];

	last->next_pc = last->facts->pc + last->facts->length;
	last->taken = false;
	hand_on(p);
}
