/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/run.h"

void mica_run_start(struct mica_run *run, const struct mica_setup *setup)
{
	run->state = run->analysis->start(setup);
}

static void end_interval(struct mica_run *run, bool last)
{
	uint64_t numbers[MICA_MAX_NUMBERS];

	run->total.executions += run->now.executions;
	run->total.instructions += run->now.instructions;
	struct mica_line line = {
		.last = last, .interval = run->now, .total = run->total, .numbers = numbers
	};

	line.n_numbers = run->analysis->end(run->state, last, numbers);
	run->emit(run->opaque, &line);
	run->now = (struct mica_counts){ 0 };
}

static void count(struct mica_run *run, uint64_t executions, uint64_t instructions)
{
	run->now.executions += executions;
	run->now.instructions += instructions;
}

static void hand_on(struct mica_run *run, const struct mica_event *events, size_t n,
		    uint64_t instructions)
{
	run->analysis->feed(run->state, events, n);
	count(run, n, instructions);
}

/* Returns how many events there are up to the one that is instruction `limit`. */
static size_t take(const struct mica_event *events, uint64_t limit)
{
	size_t n = 0;

	while (limit)
		limit -= events[n++].counts;
	return n;
}

void mica_define_counts(struct report *report)
{
	report_define(report, "mica_instructions",
		      "instructions; a rep instruction that repeats 0 times is not counted");
	report_define(report, "executions",
		      "instructions, but each repetition of a rep instruction counts");
}

uint64_t mica_instructions(const struct mica_event *events, size_t count)
{
	uint64_t instructions = 0;

	for (size_t i = 0; i < count; i++)
		instructions += events[i].counts;
	return instructions;
}

void mica_run_feed(struct mica_run *run, const struct mica_event *events, size_t n_events,
		   uint64_t instructions)
{
	while (run->interval && run->interval - run->now.instructions <= instructions) {
		uint64_t left = run->interval - run->now.instructions;
		size_t n = take(events, left);

		hand_on(run, events, n, left);
		end_interval(run, false);
		events += n;
		n_events -= n;
		instructions -= left;
	}
	if (n_events)
		hand_on(run, events, n_events, instructions);
}

/* Feeds the executions of a superblock's instructions one by one, in batches. */
static void feed_unfolded(struct mica_run *run, const struct mica_superblock_exec *exec)
{
	const struct mica_superblock *superblock = exec->superblock;
	struct mica_event events[64];
	size_t n = 0;

	for (unsigned k = 0; k < superblock->n_segments; k++) {
		const struct mica_segment *segment = &superblock->segments[k];
		const uint64_t *values = exec->values ? exec->values + segment->first_value : NULL;

		for (unsigned i = 0; i < segment->count; i++) {
			if (n == sizeof(events) / sizeof(events[0])) {
				mica_run_feed(run, events, n, n);
				n = 0;
			}
			mica_plain_event(&events[n++], &segment->insns[i], values, exec->space);
		}
		events[n - 1].taken = mica_segment_taken(superblock, k);
	}
	mica_run_feed(run, events, n, n);
}

void mica_run_superblock(struct mica_run *run, const struct mica_superblock_exec *exec)
{
	uint32_t n = exec->superblock->n_insns;
	bool ends = run->interval && run->interval - run->now.instructions <= n;

	if (ends || !run->analysis->superblock) {
		feed_unfolded(run, exec);
		return;
	}
	run->analysis->superblock(run->state, exec);
	count(run, n, n);
}

void mica_run_forget(struct mica_run *run)
{
	uint64_t numbers[MICA_MAX_NUMBERS];

	run->analysis->end(run->state, false, numbers);
	run->now = run->total = (struct mica_counts){ 0 };
}

int mica_run_merge(struct mica_run *run, const struct mica_run *later, bool counts)
{
	int status = run->analysis->merge(run->state, later->state);

	if (!status && counts)
		count(run, later->now.executions, later->now.instructions);
	return status;
}

void mica_run_end(struct mica_run *run)
{
	end_interval(run, true);
}

void mica_run_stop(struct mica_run *run)
{
	if (run->state)
		run->analysis->stop(run->state);
	run->state = NULL;
}
