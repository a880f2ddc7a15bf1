/* SPDX-License-Identifier: MIT */
/* Runs of ops that nobody watches: the same as one by one, but what is rare is asked for once. */
#include "analyzers/ibs/model/stages.h"

/* ---- memory ------------------------------------------------------------------------------ */

static struct access access_of(const struct ibs_step *step, const uint64_t *values)
{
	return (struct access){ values[step->value], step->size, step->kind };
}

static inline uint64_t load(struct pipeline *p, const struct ibs_code_op *op,
			    const uint64_t *values, uint64_t issued)
{
	struct access access = access_of(&op->read, values);
	struct memory_access met = { .ready = memory_load_hit(&p->memory, op->facts.pc,
							      access.address, access.size,
							      issued) };

	if (!met.ready)
		memory_load(&p->memory, op->facts.pc, access.address, access.size, issued, &met);
	return later(met.ready, forwarding_find(&p->forwarding, &access, issued));
}

static inline void store(struct pipeline *p, const struct ibs_code_op *op,
			 const uint64_t *values, uint64_t completed, uint64_t retired)
{
	struct access access = access_of(&op->write, values);
	struct memory_access ignored = { 0 };

	if (!memory_hits(&p->memory, access.address, access.size))
		memory_store(&p->memory, access.address, access.size, completed, &ignored);
	forwarding_store(&p->forwarding, &access, completed, retired);
}

/* ---- ops --------------------------------------------------------------------------------- */

/* Each of these returns when the op is completed. */

static inline uint64_t run_plain(struct pipeline *p, struct ibs_order *order,
				 const struct ibs_op_facts *op)
{
	uint64_t completed = issue(p, op, dispatch(p, order, 0)) + op->latency;

	retire(order, completed);
	write_results(p, op, completed);
	return completed;
}

static inline uint64_t run_memory(struct pipeline *p, struct ibs_order *order,
				  const struct ibs_code_op *op, const uint64_t *values)
{
	const struct ibs_op_facts *facts = &op->facts;
	uint64_t dispatched = dispatch(p, order, memory_room(p, facts->kinds));
	uint64_t issued = issue(p, facts, dispatched), completed = issued, retired;

	if (facts->kinds & ACCESS_READ)
		completed = load(p, op, values, issued);
	completed += facts->latency;
	retired = retire(order, completed);
	if (facts->kinds & ACCESS_READ)
		queue_add(&p->loads, retired + 1);
	if (facts->kinds & ACCESS_WRITE) {
		queue_add(&p->stores, retired + 1);
		store(p, op, values, completed, retired);
	}
	write_results(p, facts, completed);
	write_moved(p, facts, dispatched, issued);
	return completed;
}

void ibs_run_op(const struct ibs_run *run, size_t i, struct ibs_op *op,
		struct access accesses[IBS_MAX_ACCESSES])
{
	const struct ibs_code_op *code = &run->ops[i];
	bool last = i == run->n_ops - 1;

	*op = (struct ibs_op){
		.facts = &code->facts, .accesses = accesses, .n_accesses = code->n_steps,
		.next_pc = last ? run->next_pc : 0, .taken = last && run->taken,
	};
	for (unsigned k = 0; k < code->n_steps; k++)
		accesses[k] = access_of(&run->steps[code->first_step + k], run->values);
}

static __attribute__((noinline)) unsigned run_any(struct pipeline *p, const struct ibs_run *run,
						  size_t i)
{
	struct access accesses[IBS_MAX_ACCESSES];
	struct ibs_timing timing;
	struct ibs_op op;

	ibs_run_op(run, i, &op, accesses);
	pipeline_step(p, &op, &timing);
	return timing.n_fetches;
}

uint64_t pipeline_run(struct pipeline *p, const struct ibs_run *run)
{
	struct ibs_order order = p->order;	/* in registers */
	const struct ibs_code_op *op = run->ops;
	uint64_t n_fetches = 0, completed = 0;

	for (size_t i = 0; i < run->n_ops; i++, op++) {
		if (op->form == IBS_GENERAL) {
			p->order = order;
			n_fetches += run_any(p, run, i);
			order = p->order;
			continue;
		}
		n_fetches += frontend_fetch(&p->frontend, &op->facts);
		if (op->form == IBS_PLAIN)
			completed = run_plain(p, &order, &op->facts);
		else
			completed = run_memory(p, &order, op, run->values);
	}
	p->order = order;
	if (run->n_ops && op[-1].form != IBS_GENERAL && op[-1].facts.end != TF_END_NONE)
		pipeline_branch(p, &op[-1].facts, run->next_pc, run->taken, completed);
	return n_fetches;
}
