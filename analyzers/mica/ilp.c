/* SPDX-License-Identifier: MIT */
/*
 * Instruction-level parallelism: the cycles of an ideal processor with a window of a given number
 * of executions. Each execution takes a cycle, and waits only for the registers and memory blocks
 * that earlier executions write.
 *
 * Executions enter the window in order. When the window is full, a cycle passes, and the executions
 * at its head that began before that cycle leave. Hence an execution that enters a window of n
 * finds it at the cycle after the latest end among all executions except the last n - 1. Executions
 * left in the window at the end take no more cycles: MICA never drains the window. With an
 * unlimited window the cycles are the longest chain of dependences.
 *
 * Numbers: cycles by window. A register is known by its name only: an instruction that writes eax
 * produces nothing for one that reads rax. Flags and address 0 carry no dependence. A latency above
 * 1 delays the executions that wait for this one, and the cycle in which it leaves the window.
 *
 * MICA processes executions in batches of 200, and an interval's line has what there is after the
 * first execution of its last batch; blocks are forgotten there. exact_intervals avoids both.
 *
 * An execution that has left has no further effect: its results are ready. Therefore states can be
 * merged; see ilp_merge.c.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/block_set.h"
#include "analyzers/mica/ilp.h"
#include "cli/common/checked.h"

enum { MAX_GROUPS = (MICA_MAX_WINDOWS + LANES - 1) / LANES };

/* ---- setting up -------------------------------------------------------------------------- */

static void *aligned(size_t count, size_t size)
{
	void *fresh = checked(aligned_alloc(sizeof(lanes), count * size));

	return memset(fresh, 0, count * size);
}

/* Initializes a window. size: 0 if unlimited. */
static void start_window(struct group *group, unsigned w, uint32_t size)
{
	int64_t life = size ? size : INT64_MAX;

	group->limited[w] = size ? -1 : 0;
	group->lag[w] = size ? size - 1 : 0;
	while (group->mask < size)
		group->mask = 2 * group->mask + 1;
	if (group->life < life)
		group->life = life;
}

static void start_group(struct group *group, const uint32_t *windows, unsigned n_windows)
{
	for (unsigned w = 0; w < LANES; w++)
		start_window(group, w, w < n_windows ? windows[w] : windows[0]);
	group->left = group->life;
	group->ring = aligned(group->mask + 1, sizeof(*group->ring));
	group->registers = aligned(MICA_N_REGISTERS, sizeof(*group->registers));
	clocks_init(&group->blocks);
}

void *ilp_start(const struct mica_setup *setup)
{
	struct ilp *p = checked_array(1, sizeof(*p));

	p->setup = setup;
	p->batched = setup->intervals && !setup->exact_intervals;
	p->has_avx2 = __builtin_cpu_supports("avx2") && !setup->no_avx2;
	p->n_groups = (setup->n_windows + LANES - 1) / LANES;
	p->groups = aligned(p->n_groups, sizeof(*p->groups));
	for (unsigned g = 0; g < p->n_groups; g++)
		start_group(&p->groups[g], setup->windows + g * LANES,
			    setup->n_windows - g * LANES);
	return p;
}

void ilp_stop(void *self)
{
	struct ilp *p = self;

	for (unsigned g = 0; g < p->n_groups; g++) {
		free(p->groups[g].ring);
		clocks_free(&p->groups[g].blocks);
		free(p->groups[g].registers);
	}
	free(p->log.events);
	free(p->groups);
	free(p);
}

/* ---- executions -------------------------------------------------------------------------- */

LANES_INLINE lanes wait_for_blocks(const struct group *group, uint64_t address, uint32_t size,
				   unsigned shift, lanes times)
{
	uint64_t block = address >> shift, last = (address + size - 1) >> shift;

	if (!size)
		return times;
	while (times = clocks_wait(&group->blocks, block, times), block != last)
		block = next_block(block, shift);
	return times;
}

static void set_blocks(struct group *group, uint64_t address, uint32_t size, unsigned shift,
		       const lanes *ready)
{
	uint64_t block = address >> shift, last = (address + size - 1) >> shift;

	if (!size)
		return;
	while (clocks_set(&group->blocks, block, ready), block != last)
		block = next_block(block, shift);
}

/* Begins an execution. Returns the cycles in which executions that wait for it may begin. */
LANES_INLINE lanes begin(struct group *group, lanes clock, const struct mica_setup *setup,
			 const struct mica_event *e)
{
	const struct isa_facts *facts = &e->insn->facts;
	unsigned shift = setup->block_shift;
	lanes times = clock;

	for (unsigned i = 0; i < facts->n_reads; i++)
		times = lanes_greater(times, group->registers[facts->reads[i]]);
	if (e->n_reads && e->read[0]) {
		times = wait_for_blocks(group, e->read[0], e->read_size, shift, times);
		if (e->n_reads > 1 && e->read[1])
			times = wait_for_blocks(group, e->read[1], e->read_size, shift, times);
	}
	times += setup->latencies ? setup->latencies[e->insn->index] : 1;
	for (unsigned i = 0; i < facts->n_writes; i++)
		group->registers[facts->writes[i]] = times;
	if (e->n_writes && e->write) {
		lanes ready = times; /* so that times need not have an address */

		set_blocks(group, e->write, e->write_size, shift, &ready);
	}
	return times;
}

LANES_INLINE int64_t clock_of(const struct group *group, unsigned w)
{
	return group->ring[(group->position - group->lag[w]) & group->mask][w];
}

/* Returns the windows' clocks behind an execution. */
LANES_INLINE lanes enter_windows(struct group *group, lanes ready)
{
	group->latest = lanes_greater(group->latest, ready);
	group->ring[++group->position & group->mask] = group->latest;
	if (!--group->left) {
		clocks_age(&group->blocks);
		group->left = group->life;
	}
	return (lanes){ clock_of(group, 0), clock_of(group, 1), clock_of(group, 2),
			clock_of(group, 3) } &
	       group->limited;
}

LANES_INLINE void run_group(struct group *group, const struct mica_setup *setup,
			    const struct mica_event *events, size_t count)
{
	lanes clock = group->clock;

	for (size_t i = 0; i < count; i++)
		clock = enter_windows(group, begin(group, clock, setup, &events[i]));
	group->clock = clock;
}

__attribute__((target("avx2"))) static void run_group_avx2(struct group *group,
							   const struct mica_setup *setup,
							   const struct mica_event *events,
							   size_t count)
{
	run_group(group, setup, events, count);
}

static void run_group_plain(struct group *group, const struct mica_setup *setup,
			    const struct mica_event *events, size_t count)
{
	run_group(group, setup, events, count);
}

static void run(struct ilp *p, const struct mica_event *events, size_t count)
{
	for (unsigned g = 0; g < p->n_groups; g++)
		if (p->has_avx2)
			run_group_avx2(&p->groups[g], p->setup, events, count);
		else
			run_group_plain(&p->groups[g], p->setup, events, count);
}

/*
 * Makes room in the queue. A full batch is run late, since only `end` knows whether it is an
 * interval's last.
 */
static void make_room(struct ilp *p)
{
	if (p->queued < ILP_BATCH)
		return;
	run(p, p->queue, ILP_BATCH);
	p->queued = 0;
}

void ilp_feed(void *self, const struct mica_event *events, size_t count)
{
	struct ilp *p = self;

	if (p->log.open)
		ilp_log_add(&p->log, events, count);
	if (!p->batched) {
		run(p, events, count);
		return;
	}
	while (count) {
		make_room(p);
		size_t n = ILP_BATCH - p->queued < count ? ILP_BATCH - p->queued : count;

		memcpy(p->queue + p->queued, events, n * sizeof(*events));
		p->queued += n;
		events += n;
		count -= n;
	}
}

/* ---- superblocks ------------------------------------------------------------------------- */

/* Fills *event with the execution of an instruction of a superblock's segment. */
LANES_INLINE void plain_event(struct mica_event *event, const struct mica_superblock_exec *exec,
			      const struct mica_segment *segment, unsigned i)
{
	mica_plain_event(event, &segment->insns[i],
			 exec->values ? exec->values + segment->first_value : NULL, exec->space);
}

LANES_INLINE void run_superblock_in_group(struct group *group, const struct mica_setup *setup,
					  const struct mica_superblock_exec *exec)
{
	const struct mica_segment *segment = exec->superblock->segments;
	const struct mica_segment *end = segment + exec->superblock->n_segments;
	lanes clock = group->clock;

	for (; segment < end; segment++)
		for (unsigned i = 0; i < segment->count; i++) {
			struct mica_event event = { 0 }; /* kept in registers */

			plain_event(&event, exec, segment, i);
			clock = enter_windows(group, begin(group, clock, setup, &event));
		}
	group->clock = clock;
}

__attribute__((target("avx2"))) static void run_superblock_avx2(
	struct group *group, const struct mica_setup *setup,
	const struct mica_superblock_exec *exec)
{
	run_superblock_in_group(group, setup, exec);
}

static void run_superblock_plain(struct group *group, const struct mica_setup *setup,
				 const struct mica_superblock_exec *exec)
{
	run_superblock_in_group(group, setup, exec);
}

/* Feeds the executions of a superblock one by one. */
static void feed_unfolded(struct ilp *p, const struct mica_superblock_exec *exec)
{
	for (unsigned k = 0; k < exec->superblock->n_segments; k++)
		for (unsigned i = 0; i < exec->superblock->segments[k].count; i++) {
			struct mica_event event = { 0 };

			plain_event(&event, exec, &exec->superblock->segments[k], i);
			ilp_feed(p, &event, 1);
		}
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	struct ilp *p = self;

	if (p->batched || p->log.open) {
		feed_unfolded(p, exec);
		return;
	}
	for (unsigned g = 0; g < p->n_groups; g++)
		if (p->has_avx2)
			run_superblock_avx2(&p->groups[g], p->setup, exec);
		else
			run_superblock_plain(&p->groups[g], p->setup, exec);
}

/* ---- intervals --------------------------------------------------------------------------- */

static uint64_t cycles_of(const struct group *group, unsigned w)
{
	return group->limited[w] ? group->clock[w] : group->latest[w];
}

static void report(struct ilp *p, uint64_t *numbers)
{
	for (unsigned i = 0; i < p->setup->n_windows; i++) {
		struct group *group = &p->groups[i / LANES];
		uint64_t cycles = cycles_of(group, i % LANES);

		numbers[i] = cycles - group->reported[i % LANES];
		group->reported[i % LANES] = cycles;
	}
}

/* Runs the first execution of an interval's last batch, after which MICA writes its line. */
static void run_first(struct ilp *p, uint64_t *numbers)
{
	lanes ready[MAX_GROUPS];

	for (unsigned g = 0; g < p->n_groups; g++) {
		struct group *group = &p->groups[g];

		ready[g] = begin(group, group->clock, p->setup, &p->queue[0]);
		if (p->setup->ilp_one)
			group->clock = enter_windows(group, ready[g]);
	}
	report(p, numbers);
	for (unsigned g = 0; g < p->n_groups; g++) {
		struct group *group = &p->groups[g];

		clocks_clear(&group->blocks);
		if (!p->setup->ilp_one)
			group->clock = enter_windows(group, ready[g]);
	}
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct ilp *p = self;

	if (last || !p->queued) {
		run(p, p->queue, p->queued);
		report(p, numbers);
	} else {
		run_first(p, numbers);
		run(p, p->queue + 1, p->queued - 1);
	}
	p->queued = 0;
	return p->setup->n_windows;
}

/* The setup has exact intervals: at the end of others, MICA forgets blocks. */
static void all(void *self, uint64_t *numbers)
{
	struct ilp *p = self;

	for (unsigned i = 0; i < p->setup->n_windows; i++)
		numbers[i] = cycles_of(&p->groups[i / LANES], i % LANES);
}

const struct mica_analysis mica_ilp = {
	.start = ilp_start,
	.feed = ilp_feed,
	.superblock = feed_superblock,
	.end = end,
	.all = all,
	.stop = ilp_stop,
	.expect_merge = ilp_expect_merge,
	.merge = ilp_merge,
	.save = ilp_save,
	.load = ilp_load,
};
