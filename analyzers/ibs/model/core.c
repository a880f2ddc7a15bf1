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

static void sample_wrong_path(struct ibs_core *core, const struct ibs_timing *timing)
{
	struct ibs_wrong_path path = pipeline_wrong_path(core->pipeline.machine, timing);

	ibs_sampler_wrong_path(&core->sampler, &path);
}

static void sample_fetches(struct ibs_core *core, const struct ibs_op *op,
			   const struct ibs_timing *timing)
{
	for (unsigned i = 0; i < timing->n_fetches; i++) {
		const struct fetch *fetch = &core->pipeline.frontend.fetches[i];

		if (!ibs_sampler_fetched(&core->sampler, fetch->begun))
			continue;
		ibs_packet_fill_fetch(&core->packet, op->facts, fetch);
		core->packet.op = core->n_ops;
		core->retired = fetch->begun + fetch->latency;
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

static void execute(void *opaque, const struct ibs_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		execute_one(opaque, &ops[i]);
}

/* No earlier one is that of what the sampler counts next. */
static uint64_t next_counted(const struct ibs_core *core)
{
	const struct pipeline *p = &core->pipeline;

	return core->sampler.mode == IBS_FETCHES ? p->frontend.next : p->order.dispatch.cycle;
}

/* Executes runs if none of their ops will be sampled; else returns false. */
static bool run_unseen(struct ibs_core *core, const struct ibs_run *runs, size_t count)
{
	uint64_t n_ops = 0, n_fetches;

	for (size_t i = 0; i < count; i++)
		n_ops += runs[i].n_ops;
	if (core->observers || core->wrong_paths ||
	    !ibs_sampler_is_far(&core->sampler, MOST_FETCHES * n_ops, next_counted(core)))
		return false;
	n_fetches = pipeline_run(&core->pipeline, runs, count);
	core->sampler.count += core->sampler.mode == IBS_FETCHES ? n_fetches : n_ops;
	core->n_ops += n_ops;
	return true;
}

static void run_seen(struct ibs_core *core, const struct ibs_run *run)
{
	struct access accesses[IBS_MAX_ACCESSES];
	struct ibs_op op;

	for (size_t i = 0; i < run->n_ops; i++) {
		ibs_run_op(run, i, &op, accesses);
		execute_one(core, &op);
	}
}

static void run(void *opaque, const struct ibs_run *runs, size_t count)
{
	struct ibs_core *core = opaque;

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
	core->pipeline.memory.lower.space = (uint64_t)process
					    << (ADDRESS_BITS - MACHINE_LINE_SHIFT);
	core->program.code = code;
	core->program.rep_bytes = machine->rep_bytes;
	core->program.consume = execute;
	core->program.run = run;
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
