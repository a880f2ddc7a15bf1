/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/pipeline.h"

#include "analyzers/common/checked.h"

enum { GRANULE = 8, MOST_GRANULES = 64 };

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
	queue->free_at[queue->next++] = free_at;
	if (queue->next == queue->size)
		queue->next = 0;
}

void pipeline_init(struct pipeline *p, const struct machine *machine, struct set_cache *l3)
{
	*p = (struct pipeline){ .machine = machine };
	memory_init(&p->memory, machine, l3);
	predictor_init(&p->predictor, machine);
	queue_init(&p->rob, machine->rob);
	queue_init(&p->loads, machine->load_queue);
	queue_init(&p->stores, machine->store_queue);
}

void pipeline_free(struct pipeline *p)
{
	memory_free(&p->memory);
	predictor_free(&p->predictor);
	free(p->rob.free_at);
	free(p->loads.free_at);
	free(p->stores.free_at);
}

/* ---- stores that loads wait for ---------------------------------------------------------- */

static inline struct ibs_stored *stored_at(struct pipeline *p, uint64_t granule)
{
	return &p->stored[granule % IBS_STORE_GRANULES];
}

static uint64_t granules_of(const struct access *access)
{
	uint64_t n = (access->address % GRANULE + access->size + GRANULE - 1) / GRANULE;

	return n < MOST_GRANULES ? n : MOST_GRANULES;
}

static void note_store(struct pipeline *p, const struct access *access, uint64_t completed)
{
	uint64_t first = access->address / GRANULE, n = granules_of(access);

	for (uint64_t i = 0; i < n; i++)
		*stored_at(p, first + i) = (struct ibs_stored){ first + i, completed };
}

/* Returns when the bytes that older stores wrote are known. */
static uint64_t stores_known(struct pipeline *p, const struct access *access)
{
	uint64_t first = access->address / GRANULE, n = granules_of(access), known = 0;

	for (uint64_t i = 0; i < n; i++) {
		const struct ibs_stored *stored = stored_at(p, first + i);

		if (stored->granule == first + i)
			known = later(known, stored->completed);
	}
	return known;
}

/* ---- the stages -------------------------------------------------------------------------- */

static void fetch_line(struct pipeline *p, uint64_t pc)
{
	uint64_t line = (pc >> MACHINE_LINE_SHIFT) + 1;

	if (line == p->fetch_line)
		return;
	p->fetch_line = line;
	p->fetched = p->fetch_next + memory_fetch(&p->memory, pc);
	p->fetch_next = p->fetched + 1;
}

static uint64_t fetch(struct pipeline *p, const struct ibs_insn *insn)
{
	fetch_line(p, insn->pc);
	fetch_line(p, insn->pc + insn->length - 1);
	return p->fetched;
}

/* The cycle of the next op in an order of which `width` fit into a cycle; `count`, in *last. */
static uint64_t next_slot(uint64_t earliest, uint64_t last, uint32_t *count, uint32_t width)
{
	if (earliest > last) {
		*count = 1;
		return earliest;
	}
	if (*count < width) {
		(*count)++;
		return last;
	}
	*count = 1;
	return last + 1;
}

static uint64_t dispatch(struct pipeline *p, const struct ibs_insn *insn, unsigned kinds,
			 uint64_t fetched)
{
	uint64_t earliest = later(fetched + p->machine->frontend_depth, queue_room(&p->rob));

	if (kinds & ACCESS_READ)
		earliest = later(earliest, queue_room(&p->loads));
	if (kinds & ACCESS_WRITE)
		earliest = later(earliest, queue_room(&p->stores));
	if (insn->serializes)
		earliest = later(earliest, p->retired);
	return p->dispatched = next_slot(earliest, p->dispatched, &p->n_dispatched,
					 p->machine->dispatch_width);
}

static uint64_t issue(const struct pipeline *p, const struct ibs_insn *insn, uint64_t dispatched)
{
	uint64_t cycle = dispatched + 1;

	for (unsigned i = 0; i < insn->n_sources; i++)
		cycle = later(cycle, p->registers[insn->sources[i]]);
	return cycle;
}

static uint64_t complete(struct pipeline *p, const struct ibs_op *op, uint64_t issued,
			 struct memory_access *memory)
{
	uint64_t ready = issued;

	*memory = (struct memory_access){ 0 };
	for (unsigned i = 0; i < op->n_accesses; i++) {
		const struct access *access = &op->accesses[i];

		if (access->kind != ACCESS_READ)
			continue;
		memory_load(&p->memory, access->address, access->size, issued, memory);
		ready = later(ready, stores_known(p, access) + p->machine->l1d_latency);
	}
	uint64_t completed = later(ready, memory->ready) + op->insn->latency;

	for (unsigned i = 0; i < op->n_accesses; i++)
		if (op->accesses[i].kind == ACCESS_WRITE) {
			memory_store(&p->memory, op->accesses[i].address, op->accesses[i].size,
				     memory);
			note_store(p, &op->accesses[i], completed);
		}
	return completed;
}

static void write_registers(struct pipeline *p, const struct ibs_insn *insn,
			    const struct ibs_timing *timing)
{
	for (unsigned i = 0; i < insn->n_results; i++)
		p->registers[insn->results[i]] = timing->completed;
	if (insn->moved != IBS_NO_REGISTER)
		p->registers[insn->moved] = insn->is_stack ? timing->dispatched :
					    timing->issued + p->machine->integer;
}

static bool is_mispredicted(struct pipeline *p, const struct ibs_op *op)
{
	struct branch branch = {
		.pc = op->insn->pc, .next_pc = op->next_pc, .end = op->insn->end,
		.fall_through = op->insn->pc + op->insn->length, .taken = op->taken,
	};

	return branch.end != TF_END_NONE && !predictor_step(&p->predictor, &branch);
}

static unsigned kinds_of(const struct ibs_op *op)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < op->n_accesses; i++)
		kinds |= op->accesses[i].kind;
	return kinds;
}

void pipeline_step(struct pipeline *p, const struct ibs_op *op, struct ibs_timing *t)
{
	const struct ibs_insn *insn = op->insn;
	unsigned kinds = kinds_of(op);

	t->fetched = fetch(p, insn);
	t->dispatched = dispatch(p, insn, kinds, t->fetched);
	t->issued = issue(p, insn, t->dispatched);
	t->completed = complete(p, op, t->issued, &t->memory);
	t->retired = p->retired = next_slot(t->completed + 1, p->retired, &p->n_retired,
					    p->machine->retire_width);
	write_registers(p, insn, t);
	queue_add(&p->rob, t->retired + 1);
	if (kinds & ACCESS_READ)
		queue_add(&p->loads, t->retired + 1);
	if (kinds & ACCESS_WRITE)
		queue_add(&p->stores, t->retired + 1);
	t->mispredicted = is_mispredicted(p, op);
	if (t->mispredicted) {
		p->fetch_line = 0;
		p->fetch_next = later(p->fetch_next, t->completed + p->machine->restart);
	}
}
