/* SPDX-License-Identifier: MIT */
/*
 * Instruction-level parallelism: the cycles of an ideal processor with a window of so many
 * executions, in which each takes a cycle and waits for nothing but registers and memory blocks
 * that earlier ones write.
 *
 * Executions enter the window in order. When it is full a cycle passes, and those at its head that
 * began before it leave. What is left in the window at the end takes no more cycles: MICA never
 * drains it. With an unlimited window cycles are the longest chain of dependences. Numbers: cycles by
 * window. Registers depend as they are named: what writes eax is no producer of rax. Flags and
 * address 0 carry no dependence.
 *
 * Latencies other than 1 delay what waits for an execution, and its leaving the window, which then
 * passes as many cycles as its head needs.
 *
 * MICA processes executions in batches of 200, and an interval's line has what there is after the
 * first execution of its last batch; blocks are forgotten there. exact_intervals avoids both.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/clocks.h"

enum { BATCH = 200 };

struct window {
	uint32_t size;		/* 0: unlimited */
	uint32_t head, count;	/* of the ring */
	uint64_t clock, cycles, reported;
	uint64_t *times;	/* ring of the last cycle of executions */
};

struct ilp {
	const struct mica_setup *setup;
	unsigned n;		/* windows */
	bool batched;
	struct window windows[MICA_MAX_WINDOWS];
	uint64_t *registers;	/* ready, by register and window */
	struct clocks blocks;	/* ready */
	uint64_t times[MICA_MAX_WINDOWS];	/* when the execution under way begins, and */
	uint32_t latency;			/* how long it takes */
	struct mica_event queue[BATCH];
	unsigned queued;
};

static void *start(const struct mica_setup *setup)
{
	struct ilp *p = mica_alloc(1, sizeof(*p));

	p->setup = setup;
	p->n = setup->n_windows;
	p->batched = setup->intervals && !setup->exact_intervals;
	p->registers = mica_alloc((size_t)MICA_N_REGISTERS * p->n, sizeof(*p->registers));
	clocks_init(&p->blocks, p->n);
	for (unsigned w = 0; w < p->n; w++) {
		p->windows[w].size = setup->windows[w];
		p->windows[w].times = mica_alloc(setup->windows[w], sizeof(uint64_t));
	}
	return p;
}

static void stop(void *self)
{
	struct ilp *p = self;

	for (unsigned w = 0; w < p->n; w++)
		free(p->windows[w].times);
	clocks_free(&p->blocks);
	free(p->registers);
	free(p);
}

static inline void wait_for(struct ilp *p, const uint64_t *ready)
{
	for (unsigned w = 0; w < p->n; w++)
		if (ready[w] > p->times[w])
			p->times[w] = ready[w];
}

static inline void make_ready(const struct ilp *p, uint64_t *ready)
{
	for (unsigned w = 0; w < p->n; w++)
		ready[w] = p->times[w] + p->latency;
}

static void read_blocks(struct ilp *p, uint64_t address, uint32_t size)
{
	uint64_t block = address >> p->setup->block_shift;
	uint64_t last = (address + size - 1) >> p->setup->block_shift;

	if (!size)
		return;
	for (;; block++) {
		const uint64_t *ready = clocks_find(&p->blocks, block);

		if (ready)
			wait_for(p, ready);
		if (block == last)
			return;
	}
}

static void write_blocks(struct ilp *p, uint64_t address, uint32_t size)
{
	uint64_t block = address >> p->setup->block_shift;
	uint64_t last = (address + size - 1) >> p->setup->block_shift;

	if (!size)
		return;
	while (make_ready(p, clocks_set(&p->blocks, block)), block != last)
		block++;
}

/* When it begins, and what is ready for others after it. */
static void begin(struct ilp *p, const struct mica_event *e)
{
	const struct isa_facts *facts = &e->insn->facts;

	p->latency = p->setup->latencies ? p->setup->latencies[e->insn->index] : 1;
	for (unsigned w = 0; w < p->n; w++)
		p->times[w] = p->windows[w].clock;
	for (unsigned i = 0; i < facts->n_reads; i++)
		wait_for(p, &p->registers[facts->reads[i] * p->n]);
	if (e->n_reads && e->read[0]) {
		read_blocks(p, e->read[0], e->read_size);
		if (e->n_reads > 1 && e->read[1])
			read_blocks(p, e->read[1], e->read_size);
	}
	for (unsigned i = 0; i < facts->n_writes; i++)
		make_ready(p, &p->registers[facts->writes[i] * p->n]);
	if (e->n_writes && e->write)
		write_blocks(p, e->write, e->write_size);
}

/* last: the last cycle of the execution. */
static void enter(struct window *window, uint64_t last)
{
	uint32_t tail = window->head + window->count;

	if (!window->size) {
		if (last + 1 > window->cycles)
			window->cycles = last + 1;
		return;
	}
	window->times[tail < window->size ? tail : tail - window->size] = last;
	if (++window->count < window->size)
		return;
	uint64_t head = window->times[window->head];
	uint64_t passed = head > window->clock ? head - window->clock + 1 : 1;

	window->clock += passed;
	window->cycles += passed;
	while (window->count && window->times[window->head] < window->clock) {
		window->count--;
		if (++window->head == window->size)
			window->head = 0;
	}
}

static void enter_windows(struct ilp *p)
{
	for (unsigned w = 0; w < p->n; w++)
		enter(&p->windows[w], p->times[w] + p->latency - 1);
}

static void execute(struct ilp *p, const struct mica_event *event)
{
	begin(p, event);
	enter_windows(p);
}

static void report(struct ilp *p, uint64_t *numbers)
{
	for (unsigned w = 0; w < p->n; w++) {
		numbers[w] = p->windows[w].cycles - p->windows[w].reported;
		p->windows[w].reported = p->windows[w].cycles;
	}
}

static void run_queue(struct ilp *p, unsigned from)
{
	for (unsigned i = from; i < p->queued; i++)
		execute(p, &p->queue[i]);
	p->queued = 0;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct ilp *p = self;

	for (size_t i = 0; i < count; i++) {
		if (!p->batched) {
			execute(p, &events[i]);
			continue;
		}
		/* Late, for only end knows whether a full batch is an interval's last. */
		if (p->queued == BATCH)
			run_queue(p, 0);
		p->queue[p->queued++] = events[i];
	}
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct ilp *p = self;

	if (last || !p->queued) {
		run_queue(p, 0);
		report(p, numbers);
		return p->n;
	}
	begin(p, &p->queue[0]);
	if (p->setup->ilp_one)
		enter_windows(p);
	report(p, numbers);
	clocks_clear(&p->blocks);
	if (!p->setup->ilp_one)
		enter_windows(p);
	run_queue(p, 1);
	return p->n;
}

const struct mica_analysis mica_ilp = { start, feed, end, stop };
