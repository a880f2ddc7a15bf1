/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/core.h"

#include "analyzers/ibs/model/modelled.h"

enum { ADDRESS_BITS = 48 };

/* ---- samples ----------------------------------------------------------------------------- */

static void take_sample(struct ibs_core *core)
{
	ibs_sampler_retired(&core->sampler, core->retired);
	ibs_packet_set_sampler(&core->packet, &core->sampler);
	core->packet.interval = core->position - core->last_position;
	core->last_position = core->position;
	core->take(core->opaque, &core->packet);
}

static void take_reference(struct ibs_core *core)
{
	ibs_sampler_retired(&core->reference.sampler, core->reference.retired);
	core->refer(core->opaque, core->reference.insn);
}

static void tag_reference(struct ibs_core *core, const struct ibs_op *op, uint64_t retired)
{
	core->reference.insn = op->facts->insn;
	core->reference.retired = retired;
}

static void refer_op(struct ibs_core *core, const struct ibs_op *op,
		     const struct ibs_timing *timing)
{
	struct ibs_sampler *sampler = &core->reference.sampler;

	if (ibs_sampler_decided(sampler, timing->dispatched))
		take_reference(core);
	if (ibs_sampler_dispatched(sampler, timing->dispatched))
		tag_reference(core, op, timing->retired);
}

static void sample_op(struct ibs_core *core, const struct ibs_op *op,
		      const struct ibs_timing *timing)
{
	refer_op(core, op, timing);
	if (ibs_sampler_decided(&core->sampler, timing->dispatched))
		take_sample(core);
	if (!ibs_sampler_dispatched(&core->sampler, timing->dispatched))
		return;
	ibs_packet_fill(&core->packet, op, timing);
	core->packet.op = core->n_ops;
	core->retired = timing->retired;
	core->position = 1 + (core->sampler.mode == IBS_OPS ? core->n_ops : timing->dispatched);
}

static void sample_wrong_path(struct ibs_core *core, const struct ibs_timing *timing)
{
	struct ibs_wrong_path path = pipeline_wrong_path(core->pipeline.machine, timing);

	ibs_sampler_wrong_path(&core->sampler, &path);
	ibs_sampler_wrong_path(&core->reference.sampler, &path);
}

static void refer_fetch(struct ibs_core *core, const struct ibs_op *op, const struct fetch *fetch)
{
	if (!ibs_sampler_fetched(&core->reference.sampler, fetch->begun))
		return;
	tag_reference(core, op, fetch->begun + fetch->latency);
	take_reference(core);
}

static void sample_fetches(struct ibs_core *core, const struct ibs_op *op,
			   const struct ibs_timing *timing)
{
	for (unsigned i = 0; i < timing->n_fetches; i++) {
		const struct fetch *fetch = &core->pipeline.frontend.fetches[i];

		refer_fetch(core, op, fetch);
		core->n_fetches++;
		if (!ibs_sampler_fetched(&core->sampler, fetch->begun))
			continue;
		ibs_packet_fill_fetch(&core->packet, op->facts, fetch);
		core->packet.op = core->n_ops;
		core->retired = fetch->begun + fetch->latency;
		core->position = core->n_fetches;
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
	if (core->wrong_paths && timing.mispredicted)
		sample_wrong_path(core, &timing);
	if (core->observers)
		ibs_observers_step(core->observers, op, &timing);
	core->n_ops++;
}

void ibs_core_execute(struct ibs_core *core, const struct ibs_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		execute_one(core, &ops[i]);
}

/* Returns the first cycle in which the sampler may count again. */
static uint64_t next_counted(const struct ibs_core *core)
{
	const struct pipeline *p = &core->pipeline;

	return core->sampler.mode == IBS_FETCHES ? p->frontend.next : p->order.dispatch.cycle;
}

/* Returns true if n_ops more ops are too few for the sampler to tag one. */
static bool is_far(const struct ibs_core *core, const struct ibs_sampler *sampler, uint64_t n_ops)
{
	return ibs_sampler_is_far(sampler, MOST_FETCHES * n_ops, next_counted(core));
}

/* Executes runs if none of their ops will be sampled; else returns false. */
static bool run_unseen(struct ibs_core *core, const struct ibs_run *runs, size_t count)
{
	uint64_t n_ops = 0, n_fetches, counted;

	for (size_t i = 0; i < count; i++)
		n_ops += runs[i].n_ops;
	if (core->observers || core->wrong_paths || !is_far(core, &core->sampler, n_ops) ||
	    !is_far(core, &core->reference.sampler, n_ops))
		return false;
	n_fetches = pipeline_run(&core->pipeline, runs, count);
	counted = core->sampler.mode == IBS_FETCHES ? n_fetches : n_ops;
	core->sampler.count += counted;
	core->reference.sampler.count += counted;
	core->n_fetches += n_fetches;
	core->n_ops += n_ops;
	return true;
}

static void run_seen(struct ibs_core *core, const struct ibs_run *run)
{
	struct access accesses[IBS_MAX_ACCESSES];
	struct ibs_op op;

	for (size_t i = 0; i < run->n_ops; i++) {
		ibs_run_op(run, core->pipeline.steps, i, &op, accesses);
		execute_one(core, &op);
	}
}

void ibs_core_run(struct ibs_core *core, const struct ibs_run *runs, size_t count)
{
	if (run_unseen(core, runs, count))
		return;
	for (size_t i = 0; i < count; i++)
		if (!run_unseen(core, &runs[i], 1))
			run_seen(core, &runs[i]);
}

void ibs_core_init(struct ibs_core *core, const struct machine *machine,
		   const struct ibs_code *code, struct set_cache *l3, uint32_t process)
{
	pipeline_init(&core->pipeline, machine, l3);
	core->pipeline.steps = code->steps.at;
	core->pipeline.memory.lower.space = (uint64_t)process
					    << (ADDRESS_BITS - MACHINE_LINE_SHIFT);
	core->reference.sampler = core->sampler;
	core->reference.sampler.randomization = IBS_RANDOM_UNIFORM;
	core->reference.sampler.random = ~core->sampler.random;
	ibs_sampler_start(&core->sampler);
	ibs_sampler_start(&core->reference.sampler);
}

void ibs_core_free(struct ibs_core *core)
{
	pipeline_free(&core->pipeline);
}

void ibs_core_end(struct ibs_core *core)
{
	if (core->sampler.tagged)
		take_sample(core);
	if (core->reference.sampler.tagged)
		take_reference(core);
	if (core->observers)
		ibs_observers_end(core->observers);
}
