/* SPDX-License-Identifier: MIT */
/* Points of intervals that go from one parallel region to the next, as BarrierPoint has them. */
#include "analyzers/simpoint/simpoints.h"

#include "cli/common/command.h"
#include "cli/common/quantity.h"
#include "cli/common/trace_meta.h"

/* Returns false after a message if the trace has no data addresses. */
static bool has_addresses(struct simpoints *s)
{
	struct tf_info info;

	if (tf_get_info(s->reader, &info, NULL) == 0 && info.has_addresses)
		return true;
	command_error("%s has no data addresses, which --memory needs; %s", s->o.input,
		      addresses_advice(s->reader));
	s->status = EXIT_UNSUITABLE;
	return false;
}

bool simpoints_read_parallel(struct simpoints *s)
{
	if (s->recorded) {
		command_error("%s has only basic block vectors; --interval-mark needs executions, "
			      "which trace-record records without --vectors",
			      s->o.input);
		s->status = EXIT_UNSUITABLE;
		return false;
	}
	if (s->o.distances && !has_addresses(s))
		return false;
	if (!parallel_regions_read(s->reader, s->o.input, s->o.distances, s->o.jobs, &s->parallel,
				   &s->rows))
		return false;
	for (size_t i = 1; i <= s->parallel.n; i++)
		intervals_append(&s->intervals, s->parallel.bounds[i].instructions);
	s->o.counter = COUNTER_EXACT;
	s->all_threads = true;
	if (!s->o.fixed_length_given)
		s->o.fixed_length = false;
	return true;
}

void simpoints_drop_small(struct simpoints *s)
{
	struct selection *selection = &s->selection;
	double dropped = 0;
	unsigned n = 0;

	for (unsigned i = 0; s->parallel.n && i < selection->n; i++)
		if (selection->at[i].weight >= s->o.least_weight)
			selection->at[n++] = selection->at[i];
		else
			dropped += selection->at[i].weight;
	if (!s->parallel.n || n == selection->n)
		return;
	command_note("no point stands for %u %s with less than %g %% of the instructions each, "
		     "together %.2g %%",
		     selection->n - n, noun(selection->n - n, "cluster", "clusters"),
		     100 * s->o.least_weight, 100 * dropped);
	selection->n = n;
}

static void mark(struct simpoints *s, struct bound *bound, const struct bound *since)
{
	parallel_regions_mark(&s->parallel, bound, since->interval);
}

void simpoints_mark_parallel(struct simpoints *s)
{
	for (unsigned i = 0; i < s->selection.n; i++) {
		struct region *region = &s->regions[i];

		mark(s, &region->warmup, &region->warmup);
		mark(s, &region->start, &region->warmup);
		mark(s, &region->end, &region->start);
	}
}
