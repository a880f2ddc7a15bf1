/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/anonymise.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cli/anonymise/make_map.h"
#include "cli/anonymise/report.h"
#include "cli/anonymise/samples.h"
#include "cli/anonymise/stream.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/memory_watch.h"
#include "cli/common/output_trace.h"
#include "cli/common/trace_input.h"
#include "cli/common/trace_meta.h"
#include "cli/common/unfinished.h"

enum { MOST_JOBS = 64 };

/* All parts of one run. */
struct run {
	const struct request *request;
	struct tf_reader *reader;
	struct tf_info info;
	struct levels levels; /* of the new trace */
	struct keys keys;
	struct paths paths;
	struct use use;
	struct address_map map;
	struct map_lookup lookup;
	struct names names;
	struct dictionary dictionary;
	struct event_rules rules;
	struct meta_settings settings;
	unsigned jobs;
	uint64_t bytes;
	struct tf_error error;
};

/* ---- the trace as it is ------------------------------------------------------------------ */

static int unsuitable(const char *path, const char *why)
{
	command_error("%s: %s", path, why);
	return EXIT_UNSUITABLE;
}

static bool has_all_records(const struct tf_reader *r)
{
	for (uint32_t i = 0; i < tf_n_processes(r); i++)
		if (!tf_process(r, i))
			return false;
	for (uint32_t i = 0; i < tf_n_threads(r); i++)
		if (!tf_thread(r, i) || tf_thread(r, i)->process >= tf_n_processes(r))
			return false;
	return true;
}

/* Returns an exit code, after a message. */
static int check_trace(const struct run *run)
{
	const char *path = run->request->from;

	if (run->info.n_vectors || run->info.n_intervals)
		return unsuitable(path, "has basic block vectors instead of executions; share the "
					"vectors that trace-bbv writes");
	if (!run->info.complete || !has_all_records(run->reader)) {
		command_error("%s: is unfinished or damaged; repair it first with trace-repair",
			      path);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int open_trace(struct run *run)
{
	const char *path = run->request->from;
	int status = open_trace_input(path, TRACE_WHOLE, &run->reader, &run->error);

	memory_watch_input(path);
	if (status == 0)
		status = tf_get_info(run->reader, &run->info, &run->error);
	if (status == 0)
		status = tf_load(run->reader, &run->error);
	if (status == 0)
		status = tf_get_info(run->reader, &run->info, &run->error);
	return status;
}

/* ---- the first pass ---------------------------------------------------------------------- */

static void add_run(page_runs *runs, uint64_t start, uint64_t size)
{
	uint64_t last = start + size - 1;

	if (!size)
		return;
	CHECKED_RESERVE(*runs, runs->count + 1);
	runs->at[runs->count++] = (struct page_run){
		start >> PAGE_BITS, (last < start ? UINT64_MAX : last) >> PAGE_BITS
	};
}

/* A module that is loaded in a process: the pages from its first mapping to its last one. */
struct loaded_module {
	struct {
		uint64_t process, module;
	} key;
	uint64_t first, last; /* pages */
	bool is_loaded;
};

/* Returns the mapping before if mapping i is the part of its module that no file has, or NULL. */
static const struct tf_mapping *before_bss(const struct tf_reader *reader, uint32_t i)
{
	const struct tf_mapping *m = tf_mapping(reader, i);
	const struct tf_mapping *before = i ? tf_mapping(reader, i - 1) : NULL;

	return before && before->change == TF_MAP && before->module != TF_NONE &&
			       m->module == TF_NONE && !*m->name && m->process == before->process &&
			       m->start == before->start + before->size
		       ? before
		       : NULL;
}

static void add_mapped(struct run *run, struct ranges *ranges)
{
	HASH_TABLE(struct loaded_module) loaded = { 0 };

	for (uint32_t i = 0; i < tf_n_mappings(run->reader); i++) {
		const struct tf_mapping *m = tf_mapping(run->reader, i);
		const struct tf_mapping *before;
		struct loaded_module *module;
		size_t n = ranges->fixed.count;

		if (!m || !run->use.mappings[i] || m->change != TF_MAP)
			continue;
		before = before_bss(run->reader, i);
		if (before) {
			add_run(&ranges->fixed, m->start, m->size);
			add_run(&ranges->modules, before->start, before->size + m->size);
			continue;
		}
		add_run(m->module == TF_NONE ? &ranges->mapped : &ranges->fixed, m->start, m->size);
		if (m->module == TF_NONE || ranges->fixed.count == n)
			continue;
		module = checked(TABLE_PUT(loaded, { m->process, m->module }));
		/* A loader maps a module's beginning first. */
		if (module->is_loaded && m->file_offset) {
			struct page_run *new = &ranges->fixed.at[n];

			module->first = new->first < module->first ? new->first : module->first;
			module->last = new->last > module->last ? new->last : module->last;
			add_run(&ranges->modules, module->first << PAGE_BITS,
				(module->last - module->first + 1) << PAGE_BITS);
		} else {
			module->first = ranges->fixed.at[n].first;
			module->last = ranges->fixed.at[n].last;
			module->is_loaded = true;
		}
	}
	TABLE_FREE(loaded);
}

/* Makes the map of addresses. Returns an exit code, after a message. */
static int make_map(struct run *run)
{
	const struct request *q = run->request;
	unsigned level = run->request->levels.at[SWITCH_ADDRESSES];
	const struct map_options options = {
		.granule = q->granule,
		.glue = q->glue,
		.colour_bits = (unsigned)q->colour_bits,
		.shuffle = q->levels.at[SWITCH_ORDER] == ORDER_SHUFFLE,
		.by_pages = level == ADDRESSES_PAGES,
		.identity = level == ADDRESSES_KEEP,
		.file = q->map_file,
	};
	struct ranges ranges = { .touched = &run->use.touched };
	int status;

	for (uint32_t i = 0; i < tf_n_blocks(run->reader); i++)
		if (run->dictionary.layouts[i].block)
			add_run(&ranges.fixed, run->dictionary.layouts[i].block->pc,
				run->dictionary.layouts[i].block->code_size);
	add_mapped(run, &ranges);
	status = address_map_make(&run->map, &ranges, &options, &run->keys);
	free(ranges.fixed.at);
	free(ranges.mapped.at);
	free(ranges.modules.at);
	map_lookup_begin(&run->lookup, &run->map);
	return status;
}

static int find_use(struct run *run)
{
	const struct request *q = run->request;
	bool without_values = run->levels.at[SWITCH_ADDRESSES] == ADDRESSES_DROP;
	int status;

	paths_begin(&run->paths, run->reader);
	status = use_find(run->reader, &run->paths, without_values, run->jobs, &run->use,
			  &run->error);
	if (status == 0 && q->levels.at[SWITCH_SAMPLES] == SAMPLES_KEEP)
		status = samples_use(run->reader, &run->use, &run->error);
	return status;
}

static void begin_dictionary(struct run *run)
{
	const struct request *q = run->request;

	run->map.identity = q->levels.at[SWITCH_ADDRESSES] == ADDRESSES_KEEP;
	run->map.by_pages = q->levels.at[SWITCH_ADDRESSES] == ADDRESSES_PAGES;
	run->names = (struct names){
		.keys = &run->keys,
		.level = (enum names_level)run->levels.at[SWITCH_NAMES],
		.publics = &q->publics,
		.was_hashed = tf_meta(run->reader, "anonymised.names") != NULL,
	};
	run->dictionary = (struct dictionary){
		.reader = run->reader,
		.levels = &run->levels,
		.use = &run->use,
		.map = &run->map,
		.lookup = &run->lookup,
		.paths = &run->paths,
		.names = &run->names,
		.vendor = recorded_vendor(run->reader),
		.glue = q->glue,
		.no_addresses = run->levels.at[SWITCH_ADDRESSES] == ADDRESSES_DROP,
		.no_extras = run->levels.at[SWITCH_EXTRAS] == EXTRAS_DROP,
		.keeps_bad_code = q->keep_undecodable,
	};
	run->settings = (struct meta_settings){
		.levels = run->levels,
		.granule = q->granule,
		.publics = &q->publics,
		.kept = &q->kept_meta,
	};
}

/* ---- the new trace ----------------------------------------------------------------------- */

static int add_dictionary(struct run *run)
{
	struct dictionary *d = &run->dictionary;
	int status = dictionary_add_modules(d, &run->error);

	if (status == 0)
		status = dictionary_add_names(d, &run->error);
	if (status == 0)
		status = dictionary_add_mappings(d, &run->error);
	if (status == 0)
		status = dictionary_add_blocks(d, &run->error);
	if (status == 0 && d->writer)
		status = dictionary_add_paths(d, &run->error);
	return status;
}

static int write_streams(struct run *run)
{
	struct progress progress;
	int status;

	event_rules_begin(&run->rules, &run->dictionary, run->request->keep_arguments);
	progress_begin(&progress, "writing", run->info.totals.instructions, run->request->quiet);
	status = streams_write(&run->dictionary, &run->rules, run->jobs, &progress, &run->error);
	progress_end(&progress);
	if (status == 0 && run->info.n_threads > 1)
		status = schedule_write(run->reader, run->dictionary.writer, &run->error);
	if (status == 0 && run->request->levels.at[SWITCH_SAMPLES] == SAMPLES_KEEP)
		status = samples_write(&run->dictionary, &run->rules, &run->error);
	return status;
}

static bool has_same_executions(const struct tf_totals *a, const struct tf_totals *b)
{
	return a->instructions == b->instructions && a->opaque == b->opaque &&
	       a->blocks - a->paths == b->blocks - b->paths;
}

static bool has_same_accesses(const struct tf_totals *a, const struct tf_totals *b)
{
	return a->loads == b->loads && a->stores == b->stores && a->prefetches == b->prefetches &&
	       a->repetitions == b->repetitions;
}

/* Checks that nothing is lost: both traces must have the same totals. */
static int compare_totals(struct run *run)
{
	const struct tf_totals *old = &run->info.totals;
	struct tf_totals new;

	tf_writer_totals(run->dictionary.writer, &new);
	if (has_same_executions(&new, old) &&
	    (run->dictionary.no_extras || has_same_accesses(&new, old)))
		return 0;
	snprintf(run->error.text, sizeof(run->error.text),
		 "%s: its totals do not hold; repair it first, with trace-repair",
		 run->request->from);
	return run->error.status = TF_E_DAMAGED;
}

static int write_contents(struct run *run)
{
	struct tf_writer *writer = run->dictionary.writer;
	int status = meta_write(run->reader, writer, &run->settings, &run->error);

	if (status == 0)
		status = add_dictionary(run);
	if (status == 0)
		status = write_streams(run);
	if (status == 0)
		status = compare_totals(run);
	if (status == 0)
		status = tf_writer_finish(writer,
					  shown_wait_status(&run->levels, run->info.wait_status),
					  known_stop_reason(run->info.stop_reason), &run->error);
	run->bytes = tf_writer_size(writer);
	return status;
}

static int write_trace(struct run *run)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = UINT64_MAX,
		.no_addresses = run->dictionary.no_addresses,
		.code_withheld = run->levels.at[SWITCH_CODE] >= CODE_FACTS,
		.order_exact = run->info.order_exact,
		.threads = run->jobs > 1 ? run->jobs : 0,
	};
	struct unfinished *made;
	uint8_t uuid[16];
	int status;

	make_uuid(&run->keys, run->info.uuid, &run->settings, uuid);
	options.uuid = uuid;
	made = unfinished_file(run->request->to);
	status = tf_writer_create(run->request->to, &options, &run->dictionary.writer, &run->error);
	if (status == 0)
		status = write_contents(run);
	tf_writer_free(run->dictionary.writer);
	if (status < 0)
		unfinished_drop(made);
	else
		unfinished_end(made);
	return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

static unsigned count_jobs(const struct request *q)
{
	uint64_t jobs = q->jobs ? q->jobs : job_cores();

	return jobs < MOST_JOBS ? (unsigned)jobs : MOST_JOBS;
}

static int failed(const struct run *run)
{
	command_error("%s", run->error.text);
	return EXIT_FAILED;
}

static void put_report(struct run *run)
{
	const struct outcome outcome = {
		.reader = run->reader,
		.dictionary = &run->dictionary,
		.rules = &run->rules,
		.settings = &run->settings,
		.before = &run->info,
		.bytes = run->bytes,
	};

	if (!run->request->quiet || run->request->audit)
		report_outcome(run->request, &outcome);
}

/* Reads the trace. Returns an exit code, after a message. */
static int read_trace(struct run *run)
{
	int status;

	if (open_trace(run) < 0)
		return failed(run);
	status = check_trace(run);
	if (status != EXIT_DONE)
		return status;
	run->levels = levels_after(run->reader, &run->request->levels);
	if (!run->info.has_addresses)
		run->levels.at[SWITCH_ADDRESSES] = ADDRESSES_DROP;
	if (run->levels.at[SWITCH_ADDRESSES] != ADDRESSES_DROP)
		run->levels.at[SWITCH_EXTRAS] = EXTRAS_KEEP;
	if (run->info.code_withheld && run->levels.at[SWITCH_CODE] < CODE_FACTS)
		run->levels.at[SWITCH_CODE] = CODE_FACTS;
	begin_dictionary(run);
	if (find_use(run) < 0)
		return failed(run);
	return EXIT_DONE;
}

static void warn_of_unused_patterns(const struct run *run)
{
	const struct public_modules *publics = &run->request->publics;

	for (unsigned k = 0; k < publics->count; k++) {
		const struct public_modules one = { .patterns = { publics->patterns[k] },
						    .count = 1 };
		bool used = false;

		for (uint32_t i = 0; i < tf_n_modules(run->reader); i++)
			used |= is_public_module(&one, tf_module(run->reader, i)->path);
		if (!used)
			command_warning("--public=%s: no module of %s has such a path; the report "
					"lists the modules",
					publics->patterns[k], run->request->from);
	}
}

static int make(struct run *run)
{
	int status = read_trace(run);

	if (status != EXIT_DONE)
		return status;
	warn_of_unused_patterns(run);
	if (dictionary_begin(&run->dictionary, &run->error) < 0)
		return failed(run);
	status = make_map(run);
	if (status != EXIT_DONE)
		return status;
	if ((run->request->audit ? add_dictionary(run) : write_trace(run)) < 0)
		return failed(run);
	put_report(run);
	return EXIT_DONE;
}

int anonymise(const struct request *request)
{
	struct run *run = checked_array(1, sizeof(*run));
	int status;

	run->request = request;
	run->jobs = count_jobs(request);
	status = keys_load(request->key_file, &run->keys);
	if (status == EXIT_DONE)
		status = make(run);
	event_rules_free(&run->rules);
	dictionary_end(&run->dictionary);
	address_map_free(&run->map);
	use_free(&run->use);
	paths_free(&run->paths);
	names_free(&run->names);
	tf_close(run->reader);
	explicit_bzero(&run->keys, sizeof(run->keys));
	free(run);
	return status;
}
