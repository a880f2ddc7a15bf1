/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/run.h"

void mica_run_add(struct mica_run *run, const struct mica_analysis *analysis,
		  const struct mica_setup *setup)
{
	run->analyses[run->count].analysis = analysis;
	run->analyses[run->count++].state = analysis->start(setup);
}

static void end_interval(struct mica_run *run, bool last)
{
	uint64_t numbers[MICA_MAX_NUMBERS];
	struct mica_line line = { .last = last, .interval = run->now, .total = run->total,
				  .numbers = numbers };

	for (unsigned i = 0; i < run->count; i++) {
		line.analysis = i;
		line.n_numbers = run->analyses[i].analysis->end(run->analyses[i].state, last,
								numbers);
		run->emit(run->opaque, &line);
	}
	run->now = (struct mica_counts){ 0 };
}

static void hand_on(struct mica_run *run, const struct mica_event *events, size_t count,
		    uint64_t instructions)
{
	for (unsigned i = 0; i < run->count; i++)
		run->analyses[i].analysis->feed(run->analyses[i].state, events, count);
	run->total.executions += count;
	run->now.executions += count;
	run->total.instructions += instructions;
	run->now.instructions += instructions;
}

/* Returns how many events there are up to the one that is instruction `limit`, or count. */
static size_t take(const struct mica_event *events, size_t count, uint64_t limit,
		   uint64_t *instructions)
{
	size_t n = 0;

	*instructions = 0;
	while (n < count && *instructions < limit)
		*instructions += events[n++].counts;
	return n;
}

void mica_run_feed(void *opaque, const struct mica_event *events, size_t count)
{
	struct mica_run *run = opaque;

	while (count) {
		uint64_t limit = run->interval ? run->interval - run->now.instructions : UINT64_MAX;
		uint64_t instructions;
		size_t n = take(events, count, limit, &instructions);

		hand_on(run, events, n, instructions);
		if (run->interval && run->now.instructions == run->interval)
			end_interval(run, false);
		events += n;
		count -= n;
	}
}

void mica_run_end(struct mica_run *run)
{
	end_interval(run, true);
}

void mica_run_stop(struct mica_run *run)
{
	for (unsigned i = 0; i < run->count; i++)
		run->analyses[i].analysis->stop(run->analyses[i].state);
	run->count = 0;
}
