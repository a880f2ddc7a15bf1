/* SPDX-License-Identifier: MIT */
/*
 * trace-ibs - samples of ops and fetches, as AMD's IBS takes them: from a machine model
 * (ibs/pipeline.h), or those of hardware that the trace has (ibs/hardware.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/calls/stacks.h"
#include "analyzers/common/analyzer.h"
#include "analyzers/common/workers.h"
#include "analyzers/ibs/hardware/hardware.h"
#include "analyzers/ibs/model/idle_cores.h"
#include "analyzers/ibs/views/modes.h"
#include "analyzers/ibs/views/report.h"
#include "analyzers/ibs/views/views_options.h"
#include "cli/common/input_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"

enum {
	PERIOD_UNIT = 16,
	LEAST_PERIOD = 9 * PERIOD_UNIT,
	LARGEST_PERIOD = (1 << 27) - PERIOD_UNIT,
	LARGEST_FETCH_PERIOD = (1 << 20) - PERIOD_UNIT,
};

/*
 * The source of the samples. By default it is hardware if the trace has nothing to execute, else
 * the model.
 */
enum source { SOURCE_BY_TRACE, SOURCE_MODEL, SOURCE_HARDWARE };

struct options {
	unsigned source; /* enum source */
	struct ibs_hardware_options hardware;
	const char *machine;       /* the name of a preset or of a file */
	const char *saved_machine; /* name of a file for the machine; NULL: none */
	uint64_t period;
	unsigned mode;          /* enum ibs_mode */
	unsigned randomization; /* enum ibs_randomization */
	uint64_t seed;
	uint64_t window, handler; /* cycles, see struct ibs_sampler */
	unsigned slot;            /* enum ibs_slot */
	struct ibs_views_options views;
	bool compare;
	bool wrong_paths;
};

static const struct options defaults = {
	.machine = "zen4", .period = 4096, .randomization = IBS_RANDOM_7, .seed = 1,
	.views = {
		.by = { .count = 1, .keys = { { IBS_KEY_PLACE, PLACE_SYMBOL } }, .name = "symbol" },
		.top = 20,
		.latency = { [IBS_KIND_OP] = IBS_USUAL_LATENCY,
			     [IBS_KIND_FETCH] = IBS_USUAL_FETCH_LATENCY },
	},
};

static const char *option_source(const struct command_option *option, void *destination,
				 const char *text)
{
	if (strcmp(text, "model") && strcmp(text, "hardware"))
		return analyzer_option_expects(option);
	*(unsigned *)destination = !strcmp(text, "model") ? SOURCE_MODEL : SOURCE_HARDWARE;
	return NULL;
}

static const char *option_sampler(const struct command_option *option, void *destination,
				  const char *text)
{
	const char *wrong = analyzer_option_count(option, destination, text);

	if (!wrong)
		++*(uint64_t *)destination;
	return wrong;
}

static const struct command_option options[] = {
	{ "source", 0, "model|hardware", NULL, option_source, offsetof(struct options, source) },
	{ "sampler", 0, "N", NULL, option_sampler, offsetof(struct options, hardware.sampler) },
	{ "overhead", 0, NULL, NULL, analyzer_option_flag,
	  offsetof(struct options, hardware.overhead) },
	{ "machine", 'm', "NAME", "preset or file of the model (default zen4)",
	  analyzer_option_text, offsetof(struct options, machine) },
	{ "save-machine", 0, "FILE", NULL, analyzer_option_text,
	  offsetof(struct options, saved_machine) },
	{ "mode", 0, "ops|cycles-wait|cycles-skip|fetches", NULL, analyzer_option_choice,
	  offsetof(struct options, mode) },
	{ "period", 'p', "N", "sample every N ops (default 4096)", analyzer_option_positive,
	  offsetof(struct options, period) },
	{ "randomize", 0, "none|hw4|hw7|op12|max8|zero4|uniform|geometric|prime", NULL,
	  analyzer_option_choice, offsetof(struct options, randomization) },
	{ "seed", 0, "N", NULL, analyzer_option_count, offsetof(struct options, seed) },
	{ "window", 0, "CYCLES", NULL, analyzer_option_count, offsetof(struct options, window) },
	{ "slot", 0, "uniform|first|last|clamp|rr", NULL, analyzer_option_choice,
	  offsetof(struct options, slot) },
	{ "handler", 0, "CYCLES", NULL, analyzer_option_count, offsetof(struct options, handler) },
	{ "by", 'b', "KEY,...", "group samples by symbol, line, object, page, ...", ibs_option_by,
	  offsetof(struct options, views.by) },
	{ "group-by", 0, "KEY,...", NULL, ibs_option_by, offsetof(struct options, views.by) },
	{ "latency", 0, "FIELD", NULL, ibs_option_latency,
	  offsetof(struct options, views.latency) },
	{ "top", 't', "N", NULL, analyzer_option_count, offsetof(struct options, views.top) },
	{ "demangle", 0, "yes|no", NULL, analyzer_option_choice,
	  offsetof(struct options, views.mangled) },
	{ "where", 'w', "CONDITION", "only samples with CONDITION, e.g. 'ld && dc_miss'",
	  ibs_option_where, offsetof(struct options, views.where) },
	{ "histogram", 0, "[=all|groups]", NULL, ibs_option_histogram,
	  offsetof(struct options, views.histogram) },
	{ "events", 0, "[=auto|zen|classic|all]", NULL, ibs_option_events,
	  offsetof(struct options, views.events) },
	{ "packets", 0, "[=FILE]", NULL, ibs_option_packets, offsetof(struct options, views) },
	{ "sqlite", 0, "FILE", "a database of all samples and their places", analyzer_option_text,
	  offsetof(struct options, views.database) },
	{ "compare-modes", 0, NULL, NULL, analyzer_option_flag, offsetof(struct options, compare) },
	{ "wrong-paths", 0, NULL, NULL, analyzer_option_flag,
	  offsetof(struct options, wrong_paths) },
	{ 0 },
};

enum {
	N_BATCHES = 4, /* of which one is being filled */
	SMALL = 256,   /* runs and ops of a batch that stays in this processor's cache */
	LARGE = 6000,  /* of one for another thread, to which handing it on costs time */
};

/* ---- a run ------------------------------------------------------------------------------- */

struct shared {
	struct machine machine;
	struct ibs_code code;
};

/* A thread. Each runs on a core of its own, and all cores share L3. */
struct thread {
	struct ibs *ibs;
	uint32_t process;
	struct idle_core core;              /* the half that executes */
	struct ibs_observers observers;     /* if modes are compared */
	uint64_t warmup_ops, warmup_cycles; /* they do not count */
	/* Nodes of call stacks, if samples have these: of the present execution, of the one before, and
	 * of the tagged op. */
	uint32_t now, before, tagged;
	uint64_t first_op; /* of those that the present execution hands on */
	bool is_late;      /* that op is of the execution before */
};

struct ibs {
	const struct options *options;
	const struct shared *shared;
	struct set_cache l3;
	bool of_hardware;
	bool warms_up; /* what executes now does not count, and is not sampled */
	uint64_t instructions;
	uint32_t n_threads;
	struct idle_core *fronts; /* by thread; state NULL: the thread has executed nothing */
	struct idle_cores awake_fronts;
	struct ibs_writer writer; /* of what the fronts have found */
	/* The stage that executes batches owns all members below, while there are batches. */
	struct ibs_batch *batches;
	struct workers *workers; /* a thread for this stage; NULL: none */
	struct thread **threads; /* by thread; NULL: the thread has executed nothing */
	struct idle_cores cores;
	struct ibs_views views;
	bool has_stacks; /* samples have call stacks */
	struct call_stacks stacks;
	struct ibs_profiles profiles; /* if modes are compared */
};

static int read_machine(struct machine *machine, const char *name)
{
	char error[512];

	if (machine_preset(machine, name))
		return 0;
	machine_preset(machine, defaults.machine);
	if (!expect_file(name, "a file of a machine", 0))
		return EXIT_FAILED;
	if (machine_read(machine, name, error, sizeof(error)))
		return 0;
	command_error("%s", error);
	return EXIT_FAILED;
}

static int save_machine(const struct machine *machine, const char *path)
{
	struct save_file *file = save_file_begin(path);

	if (!file)
		return EXIT_FAILED;
	machine_write(machine, save_file_stream(file));
	return save_file_end(file);
}

static int check_period(const struct options *o)
{
	bool fetches = o->mode == IBS_FETCHES;
	uint64_t least = fetches ? PERIOD_UNIT : LEAST_PERIOD;
	uint64_t largest = fetches ? LARGEST_FETCH_PERIOD : LARGEST_PERIOD;

	if (o->period % PERIOD_UNIT == 0 && o->period >= least && o->period <= largest)
		return 0;
	return command_usage_error("--period must be a multiple of %d from %lu to %lu", PERIOD_UNIT,
				   (unsigned long)least, (unsigned long)largest);
}

/* Checks the options of samplers of cycles. Returns 0, or an exit code after a message. */
static int check_cycles(const struct options *o)
{
	bool counts_cycles = o->mode == IBS_CYCLES_WAIT || o->mode == IBS_CYCLES_SKIP;

	if (o->window > LARGEST_PERIOD || o->handler > LARGEST_PERIOD)
		return command_usage_error("--window, --handler: at most %d cycles",
					   LARGEST_PERIOD);
	if (o->window && o->mode != IBS_CYCLES_SKIP && !o->compare)
		return command_usage_error("--window needs --mode=cycles-skip");
	if (o->slot != IBS_SLOT_UNIFORM && !counts_cycles && !o->compare)
		return command_usage_error("--slot needs --mode=cycles-wait or --mode=cycles-skip");
	if (counts_cycles)
		command_warning("when cycles are counted, samples show neither the instructions "
				"that execute most often nor those that take most time; see "
				"--compare-modes");
	return 0;
}

/* Returns 0, or an exit code after a message if options are not for samples of the model. */
static int check_model(const struct options *o)
{
	if (o->views.by.needs_hardware || o->views.where.needs_hardware)
		return command_usage_error("cpu, mode and comm need samples of hardware "
					   "(--source=hardware)");
	if (o->hardware.sampler || o->hardware.overhead)
		return command_usage_error("--sampler and --overhead need samples of hardware "
					   "(--source=hardware)");
	return 0;
}

static bool is_of_hardware(const struct analysis *run)
{
	const struct options *o = run->options;

	return o->source == SOURCE_HARDWARE ||
	       (o->source == SOURCE_BY_TRACE && run->info.n_samples &&
		!run->info.totals.instructions);
}

/* Returns an option that only the model has and that is not as by default, or NULL. */
static const char *option_of_model(const struct options *o)
{
	const struct {
		bool given;
		const char *name;
	} settings[] = {
		{ o->compare, "--compare-modes" },
		{ strcmp(o->machine, defaults.machine), "--machine" },
		{ o->saved_machine, "--save-machine" },
		{ o->mode != defaults.mode, "--mode" },
		{ o->period != defaults.period, "--period" },
		{ o->randomization != defaults.randomization, "--randomize" },
		{ o->seed != defaults.seed, "--seed" },
		{ o->window, "--window" },
		{ o->slot != defaults.slot, "--slot" },
		{ o->handler, "--handler" },
		{ o->wrong_paths, "--wrong-paths" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (settings[i].given)
			return settings[i].name;
	return NULL;
}

/* Returns 0, or an exit code after a message if options are not for samples of hardware. */
static int check_hardware(const struct analysis *run)
{
	const char *option = option_of_model(run->options);

	if (option && !run->batch)
		return command_usage_error("%s needs --source=model", option);
	if (run->partial && !run->batch)
		return command_usage_error(
			"--from, --count and --region need executed instructions; "
			"they exclude samples of hardware");
	return 0;
}

/*
 * Returns true if objects can be found by the times of samples. If they are asked for but cannot, a
 * message says why.
 */
static bool finds_by_time(const struct analysis *run)
{
	const struct options *o = run->options;
	const char *clock = tf_meta(run->reader, "sample.clock");
	bool recorded = run->info.totals.instructions &&
			heap_objects_are_recorded(run->reader, NULL);
	const char *why = !recorded
				  ? "the trace has no calls of malloc and free besides its samples"
			  : !clock || strcmp(clock, "monotonic")
				  ? "the clock of the samples is not that of the calls of malloc"
			  : run->thread != TF_MERGED
				  ? "any thread may free an object, so --threads=merged is needed"
				  : NULL;

	if (why && o->views.by.needs_objects)
		command_usage_error("--by=object and --by=allocation: %s; use --by=region or "
				    "--source=model",
				    why);
	return !why;
}

static int prepare(struct analysis *run)
{
	const struct options *o = run->options;
	struct shared *shared = checked_array(1, sizeof(*shared));
	int status;

	run->shared = shared;
	if (run->several && (o->views.database || o->saved_machine || o->views.packet_file))
		return command_usage_error("--sqlite, --save-machine and --packets=FILE need "
					   "exactly one trace");
	status = is_of_hardware(run) ? check_hardware(run) : check_model(o);
	if (!status)
		status = check_period(o);
	if (!status)
		status = check_cycles(o);
	if (status)
		return status;
	if (is_of_hardware(run) && !ibs_hardware_check(run->reader))
		run->info.complete = false;
	status = read_machine(&shared->machine, o->machine);
	if (!status && o->saved_machine)
		status = save_machine(&shared->machine, o->saved_machine);
	if (!status)
		ibs_code_init(&shared->code, run->reader, &shared->machine);
	run->uses_jobs = !is_of_hardware(run);
	return status;
}

static void finish(struct analysis *run)
{
	struct shared *shared = run->shared;

	if (shared)
		ibs_code_free(&shared->code);
	free(shared);
}

/* Returns the call stack of an op that is tagged by its number. */
static uint32_t node_of(const struct thread *thread, uint64_t op)
{
	if (op < thread->first_op)
		return thread->tagged;
	return op == thread->first_op && thread->is_late ? thread->before : thread->now;
}

static void take_sample(void *opaque, const struct ibs_packet *packet)
{
	struct thread *thread = opaque;
	struct ibs_sample sample;

	if (thread->ibs->warms_up || packet->op < thread->warmup_ops)
		return;
	sample = ibs_sample_of_insn(&thread->ibs->shared->code, packet->insn);
	sample.packet = packet;
	sample.process = thread->process;
	sample.thread = packet->thread;
	if (thread->ibs->has_stacks)
		sample.stack = call_stacks_text(&thread->ibs->stacks, node_of(thread, packet->op));
	ibs_views_add(&thread->ibs->views, &sample);
}

static void take_reference(void *opaque, uint32_t insn)
{
	struct thread *thread = opaque;
	struct ibs *ibs = thread->ibs;

	if (ibs->warms_up)
		return;
	ibs_samplers_refer(&ibs->views.samplers,
			   ibs->options->mode == IBS_FETCHES ? IBS_KIND_FETCH : IBS_KIND_OP,
			   thread->core.core->packet.thread, ibs->shared->code.insns[insn].pc);
}

static struct thread *new_thread(struct ibs *ibs, uint32_t index)
{
	struct thread *thread = checked_array(1, sizeof(*thread));
	const struct options *o = ibs->options;
	struct ibs_core *core;

	idle_core_new(&thread->core, IDLE_CORE);
	core = thread->core.core;
	thread->ibs = ibs;
	thread->process = tf_thread(ibs->shared->code.reader, index)->process;
	core->packet.thread = index;
	core->take = take_sample;
	core->refer = take_reference;
	core->opaque = thread;
	core->wrong_paths = o->wrong_paths;
	core->sampler = (struct ibs_sampler){
		.mode = o->mode,
		.period = o->period,
		.randomization = o->randomization,
		.random = o->seed + index,
		.window = o->window,
		.handler = o->handler,
		.slot = o->slot,
		.width = ibs->shared->machine.dispatch_width,
	};
	if (o->compare) {
		ibs_observers_init(&thread->observers, &ibs->profiles, &core->sampler);
		if (o->wrong_paths)
			thread->observers.wrong_paths = &ibs->shared->machine;
		core->observers = &thread->observers;
	}
	ibs_core_init(core, &ibs->shared->machine, &ibs->shared->code, &ibs->l3, thread->process);
	return thread;
}

/* ---- batches ----------------------------------------------------------------------------- */

/* States that ops will be executed, the first of them perhaps one of the execution before. */
static void begin_ops(struct thread *thread, bool is_late)
{
	thread->first_op = thread->core.core->n_ops;
	thread->is_late = is_late;
	thread->before = thread->now;
}

/* Wakes the core of a thread, which may be new. */
static struct thread *wake_thread(struct ibs *ibs, uint32_t index)
{
	if (!ibs->threads[index])
		ibs->threads[index] = new_thread(ibs, index);
	idle_cores_wake(&ibs->cores, &ibs->threads[index]->core);
	return ibs->threads[index];
}

static void execute(struct thread *thread, const struct ibs_entry *entry)
{
	struct ibs_core *core = thread->core.core;

	if (entry->kind == IBS_ENTRY_OPS)
		ibs_core_execute(core, entry->ops, entry->count);
	else
		ibs_core_run(core, entry->runs, entry->count);
	if (thread->ibs->has_stacks && core->sampler.tagged)
		thread->tagged = node_of(thread, core->packet.op);
}

static void take_event(struct ibs *ibs, const struct tf_event *event)
{
	ibs_views_event(&ibs->views, event);
	if (ibs->has_stacks)
		call_stacks_event(&ibs->stacks, event);
}

static void take_entry(struct ibs *ibs, const struct ibs_entry *entry)
{
	struct thread *thread = entry->kind != IBS_ENTRY_EVENT ? wake_thread(ibs, entry->thread)
							       : NULL;

	switch ((enum ibs_entry_kind)entry->kind) {
	case IBS_ENTRY_ITEM: places_block(&ibs->views.places, entry->thread, entry->block); break;
	case IBS_ENTRY_EXECUTION:
		begin_ops(thread, entry->is_late);
		thread->now = call_stacks_block(&ibs->stacks, entry->thread, &entry->execution);
		break;
	case IBS_ENTRY_RUNS:
	case IBS_ENTRY_OPS: execute(thread, entry); break;
	case IBS_ENTRY_EVENT: take_event(ibs, entry->event); break;
	case IBS_ENTRY_REST: begin_ops(thread, entry->is_late); break;
	case IBS_ENTRY_END: ibs_core_end(thread->core.core); break;
	}
}

static void take_batch(struct ibs *ibs, const struct ibs_batch *batch)
{
	for (unsigned i = 0; i < batch->n_entries; i++)
		take_entry(ibs, &batch->entries[i]);
}

static void do_stage(void *opaque, unsigned stage, unsigned batch)
{
	struct ibs *ibs = opaque;

	(void)stage;
	take_batch(ibs, &ibs->batches[batch]);
}

static void hand_on(void *opaque, const struct ibs_batch *batch)
{
	struct ibs *ibs = opaque;

	if (!ibs->workers) {
		take_batch(ibs, batch);
		return;
	}
	ibs_batch_copy(&ibs->batches[workers_batch(ibs->workers)], batch);
	workers_hand_out(ibs->workers);
}

/* Executes all that was fed. */
static void drain(struct ibs *ibs)
{
	ibs_writer_flush(&ibs->writer);
	if (ibs->workers)
		workers_finish(ibs->workers);
}

static void start_stages(struct ibs *ibs, unsigned jobs)
{
	if (jobs > 1) {
		ibs->batches = checked_array(N_BATCHES, sizeof(*ibs->batches));
		ibs->workers = workers_new(1, 1, N_BATCHES, do_stage, ibs);
	}
	ibs->writer = (struct ibs_writer){
		.batch = checked_array(1, sizeof(*ibs->writer.batch)),
		.limit = jobs > 1 ? LARGE : SMALL,
		.hand_on = hand_on,
		.opaque = ibs,
	};
}

static int start(void *self, const struct analysis *run)
{
	const struct shared *shared = run->shared;
	const struct machine *machine = &shared->machine;
	size_t n_insns = shared->code.blocks[tf_n_blocks(run->reader)].first;
	struct ibs *ibs = self;
	bool by_time;
	int status;

	ibs->options = run->options;
	ibs->shared = shared;
	ibs->of_hardware = is_of_hardware(run);
	ibs->warms_up = run->warms_up && !ibs->of_hardware;
	ibs->n_threads = run->n_threads;
	ibs->threads = checked_array(run->n_threads, sizeof(*ibs->threads));
	ibs->fronts = checked_array(run->n_threads, sizeof(*ibs->fronts));
	set_cache_init(&ibs->l3, machine->l3_size >> MACHINE_LINE_SHIFT, machine->l3_ways);
	if (ibs->options->compare)
		ibs_profiles_init(&ibs->profiles, n_insns);
	ibs->has_stacks = !ibs->of_hardware && ibs->options->views.by.has_stack;
	if (ibs->has_stacks)
		call_stacks_init(&ibs->stacks, run->reader, run->info.has_addresses,
				 ibs->options->views.mangled);
	by_time = ibs->of_hardware && finds_by_time(run);
	if (ibs->of_hardware && !by_time && ibs->options->views.by.needs_objects)
		return EXIT_USAGE;
	status = ibs_views_init(&ibs->views, &ibs->options->views, run->reader, run->partial,
				by_time);
	if (!status && !ibs->of_hardware)
		start_stages(ibs, run->jobs);
	return status;
}

static void stop(void *self)
{
	struct ibs *ibs = self;

	workers_free(ibs->workers);
	for (uint32_t i = 0; i < ibs->n_threads; i++) {
		if (ibs->fronts[i].state)
			idle_core_free(&ibs->fronts[i]);
		if (ibs->threads[i]) {
			idle_core_free(&ibs->threads[i]->core);
			free(ibs->threads[i]);
		}
	}
	for (unsigned i = 0; ibs->batches && i < N_BATCHES; i++)
		ibs_batch_free(&ibs->batches[i]);
	free(ibs->batches);
	if (ibs->writer.batch)
		ibs_batch_free(ibs->writer.batch);
	free(ibs->writer.batch);
	free(ibs->fronts);
	free(ibs->threads);
	idle_cores_free(&ibs->awake_fronts);
	idle_cores_free(&ibs->cores);
	set_cache_free(&ibs->l3);
	ibs_views_free(&ibs->views);
	ibs_profiles_free(&ibs->profiles);
	call_stacks_free(&ibs->stacks);
}

/* ---- feeding ----------------------------------------------------------------------------- */

static struct ibs_front *wake_front(struct ibs *ibs, uint32_t thread)
{
	struct idle_core *idle = &ibs->fronts[thread];
	bool is_new = !idle->state;

	if (is_new) {
		idle_core_new(idle, IDLE_FRONT);
		idle->front->writer = &ibs->writer;
		idle->front->thread = thread;
		ibs_front_init(idle->front, &ibs->shared->machine, &ibs->shared->code);
	}
	idle_cores_wake(&ibs->awake_fronts, idle);
	return idle->front;
}

/* Feeds an item block by block, so that the call stack of each op is known. */
static void feed_with_stacks(struct ibs *ibs, struct ibs_front *front, const struct tf_item *item)
{
	struct tf_item one = *item;

	one.count = 1;
	for (size_t i = 0; i < item->count; i++) {
		one.blocks = &item->blocks[i];
		one.instructions = one.blocks->executed;
		ibs_write_execution(&ibs->writer, item->thread, one.blocks,
				    front->program.n_ops > 0);
		ibs_front_feed(front, &one);
	}
}

static int blocks(void *self, const struct tf_item *item)
{
	struct ibs *ibs = self;
	struct ibs_front *front;

	if (ibs->of_hardware) {
		places_block(&ibs->views.places, item->thread, item->blocks[0].block);
		return 0;
	}
	for (size_t i = 0; i < item->count; i++)
		ibs->instructions += item->blocks[i].executed;
	front = wake_front(ibs, item->thread);
	ibs_write_item(&ibs->writer, item);
	if (ibs->has_stacks)
		feed_with_stacks(ibs, front, item);
	else
		ibs_front_feed(front, item);
	return 0;
}

/* Ends the warm-up. */
static void clear(void *self)
{
	struct ibs *ibs = self;

	drain(ibs);
	ibs->warms_up = false;
	ibs->instructions = 0;
	for (uint32_t i = 0; i < ibs->n_threads; i++) {
		struct thread *thread = ibs->threads[i];
		struct ibs_core *core;

		if (!thread)
			continue;
		idle_cores_wake(&ibs->cores, &thread->core);
		core = thread->core.core;
		thread->warmup_cycles = pipeline_cycles(&core->pipeline);
		thread->warmup_ops = core->n_ops;
		core->sampler.skipped = core->sampler.killed = 0;
	}
	if (ibs->options->compare)
		ibs_profiles_clear(&ibs->profiles);
}

static int event(void *self, const struct tf_event *event)
{
	struct ibs *ibs = self;

	if (!ibs->of_hardware && (ibs->has_stacks || ibs->views.places.tracks_data))
		ibs_write_event(&ibs->writer, event);
	else if (ibs->views.places.by_time && event->kind != TF_EVENT_MAPPING)
		ibs_views_event(&ibs->views, event); /* samples have mappings of their own */
	return 0;
}

/* ---- the result -------------------------------------------------------------------------- */

static const char *counted(enum ibs_mode mode)
{
	return mode == IBS_OPS ? "ops" : mode == IBS_FETCHES ? "fetches" : "cycles";
}

/* Sums over all threads. */
struct totals {
	uint64_t ops, cycles, skipped, killed;
};

/* Ends the threads, whose last samples are then taken, and returns their totals. */
static struct totals end_threads(struct ibs *ibs)
{
	struct totals totals = { 0 };

	for (uint32_t i = 0; i < ibs->n_threads; i++)
		if (ibs->fronts[i].state)
			ibs_front_end(wake_front(ibs, i));
	drain(ibs);
	for (uint32_t i = 0; i < ibs->n_threads; i++)
		if (ibs->threads[i]) {
			struct ibs_core *core = wake_thread(ibs, i)->core.core;

			totals.ops += core->n_ops - ibs->threads[i]->warmup_ops;
			totals.cycles += pipeline_cycles(&core->pipeline) -
					 ibs->threads[i]->warmup_cycles;
			totals.skipped += core->sampler.skipped;
			totals.killed += core->sampler.killed;
		}
	return totals;
}

static void report_run(struct ibs *ibs, struct report *r)
{
	const struct options *o = ibs->options;
	struct totals totals = end_threads(ibs);

	ibs_views_note(&ibs->views, r, "model", o->machine);
	ibs_views_note(&ibs->views, r, "mode", ibs_mode_names[o->mode]);
	ibs_views_note(&ibs->views, r, "randomization", ibs_randomization_names[o->randomization]);
	report_id(r, "seed", o->seed);
	report_u64(r, "period", counted(o->mode), o->period);
	report_u64(r, "instructions", "", ibs->instructions);
	report_u64(r, "ops", "", totals.ops);
	report_u64(r, "cycles_of_all_threads", "", totals.cycles);
	report_u64(r, "samples", "", ibs_summary_samples(&ibs->views.summary));
	if (o->views.where.n_nodes)
		report_u64(r, "left_out", "samples", ibs->views.n_left_out);
	if (o->mode == IBS_CYCLES_SKIP)
		report_u64(r, "skipped", "", totals.skipped);
	if (o->wrong_paths)
		report_u64(r, "killed", "", totals.killed);
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	struct ibs *ibs = self;
	int status;

	if (ibs->of_hardware) {
		places_replayed(&ibs->views.places);
		status = ibs_hardware_add(run->reader, &ibs->options->hardware, run->thread,
					  &ibs->views, r);
		return status ? status : ibs_views_report(&ibs->views, r);
	}
	report_run(ibs, r);
	if (ibs->options->compare)
		ibs_modes_report(&ibs->profiles, &ibs->shared->code, &ibs->options->views.by,
				 &ibs->views.places, r);
	return ibs_views_report(&ibs->views, r);
}

static const struct analyzer analyzer = {
	.name = "trace-ibs",
	.summary = "sample ops and their latencies on a model, or analyze hardware samples",
	.example = "trace-ibs --machine=zen4 --by=instruction ls.trace",
	.columns = TF_ADDRESSES,
	.samples = true,
	.needs = ANALYZER_NEEDS_CODE,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct ibs),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.event = event,
	.report = report,
	.clear = clear,
};
ANALYZER_MAIN(analyzer)
