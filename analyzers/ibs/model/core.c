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

/* Returns how many of the next ops a sampler counts at most, but does not tag. */
static uint64_t n_untagged(const struct ibs_core *core, const struct ibs_sampler *sampler)
{
	uint64_t left = ibs_sampler_left(sampler);

	if (sampler->mode != IBS_FETCHES)
		return left;
	return core->pipeline.frontend.next < sampler->busy_until ? 0 : left / MOST_FETCHES;
}

/* Returns how many of the next ops will certainly not be observed. */
static uint64_t n_unseen(const struct ibs_core *core)
{
	uint64_t n = n_untagged(core, &core->sampler);
	uint64_t n_reference = n_untagged(core, &core->reference.sampler);

	if (core->observers || core->wrong_paths)
		return 0;
	return n < n_reference ? n : n_reference;
}

/* Executes runs with n_ops ops in all, which are not observed. */
static void run_unseen(struct ibs_core *core, const struct ibs_run *runs, size_t count,
		       uint64_t n_ops)
{
	struct ibs_sampler *samplers[] = { &core->sampler, &core->reference.sampler };
	struct ibs_dispatched dispatched = { .from = { samplers[0]->busy_until,
						       samplers[1]->busy_until } };
	uint64_t n_fetches = pipeline_run(&core->pipeline, runs, count, &dispatched);

	for (unsigned i = 0; i < 2; i++)
		samplers[i]->count += samplers[i]->mode == IBS_FETCHES ? n_fetches
								       : dispatched.n[i];
	core->n_fetches += n_fetches;
	core->n_ops += n_ops;
}

/* Executes the first n ops of a run, which are not observed. */
static void run_first(struct ibs_core *core, const struct ibs_run *run, size_t n)
{
	struct ibs_run first = *run;

	first.n_ops = n;
	if (n < run->n_ops)
		first.taken = first.mispredicted = false;
	run_unseen(core, &first, 1, n);
}

/* Executes the first op of a run, which may be observed. */
static void run_seen(struct ibs_core *core, const struct ibs_run *run)
{
	struct access accesses[IBS_MAX_ACCESSES];
	struct ibs_op op;

	ibs_run_op(run, core->pipeline.steps, 0, &op, accesses);
	execute_one(core, &op);
}

/* Executes a run; only the ops that may be tagged or follow a tagged one are observed. */
static void run_one(struct ibs_core *core, const struct ibs_run *run)
{
	struct ibs_run rest = *run;

	while (rest.n_ops) {
		uint64_t n = n_unseen(core);

		n = n < rest.n_ops ? n : rest.n_ops;
		if (n) {
			run_first(core, &rest, n);
		} else {
			run_seen(core, &rest);
			n = 1;
		}
		rest.ops += n;
		rest.n_ops -= n;
	}
}

void ibs_core_run(struct ibs_core *core, const struct ibs_run *runs, size_t count)
{
	uint64_t n_ops = 0;

	for (size_t i = 0; i < count; i++)
		n_ops += runs[i].n_ops;
	if (n_ops <= n_unseen(core)) {
		run_unseen(core, runs, count, n_ops);
		return;
	}
	for (size_t i = 0; i < count; i++)
		run_one(core, &runs[i]);
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
