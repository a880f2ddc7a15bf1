/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/pipeline.h"

#include "analyzers/common/checked.h"

/* What few ops need would cost all of them registers. */
#define noinline __attribute__((noinline))

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- queues ------------------------------------------------------------------------------ */

static void queue_init(struct ibs_queue *queue, uint32_t size)
{
	*queue = (struct ibs_queue){ .size = size, .free_at = checked_array(size, 8) };
}

/* Returns when there is room for one more entry. */
static inline uint64_t queue_room(const struct ibs_queue *queue)
{
	return queue->free_at[queue->next];
}

static inline void queue_add(struct ibs_queue *queue, uint64_t free_at)
{
	uint32_t next = queue->next + 1;

	queue->free_at[queue->next] = free_at;
	queue->next = next == queue->size ? 0 : next;
}

void pipeline_init(struct pipeline *p, const struct machine *machine, struct set_cache *l3)
{
	*p = (struct pipeline){
		.machine = machine, .forwarding.machine = machine,
		.dispatch.width = machine->dispatch_width,
		.retirement.width = machine->retire_width,
	};
	memory_init(&p->memory, machine, l3);
	frontend_init(&p->frontend, machine, &p->memory.lower, &p->memory.translation);
	predictor_init(&p->predictor, machine);
	queue_init(&p->rob, machine->rob);
	queue_init(&p->loads, machine->load_queue);
	queue_init(&p->stores, machine->store_queue);
}

void pipeline_free(struct pipeline *p)
{
	memory_free(&p->memory);
	frontend_free(&p->frontend);
	predictor_free(&p->predictor);
	free(p->rob.free_at);
	free(p->loads.free_at);
	free(p->stores.free_at);
}

/* ---- the stages -------------------------------------------------------------------------- */

/* Returns the cycle in which one more op passes. */
static inline uint64_t pass(struct ibs_passage *passage, uint64_t earliest)
{
	uint64_t cycle = later(earliest, passage->cycle + (passage->count == passage->width));

	passage->count = cycle == passage->cycle ? passage->count + 1 : 1;
	return passage->cycle = cycle;
}

static inline uint64_t dispatch(struct pipeline *p, const struct ibs_op_facts *op)
{
	uint64_t load = queue_room(&p->loads), store = queue_room(&p->stores);
	uint64_t earliest = later(p->frontend.decoded, queue_room(&p->rob));

	earliest = later(earliest, op->kinds & ACCESS_READ ? load : 0);
	earliest = later(earliest, op->kinds & ACCESS_WRITE ? store : 0);
	if (op->serializes)
		earliest = later(earliest, p->retirement.cycle);
	return pass(&p->dispatch, earliest);
}

static inline uint64_t issue(const struct pipeline *p, const struct ibs_op_facts *op,
			     uint64_t dispatched)
{
	const uint64_t *known = p->registers;
	const uint8_t *sources = op->sources;
	uint64_t cycle = later(later(known[sources[0]], known[sources[1]]),
			       later(known[sources[2]], known[sources[3]]));

	for (unsigned i = IBS_LEAST_SOURCES; i < op->n_sources; i++)
		cycle = later(cycle, known[sources[i]]);
	return later(cycle, dispatched + 1);
}

/* Returns when the data of its loads can be used. */
static noinline uint64_t load(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
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

static noinline void store(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
{
	for (uint32_t i = 0; i < op->n_accesses; i++) {
		const struct access *access = &op->accesses[i];

		if (access->kind != ACCESS_WRITE)
			continue;
		memory_store(&p->memory, access->address, access->size, t->completed, &t->memory);
		forwarding_store(&p->forwarding, access, t->completed, t->retired);
	}
}

static inline void write_registers(struct pipeline *p, const struct ibs_op_facts *op,
				   const struct ibs_timing *t)
{
	uint64_t moved = op->is_stack ? t->dispatched : t->issued + p->machine->integer;

	p->registers[op->results[0]] = t->completed;
	p->registers[op->results[1]] = t->completed;
	for (unsigned i = IBS_LEAST_RESULTS; i < op->n_results; i++)
		p->registers[op->results[i]] = t->completed;
	p->registers[op->moved] = moved;
}

/* Returns whether it was mispredicted. */
static noinline bool branch(struct pipeline *p, const struct ibs_op *op, uint64_t completed)
{
	const struct ibs_op_facts *facts = op->facts;
	struct branch branch = {
		.pc = facts->pc, .next_pc = op->next_pc, .end = facts->end,
		.fall_through = facts->pc + facts->length, .taken = op->taken,
	};
	bool predicted = predictor_step(&p->predictor, &branch);

	if (!predicted)
		frontend_restart(&p->frontend, completed + p->machine->restart);
	else if (op->taken || facts->end != TF_END_CONDITIONAL)
		frontend_jump(&p->frontend, facts->pc);
	return !predicted;
}

void pipeline_step(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
{
	const struct ibs_op_facts *facts = op->facts;

	t->n_fetches = frontend_fetch(&p->frontend, facts);
	t->dispatched = dispatch(p, facts);
	t->issued = issue(p, facts, t->dispatched);
	t->completed = t->issued;
	if (facts->kinds) {
		t->memory = (struct memory_access){ 0 };
		t->completed = load(p, op, t);
	}
	t->completed += facts->latency;
	t->retired = pass(&p->retirement, t->completed + 1);
	queue_add(&p->rob, t->retired + 1);
	if (facts->kinds & ACCESS_READ)
		queue_add(&p->loads, t->retired + 1);
	if (facts->kinds & ACCESS_WRITE) {
		queue_add(&p->stores, t->retired + 1);
		store(p, op, t);
	}
	write_registers(p, facts, t);
	t->mispredicted = facts->end != TF_END_NONE && branch(p, op, t->completed);
}
