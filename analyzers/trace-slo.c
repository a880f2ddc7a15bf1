/* SPDX-License-Identifier: MIT */
/*
 * trace-slo - suggestions for locality optimization: which loops and calls keep reuses of data
 * apart, by source line; slo/levels.h has the definition.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/common/insn_numbers.h"
#include "analyzers/common/workers.h"
#include "analyzers/slo/advice.h"
#include "analyzers/slo/html/html.h"
#include "analyzers/slo/read_code.h"
#include "analyzers/slo/reuses.h"
#include "analyzers/slo/tables.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

/* ---- options ----------------------------------------------------------------------------- */

enum {
	LARGEST_BLOCK_SHIFT = 20,
	MOST_CYCLES = 1 << 20, /* of a miss; the limit keeps sums of lost cycles below 2^64 */
	MOST_SOURCES = 64,
};

struct options {
	uint64_t block_size;
	unsigned n_caches, n_cycles;
	bool cycles_given;
	uint64_t caches[SLO_MOST_CACHES]; /* bytes */
	uint64_t cycles[SLO_MOST_CACHES]; /* cost of a miss */
	uint64_t shortest;                /* blocks; UINT64_MAX: the smallest cache */
	uint64_t top;
	bool all, data, histogram, misses;
	unsigned mangled; /* 1: --demangle=no */
	const char *html; /* name of the page; NULL: none */
	unsigned n_sources;
	const char *sources[MOST_SOURCES]; /* folders whose files the page may show */
};

/* clang-format off */
static const struct options defaults = {
	.block_size = 64, .n_caches = 3, .caches = { 32 << 10, 1 << 20, 32 << 20 },
	.n_cycles = 3, .cycles = { 10, 30, 150 }, .shortest = UINT64_MAX, .top = 10,
};
/* clang-format on */

/*
 * Returns the default cost of a miss in cycles, as in present machines, by the size of the cache.
 */
static uint64_t usual_cycles(uint64_t size)
{
	return size < 256 << 10 ? 10 : size < 8 << 20 ? 30 : 150;
}

OPTION_PARSER(option_caches)
{
	struct options *o = destination;
	unsigned count = parse_list(text, parse_size, o->caches, SLO_MOST_CACHES);

	if (!count || count > SLO_MOST_CACHES)
		return "a list of at most 8 sizes is expected, such as 32Ki,1Mi";
	o->n_caches = count;
	for (unsigned i = 0; i < count; i++)
		if (!o->caches[i] || (i && o->caches[i] <= o->caches[i - 1]))
			return "the sizes must ascend";
	if (o->cycles_given)
		return NULL;
	o->n_cycles = count;
	for (unsigned i = 0; i < count; i++)
		o->cycles[i] = usual_cycles(o->caches[i]);
	return NULL;
}

OPTION_PARSER(option_cycles)
{
	struct options *o = destination;
	unsigned count = parse_list(text, parse_count, o->cycles, SLO_MOST_CACHES);

	if (!count || count > SLO_MOST_CACHES)
		return "a list of at most 8 numbers of cycles is expected, such as 10,150";
	o->cycles_given = true;
	o->n_cycles = count;
	for (unsigned i = 0; i < count; i++)
		if (o->cycles[i] > MOST_CYCLES)
			return "a number of cycles must be at most 1Mi";
	return NULL;
}

OPTION_PARSER(option_source)
{
	struct options *o = destination;

	if (o->n_sources == MOST_SOURCES)
		return "more than 64 folders";
	o->sources[o->n_sources++] = text;
	return NULL;
}

static const struct command_option options[] = {
	{ "top", 't', "N", "list at most N refactorings (default 10)", analyzer_option_positive,
	  offsetof(struct options, top) },
	{ "all", 'a', NULL, NULL, analyzer_option_flag, offsetof(struct options, all) },
	{ "cache-size", 'c', "LIST", "sizes of caches in bytes (default 32Ki,1Mi,32Mi)",
	  option_caches, 0 },
	{ "miss-cycles", 0, "LIST", "cycles of a miss in each (default by size)", option_cycles,
	  0 },
	{ "block-size", 'b', "BYTES", "size of a memory block (default 64)", analyzer_option_size,
	  offsetof(struct options, block_size) },
	{ "min-distance", 'd', "N", NULL, analyzer_option_count,
	  offsetof(struct options, shortest) },
	{ "data", 0, NULL, "add the reused data: objects, variables, ...", analyzer_option_flag,
	  offsetof(struct options, data) },
	{ "histogram", 0, NULL, NULL, analyzer_option_flag, offsetof(struct options, histogram) },
	{ "misses", 0, NULL, NULL, analyzer_option_flag, offsetof(struct options, misses) },
	{ "html", 0, "FILE", "also write a page for a browser", analyzer_option_text,
	  offsetof(struct options, html) },
	{ "source", 0, "DIR", NULL, option_source, 0 },
	{ "demangle", 0, "yes|no", NULL, analyzer_option_choice,
	  offsetof(struct options, mangled) },
	{ 0 },
};

static int check_options(const struct options *o)
{
	if (o->block_size & (o->block_size - 1) || o->block_size >> LARGEST_BLOCK_SHIFT > 1)
		return command_usage_error(
			"--block-size must be a power of two up to 1Mi: %" PRIu64, o->block_size);
	for (unsigned i = 0; i < o->n_caches; i++)
		if (o->caches[i] % o->block_size)
			return command_usage_error("--cache-size: %" PRIu64 " bytes are not a "
						   "multiple of the block size, %" PRIu64,
						   o->caches[i], o->block_size);
	if (o->n_sources && !o->html)
		return command_usage_error("--source needs --html");
	if (o->n_caches != o->n_cycles)
		return command_usage_error("--miss-cycles has %u numbers for %u caches",
					   o->n_cycles, o->n_caches);
	return 0;
}

/* ---- what all states share --------------------------------------------------------------- */

struct shared {
	struct slo_code code;
	struct access_code accesses;
	size_t *first_insn;      /* by block id, and the total */
	struct save_file *html;  /* the page, until it is written; NULL: none */
	struct html_roots roots; /* the folders whose source files the page may show */
};

static bool add_roots(struct html_roots *roots, const struct options *o, struct tf_reader *reader)
{
	html_roots_init(roots, reader);
	for (unsigned i = 0; i < o->n_sources; i++)
		if (!html_roots_add(roots, o->sources[i])) {
			command_error("--source=%s: %s", o->sources[i], strerror(errno));
			return false;
		}
	return true;
}

static int prepare(struct analysis *run)
{
	struct shared *shared = checked_array(1, sizeof(*shared));
	const struct options *o = run->options;
	int status = check_options(o);
	struct tf_error error;

	run->shared = shared;
	if (!status && run->several && o->html)
		status = command_usage_error("--html needs exactly one trace");
	if (!status)
		status = analyzer_needs_addresses(run);
	if (status)
		return status;
	if (!add_roots(&shared->roots, o, run->reader) ||
	    (o->html && !(shared->html = slo_html_open(o->html, run->path))))
		return EXIT_FAILED;
	if (slo_code_init(&shared->code, run->reader, run->jobs, &error) < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	run->in_order = o->data;
	run->uses_jobs = true;
	access_code_init(&shared->accesses, run->reader, ACCESS_READ | ACCESS_WRITE, 0);
	shared->first_insn = number_insns(run->reader);
	return 0;
}

static void finish(struct analysis *run)
{
	struct shared *shared = run->shared;

	if (!shared)
		return;
	save_file_drop(shared->html);
	html_roots_free(&shared->roots);
	slo_code_free(&shared->code);
	access_code_free(&shared->accesses);
	free(shared->first_insn);
	free(shared);
}

/* ---- threads ----------------------------------------------------------------------------- */

enum {
	/* So many that a stage seldom changes its processor, and its memory with the stage. */
	N_BATCHES = 64,
	LARGE = 3072, /* touches of a batch for another thread, to which handing it on costs time */
};

struct slo {
	const struct shared *shared;
	struct reuses_setup setup;
	struct contexts contexts;
	struct slo_groups groups;
	struct slo_data data; /* empty without --data */
	struct symbol_names names;
	uint64_t instructions, touches, cold, wanted; /* sums of the threads that have ended */
	bool folded; /* a thread that has ended had folded levels */
	uint32_t n_threads;
	struct reuses **threads; /* each has distances of its own, as in a private cache;
					   NULL: it has not begun, or is over */
	struct touch_finder finder;
	struct workers *workers;     /* threads for the stages behind the finder; NULL: none */
	struct touch_batch *batches; /* of the workers */
};

static void end_thread(struct slo *s, uint32_t thread)
{
	struct reuses *reuses = s->threads[thread];

	if (!reuses)
		return;
	s->touches += reuses->touches;
	s->cold += reuses->cold;
	s->wanted += reuses->wanted;
	s->folded |= reuses->walker.folded;
	reuses_free(reuses);
	free(reuses);
	s->threads[thread] = NULL;
}

/* Returns the search for reuses in a thread. */
static struct reuses *reuses_of(struct slo *s, uint32_t thread)
{
	if (!s->threads[thread]) {
		s->threads[thread] = checked_array(1, sizeof(struct reuses));
		reuses_init(s->threads[thread], &s->setup, thread);
	}
	return s->threads[thread];
}

static void take_event(struct slo *s, const struct tf_event *e)
{
	if (s->setup.data)
		slo_data_event(&s->data, e);
	if (e->thread >= s->n_threads)
		return;
	if (s->threads[e->thread])
		reuses_event(s->threads[e->thread], e);
	if (e->kind == TF_EVENT_THREAD_EXIT)
		end_thread(s, e->thread);
}

static void take_batch(struct slo *s, const struct touch_batch *batch)
{
	struct reuses *reuses = NULL;

	if (batch->n_executions || batch->n_touches) {
		reuses = reuses_of(s, batch->thread);
		reuses_begin(reuses, batch);
	}
	for (unsigned i = 0; i < batch->n_events; i++) {
		const struct touch_event *event = &batch->events[i];

		if (reuses)
			reuses_until(reuses, batch, event->before);
		if (reuses && event->event.kind == TF_EVENT_THREAD_EXIT &&
		    event->event.thread == batch->thread)
			reuses = NULL;
		take_event(s, &event->event);
	}
	if (reuses)
		reuses_until(reuses, batch, batch->n_executions);
}

enum { FIND_DISTANCES, TAKE, N_STAGES };

static void do_stage(void *opaque, unsigned stage, unsigned batch)
{
	struct slo *s = opaque;

	if (stage == FIND_DISTANCES)
		touches_find_distances(&s->finder, &s->batches[batch]);
	else
		take_batch(s, &s->batches[batch]);
}

static void hand_on(void *opaque, struct touch_batch *batch)
{
	struct slo *s = opaque;

	if (!s->workers) {
		touches_find_distances(&s->finder, batch);
		take_batch(s, batch);
		return;
	}
	touch_batch_copy(&s->batches[workers_batch(s->workers)], batch, s->setup.data);
	workers_hand_out(s->workers);
}

static void start_workers(struct slo *s, unsigned jobs)
{
	s->batches = checked_array(N_BATCHES, sizeof(*s->batches));
	s->workers = workers_new(jobs > N_STAGES ? N_STAGES : 1, N_STAGES, N_BATCHES, do_stage, s);
	workers_in_stages(s->workers);
}

static void start_finder(struct slo *s, unsigned jobs)
{
	if (jobs > 1)
		start_workers(s, jobs);
	s->finder = (struct touch_finder){
		.code = s->setup.code,
		.shift = s->setup.shift,
		.limit = jobs > 1 ? LARGE : 1,
		.hand_on = hand_on,
		.opaque = s,
	};
	touches_init(&s->finder, &s->shared->accesses);
}

static int start(void *self, const struct analysis *run)
{
	const struct options *o = run->options;
	struct slo *s = self;

	s->shared = run->shared;
	s->n_threads = tf_n_threads(run->reader);
	s->threads = checked_array(s->n_threads, sizeof(*s->threads));
	s->names.mangled = o->mangled;
	contexts_init(&s->contexts);
	s->groups.n_caches = o->n_caches;
	for (unsigned i = 0; i < o->n_caches; i++)
		s->groups.caches[i] = o->caches[i] / o->block_size;
	s->setup = (struct reuses_setup){
		.reader = run->reader,
		.code = &s->shared->code,
		.first_insn = s->shared->first_insn,
		.contexts = &s->contexts,
		.groups = &s->groups,
		.shift = __builtin_ctzll(o->block_size),
		.shortest = o->shortest == UINT64_MAX ? s->groups.caches[0] : o->shortest,
	};
	if (o->data) {
		slo_data_init(&s->data, run->reader, &s->names, run->partial);
		s->setup.data = &s->data;
	}
	start_finder(s, run->jobs);
	return 0;
}

static int blocks(void *self, const struct tf_item *item)
{
	struct slo *s = self;

	s->instructions += item->instructions;
	touches_feed(&s->finder, item);
	return 0;
}

static int event(void *self, const struct tf_event *e)
{
	struct slo *s = self;

	touches_event(&s->finder, e);
	return 0;
}

static void end_threads(struct slo *s)
{
	for (uint32_t thread = 0; thread < s->n_threads; thread++)
		end_thread(s, thread);
}

/* Handles all that was fed. */
static void finish_reuses(struct slo *s)
{
	touches_finish(&s->finder);
	if (s->workers)
		workers_finish(s->workers);
	end_threads(s);
}

static void stop(void *self)
{
	struct slo *s = self;

	workers_free(s->workers);
	touches_free(&s->finder);
	free(s->batches);
	end_threads(s);
	free(s->threads);
	if (s->setup.data)
		slo_data_free(&s->data);
	symbol_names_free(&s->names);
	contexts_free(&s->contexts);
	slo_groups_free(&s->groups);
}

/* ---- results ----------------------------------------------------------------------------- */

static void report_facts(const struct slo *s, const struct slo_advice *advice, struct report *r)
{
	report_u64(r, "instructions", "", s->instructions);
	report_u64(r, "touches", "", s->touches);
	report_u64(r, "cold_by_thread", "", s->cold);
	report_remark(r, "first touches of blocks by each thread, summed over all threads");
	report_u64(r, "min_distance", "blocks", s->setup.shortest);
	report_u64(r, "reuses", "", s->wanted);
	report_u64(r, "lost_cycles", "", advice->lost);
	report_u64(r, "refactorings_found", "", advice->refactorings.count);
	report_u64(r, "refactorings_hidden", "", advice->refactorings.count - advice->n_shown);
	if (advice->refactorings.count > advice->n_shown)
		report_remark(r, "below 0.1 % of the lost cycles, or in the C library; "
				 "--all shows them");
}

static int write_html(struct slo *s, const struct analysis *run, const struct slo_advice *advice,
		      const struct slo_places *places)
{
	const struct options *o = run->options;
	struct shared *shared = run->shared;
	struct save_file *file = shared->html;
	const struct slo_html html = {
		.trace = run->path,
		.command = tf_meta(run->reader, "command.argv"),
		.complete = run->info.complete,
		.instructions = s->instructions,
		.touches = s->touches,
		.cold = s->cold,
		.reuses = s->wanted,
		.shortest = s->setup.shortest,
		.block_size = o->block_size,
		.cycles = o->cycles,
		.top = o->top < advice->n_shown ? o->top : advice->n_shown,
		.groups = &s->groups,
		.advice = advice,
		.places = places,
		.path = o->html,
		.roots = &shared->roots,
	};

	shared->html = NULL;
	return slo_html_write(file, &html);
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	const struct options *o = run->options;
	struct slo *s = self;
	struct slo_places places = {
		.code = &s->shared->code,
		.lines = lines_open(run->reader),
		.names = &s->names,
		.first_insn = s->shared->first_insn,
	};
	struct slo_advisor advisor = { &s->groups, &places, s->setup.data, o->cycles };
	struct slo_advice advice;
	int status = 0;

	finish_reuses(s);
	if (s->folded)
		command_note("%s: calls are nested too deeply or in too many ways: the levels of "
			     "recursive calls, or the innermost calls, are not distinguished",
			     shown_name(run->path));
	slo_advice_init(&advice, &advisor);
	if (!o->all)
		slo_advice_hide(&advice, &places);
	report_facts(s, &advice, r);
	slo_report_refactorings(r, &advice, o->top);
	slo_report_places(r, &advice, o->top);
	slo_report_references(r, &advice, o->top);
	if (o->data)
		slo_report_data(r, &advice, o->top);
	if (o->misses)
		slo_report_misses(r, &advice, &s->groups, o->block_size, o->top);
	if (o->histogram)
		slo_report_histogram(r, &advice, o->top);
	if (s->shared->html)
		status = write_html(s, run, &advice, &places);
	slo_advice_free(&advice);
	lines_close(places.lines);
	return status;
}

static const struct analyzer slo = {
	.name = "trace-slo",
	.summary = "suggest loops and calls to change for better locality, by source line",
	.example = "trace-slo --cache-size=48Ki,2Mi --miss-cycles=10,60 sort.trace",
	.columns = TF_ADDRESSES,
	.unordered = true,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.follows_calls = true,
	.state_size = sizeof(struct slo),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.event = event,
	.report = report,
};
ANALYZER_MAIN(slo)
