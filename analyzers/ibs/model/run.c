/* SPDX-License-Identifier: MIT */
/*
 * Executes runs of ops that are not observed. The results are those of pipeline_step() for one op
 * after the other, but each form of ops has code that checks for rare cases only where they can
 * occur.
 */
#include "analyzers/ibs/model/pipeline_parts.h"

/* Marks code that few ops need: inlined, it would take registers from the code of all ops. */
#define noinline __attribute__((noinline))
/* The code is compiled once for each form, without the parts that other forms need. */
#define specialized __attribute__((always_inline)) inline

static struct access access_of(const struct ibs_step *step, const uint64_t *values)
{
	return (struct access){ values[step->value], step->size, step->kind };
}

/* ---- memory ------------------------------------------------------------------------------ */

static noinline uint64_t load_missing(struct memory *m, uint64_t pc, uint64_t address,
				      uint32_t size, uint64_t issued)
{
	struct memory_access met = { 0 };

	memory_load(m, pc, address, size, issued, &met);
	return met.ready;
}

static noinline void store_missing(struct memory *m, uint64_t address, uint32_t size,
				   uint64_t completed)
{
	struct memory_access ignored = { 0 };

	memory_store(m, address, size, completed, &ignored);
}

/* Executes a load. Returns the cycle in which its data can be used. */
static inline uint64_t load(struct pipeline *p, const struct ibs_code_op *op,
			    const uint64_t *values, uint64_t issued)
{
	struct access access = access_of(&op->read, values);
	uint64_t ready = memory_load_hit(&p->memory, op->facts.pc, access.address, access.size,
					 issued);

	if (!ready)
		ready = load_missing(&p->memory, op->facts.pc, access.address, access.size, issued);
	return later(ready, forwarding_load(&p->forwarding, &access, issued));
}

static inline void store(struct pipeline *p, const struct ibs_code_op *op, const uint64_t *values,
			 uint64_t completed, uint64_t retired)
{
	struct access access = access_of(&op->write, values);

	if (!memory_hits(&p->memory, access.address, access.size))
		store_missing(&p->memory, access.address, access.size, completed);
	forwarding_store(&p->forwarding, &access, completed, retired);
}

/* ---- an op ------------------------------------------------------------------------------- */

/* Fetches an op. Returns the number of fetches. */
static specialized unsigned fetch(struct frontend *f, const struct ibs_op_facts *op)
{
	if ((op->pc >> MACHINE_LINE_SHIFT) + 1 != f->line && frontend_hits(f, op))
		return 1;
	return frontend_fetch(f, op);
}

/* Each of these functions returns the cycle in which the op is completed. */

static specialized uint64_t run_plain(struct pipeline *p, struct ibs_order *order,
				      const struct ibs_op_facts *op)
{
	uint64_t completed = issue(p, op, IBS_PLAIN_SOURCES, dispatch(order, 0)) + op->latency;

	retire(order, completed);
	write_results(p, op, completed);
	return completed;
}

static specialized uint64_t run_memory(struct pipeline *p, struct ibs_order *order,
				       const struct ibs_code_op *op, unsigned kinds,
				       const uint64_t *values)
{
	const struct ibs_op_facts *facts = &op->facts;
	uint64_t dispatched = dispatch(order, memory_room(p, kinds)), retired;
	uint64_t issued = issue(p, facts, IBS_LEAST_SOURCES, dispatched), completed = issued;

	if (kinds & ACCESS_READ)
		completed = load(p, op, values, issued);
	completed += facts->latency;
	retired = retire(order, completed);
	if (kinds & ACCESS_READ)
		queue_add(&p->loads, retired + 1);
	if (kinds & ACCESS_WRITE) {
		queue_add(&p->stores, retired + 1);
		store(p, op, values, completed, retired);
	}
	write_results(p, facts, completed);
	write_moved(p, facts, dispatched, issued);
	return completed;
}

static specialized uint64_t run_op(struct pipeline *p, struct ibs_order *order,
				   const struct ibs_code_op *op, const uint64_t *values)
{
	switch (op->form) {
	case IBS_PLAIN: return run_plain(p, order, &op->facts);
	case IBS_READ: return run_memory(p, order, op, ACCESS_READ, values);
	case IBS_WRITE: return run_memory(p, order, op, ACCESS_WRITE, values);
	default: return run_memory(p, order, op, op->facts.kinds, values);
	}
}

/* ---- a run ------------------------------------------------------------------------------- */

void ibs_run_op(const struct ibs_run *run, const struct ibs_step *steps, size_t i,
		struct ibs_op *op, struct access accesses[IBS_MAX_ACCESSES])
{
	const struct ibs_code_op *code = &run->ops[i];
	bool last = i == run->n_ops - 1;

	*op = (struct ibs_op){
		.facts = &code->facts,
		.accesses = accesses,
		.n_accesses = code->n_steps,
		.next_pc = last ? run->next_pc : 0,
		.taken = last && run->taken,
		.mispredicted = last && run->mispredicted,
	};
	for (unsigned k = 0; k < code->n_steps; k++)
		accesses[k] = access_of(&steps[code->first_step + k], run->values);
}

static noinline unsigned run_any(struct pipeline *p, const struct ibs_run *run, size_t i)
{
	struct access accesses[IBS_MAX_ACCESSES];
	struct ibs_timing timing;
	struct ibs_op op;

	ibs_run_op(run, p->steps, i, &op, accesses);
	pipeline_step(p, &op, &timing);
	return timing.n_fetches;
}

static inline void count_op(struct ibs_dispatched *dispatched, const struct ibs_order *order)
{
	for (unsigned i = 0; i < 2; i++)
		dispatched->n[i] += order->dispatch.cycle >= dispatched->from[i];
}

/* dispatched: NULL, or counts the ops one by one. */
static specialized uint64_t run_ops(struct pipeline *p, struct ibs_order *order,
				    const struct ibs_run *run, struct ibs_dispatched *dispatched)
{
	const struct ibs_code_op *op = run->ops, *end = op + run->n_ops;
	const uint64_t *values = run->values;
	uint64_t n_fetches = 0, completed = 0;

	for (; op < end; op++) {
		if (op->may_fetch) {
			if (op->form == IBS_GENERAL) {
				p->order = *order;
				n_fetches += run_any(p, run, op - run->ops);
				*order = p->order;
				if (dispatched)
					count_op(dispatched, order);
				continue;
			}
			n_fetches += fetch(&p->frontend, &op->facts);
			decode(&order->dispatch, p->frontend.decoded);
		}
		completed = run_op(p, order, op, values);
		if (dispatched)
			count_op(dispatched, order);
	}
	if (run->n_ops && end[-1].form != IBS_GENERAL && end[-1].facts.end != TF_END_NONE)
		pipeline_branch(p, &end[-1].facts, run->taken, run->mispredicted, completed);
	return n_fetches;
}

static specialized uint64_t run_all(struct pipeline *p, const struct ibs_run *runs, size_t count,
				    struct ibs_dispatched *dispatched)
{
	struct ibs_order order = p->order; /* a copy, most of which stays in registers */
	uint64_t n_fetches = 0;

	for (size_t i = 0; i < count; i++)
		n_fetches += run_ops(p, &order, &runs[i], dispatched);
	p->order = order;
	return n_fetches;
}

uint64_t pipeline_run(struct pipeline *p, const struct ibs_run *runs, size_t count,
		      struct ibs_dispatched *dispatched)
{
	uint64_t cycle = p->order.dispatch.cycle;

	if (cycle < dispatched->from[0] || cycle < dispatched->from[1])
		return run_all(p, runs, count, dispatched);
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < 2; k++)
			dispatched->n[k] += runs[i].n_ops;
	return run_all(p, runs, count, NULL);
}
