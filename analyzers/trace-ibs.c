/* SPDX-License-Identifier: MIT */
/* trace-ibs - samples of ops, as AMD's IBS takes them, from a machine model (ibs/pipeline.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/common/checked.h"
#include "analyzers/ibs/modelled.h"
#include "analyzers/ibs/program.h"
#include "analyzers/ibs/report.h"
#include "analyzers/ibs/sampler.h"
#include "analyzers/ibs/where.h"

enum {
	PERIOD_UNIT = 16, LARGEST_PERIOD = (1 << 27) - PERIOD_UNIT,
	ADDRESS_BITS = 48,
};

struct options {
	const char *machine;	/* a preset, or a file */
	uint64_t period;
	unsigned mode;		/* enum ibs_mode */
	unsigned randomization;	/* enum ibs_randomization */
	uint64_t seed;
	unsigned by;		/* enum ibs_by */
	uint64_t top;
	struct ibs_where where;
	unsigned events;	/* enum ibs_event_set, or-ed; 0: no table */
	bool histogram, packets, compare;
};

static const struct options defaults = {
	.machine = "zen4", .period = 4096, .randomization = IBS_RANDOM_7, .seed = 1,
	.by = IBS_BY_SYMBOL, .top = 20,
};

static const char *option_where(const struct analyzer_option *option, void *destination,
				const char *text)
{
	(void)option;
	return ibs_where_parse(destination, text);
}

static const char *option_events(const struct analyzer_option *option, void *destination,
				 const char *text)
{
	static const struct {
		const char *name;
		unsigned sets;
	} choices[] = {
		{ "zen", IBS_ZEN }, { "classic", IBS_CLASSIC }, { "all", IBS_ZEN | IBS_CLASSIC },
	};

	(void)option;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (!strcmp(text ? text : "zen", choices[i].name)) {
			*(unsigned *)destination = choices[i].sets;
			return NULL;
		}
	return "no such choice";
}

static const struct analyzer_option options[] = {
	{ "machine", 'm', "NAME", "preset or file of the model (default zen4)", option_text,
	  offsetof(struct options, machine) },
	{ "mode", 0, "ops|cycles-wait|cycles-skip", NULL, option_choice,
	  offsetof(struct options, mode) },
	{ "period", 'p', "N", "a sample every N ops (default 4096)", option_positive,
	  offsetof(struct options, period) },
	{ "randomize", 0, "none|hw4|hw7", NULL, option_choice,
	  offsetof(struct options, randomization) },
	{ "seed", 0, "N", NULL, option_count, offsetof(struct options, seed) },
	{ "by", 'b', "symbol|instruction|line|page", "what the table is about", option_choice,
	  offsetof(struct options, by) },
	{ "top", 't', "N", NULL, option_count, offsetof(struct options, top) },
	{ "where", 'w', "CONDITION", "only samples for which it holds: 'ld && dc_miss'",
	  option_where, offsetof(struct options, where) },
	{ "histogram", 0, NULL, NULL, option_flag, offsetof(struct options, histogram) },
	{ "events", 0, "[zen|classic|all]", "derived events by name", option_events,
	  offsetof(struct options, events) },
	{ "packets", 0, NULL, "every sample, with all its fields", option_flag,
	  offsetof(struct options, packets) },
	{ "compare-modes", 0, NULL, "how far each way to sample is from the truth", option_flag,
	  offsetof(struct options, compare) },
	{ 0 },
};

/* ---- a run ------------------------------------------------------------------------------- */

struct shared {
	struct machine machine;
	struct ibs_code code;
};

/* A thread runs on a core of its own; all share L3. */
struct core {
	struct ibs *ibs;
	uint32_t process;
	uint64_t n_ops;
	struct pipeline pipeline;
	struct ibs_program program;
	struct ibs_sampler sampler;
	struct ibs_packet packet;	/* of the tagged op, */
	uint64_t retired;		/* which then retires */
	struct ibs_observers observers;	/* if modes are compared */
};

struct ibs {
	const struct options *options;
	const struct shared *shared;
	struct set_cache l3;
	uint32_t n_threads;
	struct core **cores;		/* by thread; NULL: it has not executed anything */
	struct ibs_summary summary;
	struct ibs_event_counts events;
	struct ibs_data data;		/* if the table is about lines or pages */
	struct ibs_packet *packets;	/* if they are reported */
	size_t room;
	uint64_t n_left_out;		/* samples for which the condition does not hold */
	struct ibs_profiles profiles;	/* if modes are compared */
};

static int read_machine(struct machine *machine, const char *name)
{
	char error[512];

	if (machine_preset(machine, name))
		return 0;
	machine_preset(machine, defaults.machine);
	if (machine_read(machine, name, error, sizeof(error)))
		return 0;
	command_error("%s", error);
	return EXIT_FAILED;
}

static int prepare(struct analysis *run)
{
	const struct options *o = run->options;
	struct shared *shared = checked_array(1, sizeof(*shared));
	int status;

	run->shared = shared;
	if (o->period % PERIOD_UNIT || o->period < 9 * PERIOD_UNIT || o->period > LARGEST_PERIOD)
		return command_usage_error("--period: not a multiple of %d from %d to %d",
					   PERIOD_UNIT, 9 * PERIOD_UNIT, LARGEST_PERIOD);
	if (o->mode != IBS_OPS)
		command_warning("counting cycles samples neither what is executed most nor what "
				"takes most time; see --compare-modes");
	status = read_machine(&shared->machine, o->machine);
	if (!status)
		ibs_code_init(&shared->code, run->reader, &shared->machine);
	return status;
}

static void finish(struct analysis *run)
{
	struct shared *shared = run->shared;

	if (shared)
		ibs_code_free(&shared->code);
	free(shared);
}

static bool is_about_data(const struct options *o)
{
	return o->by == IBS_BY_LINE || o->by == IBS_BY_PAGE;
}

static int start(void *self, const struct analysis *run)
{
	const struct shared *shared = run->shared;
	const struct machine *machine = &shared->machine;
	size_t n_insns = shared->code.first[tf_n_blocks(run->reader)];
	struct ibs *ibs = self;

	ibs->options = run->options;
	ibs->shared = shared;
	ibs->n_threads = run->n_threads;
	ibs->cores = checked_array(run->n_threads, sizeof(*ibs->cores));
	set_cache_init(&ibs->l3, machine->l3_size >> MACHINE_LINE_SHIFT, machine->l3_ways);
	ibs_summary_init(&ibs->summary, n_insns);
	if (is_about_data(ibs->options))
		ibs_data_init(&ibs->data, ibs->options->by == IBS_BY_LINE ? MACHINE_LINE_SHIFT :
							     MACHINE_PAGE_SHIFT);
	if (ibs->options->compare)
		ibs_profiles_init(&ibs->profiles, n_insns);
	return 0;
}

static void stop(void *self)
{
	struct ibs *ibs = self;

	for (uint32_t i = 0; i < ibs->n_threads; i++)
		if (ibs->cores[i]) {
			pipeline_free(&ibs->cores[i]->pipeline);
			free(ibs->cores[i]);
		}
	free(ibs->cores);
	set_cache_free(&ibs->l3);
	ibs_summary_free(&ibs->summary);
	ibs_data_free(&ibs->data);
	ibs_profiles_free(&ibs->profiles);
	free(ibs->packets);
}

static void keep_packet(struct ibs *ibs, const struct ibs_packet *packet)
{
	size_t n = ibs->summary.samples;

	if (n == ibs->room) {
		ibs->room = n ? 2 * n : 1024;
		ibs->packets = checked(reallocarray(ibs->packets, ibs->room,
						    sizeof(*ibs->packets)));
	}
	ibs->packets[n] = *packet;
}

static void take_sample(struct core *core)
{
	struct ibs *ibs = core->ibs;

	ibs_sampler_retired(&core->sampler, core->retired);
	ibs_packet_set_sampler(&core->packet, &core->sampler);
	if (!ibs_where_holds(&ibs->options->where, &core->packet)) {
		ibs->n_left_out++;
		return;
	}
	if (ibs->options->packets)
		keep_packet(ibs, &core->packet);
	ibs_summary_add(&ibs->summary, &core->packet);
	ibs_events_add(&ibs->events, &core->packet);
	if (is_about_data(ibs->options))
		ibs_data_add(&ibs->data, &core->packet, core->process);
}

static void execute_op(struct core *core, const struct ibs_op *op)
{
	struct ibs_timing timing;

	pipeline_step(&core->pipeline, op, &timing);
	if (ibs_sampler_decided(&core->sampler, timing.dispatched))
		take_sample(core);
	if (ibs_sampler_dispatched(&core->sampler, timing.dispatched)) {
		ibs_packet_fill(&core->packet, op, &timing);
		core->packet.op = core->n_ops;
		core->retired = timing.retired;
	}
	if (core->ibs->options->compare)
		ibs_observers_step(&core->observers, op->facts->insn, &timing);
	core->n_ops++;
}

static void execute(void *opaque, const struct ibs_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		execute_op(opaque, &ops[i]);
}

static void end_core(struct core *core)
{
	ibs_program_end(&core->program);
	if (core->sampler.tagged)
		take_sample(core);
	if (core->ibs->options->compare)
		ibs_observers_end(&core->observers);
}

static struct core *new_core(struct ibs *ibs, uint32_t thread)
{
	struct core *core = checked_array(1, sizeof(*core));
	const struct options *o = ibs->options;

	core->ibs = ibs;
	core->packet.thread = thread;
	core->process = tf_thread(ibs->shared->code.reader, thread)->process;
	pipeline_init(&core->pipeline, &ibs->shared->machine, &ibs->l3);
	core->pipeline.memory.lower.space = (uint64_t)core->process
				      << (ADDRESS_BITS - MACHINE_LINE_SHIFT);
	core->program.rep_bytes = ibs->shared->machine.rep_bytes;
	core->program.code = &ibs->shared->code;
	core->program.consume = execute;
	core->program.opaque = core;
	core->sampler = (struct ibs_sampler){
		.mode = o->mode, .period = o->period, .randomization = o->randomization,
		.random = o->seed + thread,
	};
	ibs_sampler_start(&core->sampler);
	ibs_observers_init(&core->observers, &ibs->profiles, o->period, o->seed + thread);
	return core;
}

static int blocks(void *self, const struct tf_item *item)
{
	struct ibs *ibs = self;
	struct core **core = &ibs->cores[item->thread];

	if (!*core)
		*core = new_core(ibs, item->thread);
	ibs_program_feed(&(*core)->program, item);
	return 0;
}

/* ---- the result -------------------------------------------------------------------------- */

static void report_run(const struct ibs *ibs, struct report *r)
{
	const struct options *o = ibs->options;
	uint64_t ops = 0, cycles = 0, skipped = 0;

	for (uint32_t i = 0; i < ibs->n_threads; i++)
		if (ibs->cores[i]) {
			ops += ibs->cores[i]->n_ops;
			cycles += pipeline_cycles(&ibs->cores[i]->pipeline);
			skipped += ibs->cores[i]->sampler.skipped;
		}
	report_string(r, "model", o->machine);
	report_string(r, "mode", ibs_mode_names[o->mode]);
	report_string(r, "randomization", ibs_randomization_names[o->randomization]);
	report_u64(r, "seed", "", o->seed);
	report_u64(r, "period", o->mode == IBS_OPS ? "ops" : "cycles", o->period);
	report_u64(r, "ops", "", ops);
	report_u64(r, "cycles_of_all_threads", "", cycles);
	report_u64(r, "samples", "", ibs->summary.samples);
	if (o->where.n_nodes)
		report_u64(r, "left_out", "samples", ibs->n_left_out);
	if (o->mode == IBS_CYCLES_SKIP)
		report_u64(r, "skipped", "", skipped);
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	struct ibs *ibs = self;
	const struct options *o = ibs->options;

	for (uint32_t i = 0; i < ibs->n_threads; i++)
		if (ibs->cores[i])
			end_core(ibs->cores[i]);
	report_run(ibs, r);
	ibs_report_latencies(&ibs->summary, r);
	if (o->histogram)
		ibs_report_histogram(&ibs->summary, r);
	if (is_about_data(o))
		ibs_report_data(&ibs->data, run->reader, o->top, r);
	else
		ibs_report_places(&ibs->summary, &ibs->shared->code, o->by, o->top, r);
	if (o->events)
		ibs_report_events(&ibs->events, o->events, r);
	if (o->compare)
		ibs_report_modes(&ibs->profiles, r);
	if (o->packets)
		ibs_report_packets(ibs->packets, ibs->summary.samples, IBS_KIND_OP, r);
	return 0;
}

static const struct analyzer analyzer = {
	.name = "trace-ibs",
	.summary = "sample ops and their latencies, as AMD's IBS does, on a machine model",
	.example = "trace-ibs --machine=zen4 --by=instruction ls.trace",
	.columns = TF_ADDRESSES,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct ibs),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.report = report,
};
ANALYZER_MAIN(analyzer)
