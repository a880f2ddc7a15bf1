/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/pipeline_parts.h"
#include "cli/common/checked.h"

static void queue_init(struct ibs_queue *queue, uint32_t size)
{
	*queue = (struct ibs_queue){ .size = size, .free_at = checked_array(size, 8) };
}

void pipeline_init(struct pipeline *p, const struct machine *machine, struct set_cache *l3)
{
	*p = (struct pipeline){
		.machine = machine,
		.forwarding.machine = machine,
		.order.dispatch.width = machine->dispatch_width,
		.order.retirement.width = machine->retire_width,
	};
	memory_init(&p->memory, machine, l3);
	frontend_init(&p->frontend, machine, &p->memory.lower, &p->memory.translation);
	queue_init(&p->order.rob, machine->rob);
	queue_init(&p->loads, machine->load_queue);
	queue_init(&p->stores, machine->store_queue);
}

void pipeline_free(struct pipeline *p)
{
	memory_free(&p->memory);
	frontend_free(&p->frontend);
	free(p->order.rob.free_at);
	free(p->loads.free_at);
	free(p->stores.free_at);
}

/* ---- the stages -------------------------------------------------------------------------- */

/* Executes an op's loads. Returns the cycle in which their data can be used. */
static uint64_t load(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
{
	uint64_t ready = t->issued;

	for (uint32_t i = 0; i < op->n_accesses; i++) {
		const struct access *access = &op->accesses[i];

		if (access->kind != ACCESS_READ)
			continue;
		memory_load(&p->memory, op->facts->pc, access->address, access->size, t->issued,
			    &t->memory);
		ready = later(ready, forwarding_load(&p->forwarding, access, t->issued));
	}
	return op->facts->is_prefetch ? t->issued : later(ready, t->memory.ready);
}

static void store(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
{
	for (uint32_t i = 0; i < op->n_accesses; i++) {
		const struct access *access = &op->accesses[i];

		if (access->kind != ACCESS_WRITE)
			continue;
		memory_store(&p->memory, access->address, access->size, t->completed, &t->memory);
		forwarding_store(&p->forwarding, access, t->completed, t->retired);
	}
}

/* ---- an op ------------------------------------------------------------------------------- */

static uint64_t dispatch_any(struct pipeline *p, const struct ibs_op_facts *op)
{
	uint64_t earliest = memory_room(p, op->kinds);

	if (op->serializes)
		earliest = later(earliest, p->order.retirement.cycle);
	return dispatch(&p->order, earliest);
}

static void write_registers(struct pipeline *p, const struct ibs_op_facts *op,
			    const struct ibs_timing *t)
{
	write_results(p, op, t->completed);
	for (unsigned i = IBS_LEAST_RESULTS; i < op->n_results; i++)
		p->registers[op->results[i]] = t->completed;
	write_moved(p, op, t->dispatched, t->issued);
}

void pipeline_step(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
{
	const struct ibs_op_facts *facts = op->facts;

	t->n_fetches = 0;
	if (!facts->continues && !op->repeats)
		t->n_fetches = frontend_fetch(&p->frontend, facts);
	decode(&p->order.dispatch, p->frontend.decoded);
	t->dispatched = dispatch_any(p, facts);
	t->issued = issue(p, facts, facts->n_sources, t->dispatched);
	t->completed = t->issued;
	if (facts->kinds) {
		t->memory = (struct memory_access){ 0 };
		t->completed = load(p, op, t);
	}
	t->completed += facts->latency;
	t->retired = retire(&p->order, t->completed);
	if (facts->kinds & ACCESS_READ)
		queue_add(&p->loads, t->retired + 1);
	if (facts->kinds & ACCESS_WRITE) {
		queue_add(&p->stores, t->retired + 1);
		store(p, op, t);
	}
	write_registers(p, facts, t);
	t->mispredicted = op->mispredicted;
	if (facts->end != TF_END_NONE)
		pipeline_branch(p, facts, op->taken, op->mispredicted, t->completed);
}
