/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/core.h"

#include "analyzers/ibs/model/modelled.h"

enum { ADDRESS_BITS = 48 };

/* ---- samples ----------------------------------------------------------------------------- */

static void take_sample(struct ibs_core *core)
{
	ibs_sampler_retired(&core->sampler, core->retired);
	ibs_packet_set_sampler(&core->packet, &core->sampler);
	core->take(core->opaque, &core->packet);
}

static void sample_op(struct ibs_core *core, const struct ibs_op *op,
		      const struct ibs_timing *timing)
{
	if (ibs_sampler_decided(&core->sampler, timing->dispatched))
		take_sample(core);
	if (!ibs_sampler_dispatched(&core->sampler, timing->dispatched))
		return;
	ibs_packet_fill(&core->packet, op, timing);
	core->packet.op = core->n_ops;
	core->retired = timing->retired;
}

static void sample_fetches(struct ibs_core *core, const struct ibs_op *op,
			   const struct ibs_timing *timing)
{
	for (unsigned i = 0; i < timing->n_fetches; i++) {
		if (!ibs_sampler_fetched(&core->sampler))
			continue;
		ibs_packet_fill_fetch(&core->packet, op->facts,
				      &core->pipeline.frontend.fetches[i]);
		core->packet.op = core->n_ops;
		take_sample(core);
	}
}

/* ---- ops --------------------------------------------------------------------------------- */

static void execute_one(struct ibs_core *core, const struct ibs_op *op)
{
	struct ibs_timing timing;

	pipeline_step(&core->pipeline, op, &timing);
	if (core->sampler.mode == IBS_FETCHES)
		sample_fetches(core, op, &timing);
	else
		sample_op(core, op, &timing);
	if (core->observers)
		ibs_observers_step(core->observers, op, &timing);
	core->n_ops++;
}

/* Executes ops of which none is sampled. */
static void execute_unseen(struct ibs_core *core, const struct ibs_op *ops, size_t count)
{
	struct ibs_timing timing;
	uint64_t n_fetches = 0;

	for (size_t i = 0; i < count; i++) {
		pipeline_step(&core->pipeline, &ops[i], &timing);
		n_fetches += timing.n_fetches;
	}
	core->sampler.count += core->sampler.mode == IBS_FETCHES ? n_fetches : count;
	core->n_ops += count;
}

static void execute(void *opaque, const struct ibs_op *ops, size_t count)
{
	struct ibs_core *core = opaque;
	uint64_t cycle = core->pipeline.dispatch.cycle;

	if (!core->observers &&
	    ibs_sampler_is_far(&core->sampler, MOST_FETCHES * count, cycle)) {
		execute_unseen(core, ops, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		execute_one(core, &ops[i]);
}

void ibs_core_init(struct ibs_core *core, const struct machine *machine,
		   const struct ibs_code *code, struct set_cache *l3, uint32_t process)
{
	pipeline_init(&core->pipeline, machine, l3);
	core->pipeline.memory.lower.space = (uint64_t)process
					    << (ADDRESS_BITS - MACHINE_LINE_SHIFT);
	core->program.code = code;
	core->program.rep_bytes = machine->rep_bytes;
	core->program.consume = execute;
	core->program.opaque = core;
	ibs_sampler_start(&core->sampler);
}

void ibs_core_free(struct ibs_core *core)
{
	pipeline_free(&core->pipeline);
}

void ibs_core_feed(struct ibs_core *core, const struct tf_item *item)
{
	ibs_program_feed(&core->program, item);
}

void ibs_core_end(struct ibs_core *core)
{
	ibs_program_end(&core->program);
	if (core->sampler.tagged)
		take_sample(core);
	if (core->observers)
		ibs_observers_end(core->observers);
}
