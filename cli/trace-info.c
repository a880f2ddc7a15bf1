/* SPDX-License-Identifier: MIT */
/*
 * trace-info - shows the contents of a trace, and the space that they take.
 *
 * Without options it reads only the header, the index, END and META, so it takes the same time for
 * any size of a finished trace; basic block vectors are added up. Options request tables that need
 * more.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/common/checked.h"
#include "cli/common/columns.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/loss.h"
#include "cli/common/memory_watch.h"
#include "cli/common/names.h"
#include "cli/common/option_parsers.h"
#include "cli/common/report_tables.h"
#include "cli/common/samples.h"
#include "cli/common/trace_input.h"
#include "cli/common/trace_meta.h"
#include "cli/info/manifest.h"
#include "traceformat/traceformat.h"
#include "traceformat/tracesamples.h"

struct options {
	bool sections, columns, threads, modules, regions, samples, meta, manifest;
	enum report_format format;
	struct table_options tables;
};

#define AT(member)        offsetof(struct options, member)
#define AT_TABLES(member) AT(tables.member)

static const struct command_option options_table[] = {
	{ "sections", 0, NULL, "all totals, and the bytes of each kind of section", option_flag,
	  AT(sections) },
	{ "columns", 0, NULL, "the bytes of the chunks, by column", option_flag, AT(columns) },
	{ "threads", 't', NULL, "list processes and threads, with totals", option_flag,
	  AT(threads) },
	{ "modules", 'm', NULL, "list executables and libraries, with build-ids", option_flag,
	  AT(modules) },
	{ "regions", 'r', NULL, "list the recorded parts, thread by thread", option_flag,
	  AT(regions) },
	{ "samples", 's', NULL, "list samplers, with numbers of samples", option_flag,
	  AT(samples) },
	{ "meta", 0, NULL, "list all information of the recorder, by key", option_flag, AT(meta) },
	{ "manifest", 0, NULL, "list the files of a folder, or given files, to publish",
	  option_flag, AT(manifest) },
	{ "format", 0, "FMT", "text (default), json or csv", option_format, AT(format) },
	TABLE_OPTIONS(AT_TABLES),
	COMMAND_OPTIONS,
};

static const struct command trace_info = {
	.name = "trace-info",
	.usage = "[options] TRACE...\n--manifest FOLDER|FILE...\n",
	.summary = "Show the command, the totals and the circumstances of a recording.\n"
		   "TRACE may be - for standard input.",
	.options = options_table,
	.notes = "Exit status: 0 done, also for an unfinished trace; 1 failure; 2 usage.",
	.example = "trace-info --columns ls.trace",
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- what was recorded ------------------------------------------------------------------- */

/* Facts that a recorder may have stored (FORMAT.md 3.1). */
static const struct {
	const char *name, *key;
} meta_facts[] = {
	{ "program", "exe.path" },
	{ "program_build_id", "exe.build-id" },
	{ "host_cpu", "host.cpu.model" },
	{ "host_kernel", "host.kernel" },
	{ "recorder", "recorder.version" },
	{ "recorder_backend", "recorder.backend" },
	{ "recorder_options", "recorder.options" },
	{ "not_repeatable", "not-repeatable" },
	{ "joined_traces", "join.parts" },
	{ "filter", "filter.options" },
	{ "filtered_from", "filter.parent" },
	{ "removed_instructions", "filter.removed.instructions" },
	{ "removed_loads", "filter.removed.loads" },
	{ "removed_stores", "filter.removed.stores" },
};

static void put_created(struct report *report, uint64_t created_ns)
{
	time_t seconds = (time_t)(created_ns / 1000000000);
	struct tm utc;
	char text[64];

	if (!created_ns || !gmtime_r(&seconds, &utc) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		report_string(report, "created", NULL);
	else
		report_string(report, "created", text);
}

static void put_ending(struct report *report, const struct tf_info *info)
{
	int status = info->wait_status;

	report_string(report, "stop_reason", *info->stop_reason ? info->stop_reason : NULL);
	if (WIFEXITED(status)) {
		report_u64(report, "exit_status", "", (uint64_t)WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		const char *name = signal_name((uint32_t)WTERMSIG(status));

		report_u64(report, "exit_signal", name ? name : "", (uint64_t)WTERMSIG(status));
	}
}

/* Reports the programs that replaced the first one, and the programs of other processes. The
 * recorder stores some of them as "PID COMMAND". */
static void put_programs(struct report *report, struct tf_reader *reader)
{
	static const struct report_column columns[] = {
		{ "pid", REPORT_ID, "" },
		{ "command", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	const char *value;
	char key[32];

	for (unsigned i = 1; sprintf(key, "exec.%u", i), (value = tf_meta(reader, key)); i++) {
		char *command;
		uint64_t pid = strtoull(value, &command, 10);

		if (i == 1)
			report_table(report, "then_executed", columns);
		report_row(report, pid, command + strspn(command, " "));
	}
}

static void put_size(struct report *report, const struct tf_info *info)
{
	report_u64(report, "bytes", "", info->file_size);
	if (info->totals.instructions)
		report_f64(report, "bytes_per_instruction", "",
			   (double)info->file_size / (double)info->totals.instructions);
}

/* Reports how many of a slice's instructions are its warm-up, if it has one. */
static void put_warmup(struct report *report, struct tf_reader *reader)
{
	const char *text = tf_meta(reader, "slice.warmup");
	uint64_t warmup = text ? strtoull(text, NULL, 10) : 0;

	if (warmup)
		report_u64(report, "warmup", "instructions", warmup);
}

/* The totals of basic block vectors. */
struct vector_totals {
	uint64_t intervals, instructions, filtered;
};

/* Adds up the vectors that can be read. Returns 0, or the first error. */
static int add_vectors(struct tf_reader *reader, struct vector_totals *totals,
		       struct tf_error *error)
{
	struct tf_vectors *vectors;
	struct tf_vector vector;
	int status = tf_vectors_open(reader, &vectors, error), next;

	if (status < 0)
		return status;
	while ((next = tf_vectors_head(vectors, &vector, status < 0 ? NULL : error)) != 0) {
		if (next > 0) {
			totals->intervals = vector.interval + 1;
			totals->instructions += vector.instructions;
		} else if (status == 0) {
			status = next;
		}
	}
	tf_vectors_close(vectors);
	return status;
}

/*
 * Takes the filtered instructions up to the end of the last interval that can be read. Returns 0,
 * or the first error.
 */
static int add_intervals(struct tf_reader *reader, struct vector_totals *totals,
			 struct tf_error *error)
{
	struct tf_intervals *intervals;
	struct tf_interval interval;
	int status = tf_intervals_open(reader, false, &intervals, error);

	if (status < 0)
		return status;
	while ((status = tf_intervals_next(intervals, &interval, error)) > 0)
		totals->filtered = interval.filtered;
	tf_intervals_close(intervals);
	return status;
}

static void put_number_of_meta(struct report *report, struct tf_reader *reader, const char *name,
			       const char *key)
{
	const char *value = tf_meta(reader, key);

	if (value)
		report_u64(report, name, "instructions", strtoull(value, NULL, 10));
}

/* Reports the basic block vectors; returns an error if META has other totals, too. */
static int put_vectors(struct report *report, struct tf_reader *reader, const struct tf_info *info,
		       struct tf_error *error)
{
	struct vector_totals totals = { 0 };
	int status;

	if (!info->n_vectors)
		return 0;
	status = add_vectors(reader, &totals, error);
	if (totals.intervals < info->n_intervals) /* all vectors of the last one are lost */
		totals.intervals = info->n_intervals;
	report_u64(report, "vector_intervals", "", totals.intervals);
	put_number_of_meta(report, reader, "vector_interval_size", "vectors.interval");
	report_u64(report, "vector_instructions", "", totals.instructions);
	if (info->n_intervals && status == 0)
		status = add_intervals(reader, &totals, error);
	if (info->n_intervals)
		report_u64(report, "vector_filtered", "instructions", totals.filtered);
	if (tf_meta(reader, "vectors.excluded"))
		report_string(report, "vector_excluded", tf_meta(reader, "vectors.excluded"));
	return status;
}

/* Reports the totals that most readers need. */
static int put_totals(struct report *report, struct tf_reader *reader, const struct tf_info *info,
		      struct tf_error *error)
{
	int status;

	report_u64(report, "instructions", "", info->totals.instructions);
	put_warmup(report, reader);
	report_u64(report, "loads", "", info->totals.loads);
	report_u64(report, "stores", "", info->totals.stores);
	report_u64(report, "processes", "", info->n_processes);
	report_u64(report, "threads", "", info->n_threads);
	report_u64(report, "events", "", info->totals.events);
	if (info->n_samples)
		report_u64(report, "sample_records", "", info->n_samples);
	status = put_vectors(report, reader, info, error);
	put_size(report, info);
	report_bool(report, "complete", info->complete && status == 0);
	put_ending(report, info);
	return status;
}

static void put_other_totals(struct report *report, const struct tf_info *info)
{
	const struct tf_totals *totals = &info->totals;

	report_u64(report, "prefetches", "", totals->prefetches);
	report_u64(report, "repetitions", "", totals->repetitions);
	report_u64(report, "opaque", "", totals->opaque);
	report_u64(report, "blocks_executed", "", totals->blocks);
	report_u64(report, "paths_executed", "", totals->paths);
	report_u64(report, "modules", "", info->n_modules);
	report_u64(report, "chunks", "", info->n_chunks);
	report_u64(report, "sections", "", info->n_sections);
}

static void put_losses(struct report *report, const struct tf_info *info)
{
	report_u64(report, "sections_lost", "", info->n_sections_lost);
	report_u64(report, "bytes_lost", "", info->bytes_lost);
}

static void put_origin(struct report *report, struct tf_reader *reader, const char *path,
		       const struct tf_info *info)
{
	char version[16], uuid[UUID_TEXT];

	report_string(report, "file", path);
	sprintf(version, "%u.%u", info->major, info->minor);
	report_string(report, "format", version);
	report_string(report, "uuid", uuid_text(info->uuid, uuid));
	put_created(report, info->created_ns);
	for (size_t i = 0; i < sizeof(meta_facts) / sizeof(meta_facts[0]); i++) {
		const char *value = tf_meta(reader, meta_facts[i].key);

		if (value)
			report_string(report, meta_facts[i].name, value);
	}
	report_bool(report, "addresses", info->has_addresses);
	if (info->code_withheld)
		report_string(report, "code", "withheld");
	report_string(report, "thread_order",
		      info->order_exact || info->n_threads <= 1 ? "exact" : "approximate");
}

static int put_facts(struct report *report, struct tf_reader *reader, const char *path,
		     const struct tf_info *info, bool all, struct tf_error *error)
{
	const char *command = tf_meta(reader, "command.argv");
	int status;

	if (command)
		report_string(report, "command", command);
	put_programs(report, reader);
	status = put_totals(report, reader, info, error);
	if (all)
		put_other_totals(report, info);
	if (all || info->n_sections_lost || info->bytes_lost)
		put_losses(report, info);
	put_origin(report, reader, path, info);
	return status;
}

/* ---- where the bytes go ------------------------------------------------------------------ */

struct usage {
	uint64_t count, stored, raw;
};

/*
 * Reports sizes by section kind, in the order of the kinds' numbers; the rest is headers and the
 * index.
 */
static void put_sections(struct report *report, struct tf_reader *reader,
			 const struct tf_info *info)
{
	enum { KINDS = 1 << 16 };
	static const struct report_column columns[] = {
		{ "kind", REPORT_STRING, "" },
		{ "sections", REPORT_U64, "" },
		{ "stored", REPORT_U64, "bytes" },
		{ "share", REPORT_F64, "%" },
		{ "bytes_per_instruction", REPORT_F64, "" },
		{ NULL, 0, NULL },
	};
	struct usage *kinds = checked_array(KINDS, sizeof(*kinds));
	struct tf_section_info section;
	uint64_t rest = info->file_size;
	double instructions = (double)info->totals.instructions;

	for (uint32_t i = 0; tf_section(reader, i, &section); i++) {
		kinds[section.kind].count++;
		kinds[section.kind].stored += section.stored_size;
		rest -= section.stored_size < rest ? section.stored_size : rest;
	}
	rest -= info->bytes_lost < rest ? info->bytes_lost : rest;
	report_table(report, "section_kinds", columns);
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (kinds[kind].count)
			report_row(report, tf_section_kind_name((uint16_t)kind), kinds[kind].count,
				   kinds[kind].stored, percent(kinds[kind].stored, info->file_size),
				   (double)kinds[kind].stored / instructions);
	report_row(report, "(framing)", (uint64_t)0, rest, percent(rest, info->file_size),
		   (double)rest / instructions);
	if (info->bytes_lost)
		report_row(report, "(lost)", (uint64_t)info->n_sections_lost, info->bytes_lost,
			   percent(info->bytes_lost, info->file_size),
			   (double)info->bytes_lost / instructions);
	free(kinds);
}

static int put_columns(struct report *report, struct tf_reader *reader, const struct tf_info *info,
		       struct tf_error *error)
{
	static const struct report_column columns[] = {
		{ "column", REPORT_STRING, "" },
		{ "chunks", REPORT_U64, "" },
		{ "stored", REPORT_U64, "bytes" },
		{ "raw", REPORT_U64, "bytes" },
		{ "share", REPORT_F64, "%" },
		{ "bytes_per_instruction", REPORT_F64, "" },
		{ NULL, 0, NULL },
	};
	double instructions = (double)info->totals.instructions;
	struct columns sums;
	int status = columns_sum(reader, &sums, error);

	if (status < 0)
		return status;
	report_table(report, "columns", columns);
	for (size_t i = 0; i < sums.count; i++) {
		const struct column_usage *c = &sums.columns[i];

		report_row(report, tf_column_name(c->id), c->chunks, c->stored, c->raw,
			   percent(c->stored, info->file_size), (double)c->stored / instructions);
	}
	report_row(report, "(framing)", (uint64_t)0, sums.rest, sums.rest,
		   percent(sums.rest, info->file_size), (double)sums.rest / instructions);
	free(sums.columns);
	return 0;
}

/* ---- lists ------------------------------------------------------------------------------- */

static int put_threads(struct report *report, struct tf_reader *reader, struct tf_error *error)
{
	static const struct report_column process_columns[] = {
		{ "process", REPORT_ID, "" },
		{ "pid", REPORT_ID, "" },
		{ "parent", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column thread_columns[] = {
		{ "thread", REPORT_ID, "" },  { "process", REPORT_ID, "" },
		{ "tid", REPORT_ID, "" },     { "instructions", REPORT_U64, "" },
		{ "loads", REPORT_U64, "" },  { "stores", REPORT_U64, "" },
		{ "events", REPORT_U64, "" }, { NULL, 0, NULL },
	};

	report_table(report, "process_list", process_columns);
	for (uint32_t i = 0; i < tf_n_processes(reader); i++) {
		const struct tf_process *process = tf_process(reader, i);
		char parent[16];

		if (!process)
			continue;
		sprintf(parent, "%" PRIu32, process->parent);
		report_row(report, (uint64_t)i, (uint64_t)process->pid,
			   process->parent == TF_NONE ? NULL : parent);
	}
	report_table(report, "thread_list", thread_columns);
	for (uint32_t i = 0; i < tf_n_threads(reader); i++) {
		const struct tf_thread *thread = tf_thread(reader, i);
		struct tf_totals totals;
		int status;

		if (!thread)
			continue;
		status = tf_get_thread_totals(reader, i, &totals, error);
		if (status < 0)
			return status;
		report_row_of_cells(report, (struct report_cell[]){
						    { .known = true, .u64 = i },
						    { .known = thread->process != TF_NONE,
						      .u64 = thread->process },
						    { .known = true, .u64 = thread->tid },
						    { .known = true, .u64 = totals.instructions },
						    { .known = true, .u64 = totals.loads },
						    { .known = true, .u64 = totals.stores },
						    { .known = true, .u64 = totals.events },
					    });
	}
	return 0;
}

static void put_modules(struct report *report, const struct tf_reader *reader)
{
	static const struct report_column columns[] = {
		{ "module", REPORT_U64, "" },
		{ "kind", REPORT_STRING, "" },
		{ "size", REPORT_U64, "bytes" },
		{ "symbols", REPORT_U64, "" },
		{ "build_id", REPORT_STRING, "" },
		{ "path", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const char *const kinds[] = {
		[TF_MODULE_FILE] = "file", [TF_MODULE_VDSO] = "vdso", [TF_MODULE_JIT] = "jit"
	};

	report_table(report, "module_list", columns);
	for (uint32_t i = 0; i < tf_n_modules(reader); i++) {
		const struct tf_module *module = tf_module(reader, i);

		if (!module)
			continue;

		char build_id[2 * sizeof(module->build_id) + 1] = "";
		size_t symbols = 0;

		for (size_t j = 0; j < module->build_id_size; j++)
			sprintf(build_id + 2 * j, "%02x", module->build_id[j]);
		tf_symbols(reader, i, &symbols);
		report_row(report, (uint64_t)i,
			   module->kind <= TF_MODULE_JIT ? kinds[module->kind] : NULL,
			   module->file_size, (uint64_t)symbols, *build_id ? build_id : NULL,
			   module->path);
	}
}

static void put_meta(struct report *report, struct tf_reader *reader)
{
	static const struct report_column columns[] = {
		{ "key", REPORT_STRING, "" },
		{ "value", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	const char *key, *value;

	report_table(report, "meta", columns);
	for (size_t i = 0; (key = tf_meta_at(reader, i, &value)); i++)
		report_row(report, key, value);
}

/* ---- regions ----------------------------------------------------------------------------- */

/* A position of a thread, in the trace and in its whole execution. */
struct position {
	uint64_t ordinal;
	uint64_t skipped; /* instructions in the gaps before this position */
	bool is_counted;  /* false: a gap does not have the number of its instructions */
};

/* The regions of the thread that is being read, and where each open one began. */
struct inside {
	struct stretch {
		bool is_open;
		struct position began;
	} * stretches; /* by region */
	uint32_t count;
};

static void put_stretch(struct report *report, struct tf_reader *reader, uint32_t thread,
			uint32_t region, const struct position *began, uint64_t end)
{
	report_row_of_cells(report, (struct report_cell[]){
					    { .known = true, .u64 = thread },
					    { .known = tf_region(reader, region),
					      .string = tf_region(reader, region)
								? tf_region(reader, region)->name
								: NULL },
					    { .known = true, .u64 = began->ordinal },
					    { .known = began->is_counted,
					      .u64 = began->ordinal + began->skipped },
					    { .known = true, .u64 = end - began->ordinal },
				    });
}

static void follow_regions(struct report *report, struct tf_reader *reader, struct inside *in,
			   struct position *position, const struct tf_item *item)
{
	const struct tf_event *event = item->event;

	position->ordinal = item->ordinal;
	if (event->kind == TF_EVENT_GAP) {
		position->skipped += event->gap.instructions;
		position->is_counted &= event->gap.instructions != 0;
	}
	if (event->kind != TF_EVENT_REGION_BEGIN && event->kind != TF_EVENT_REGION_END)
		return;
	if (event->region.index >= in->count)
		return;
	struct stretch *stretch = &in->stretches[event->region.index];

	if (stretch->is_open)
		put_stretch(report, reader, item->thread, event->region.index, &stretch->began,
			    item->ordinal);
	stretch->is_open = event->kind == TF_EVENT_REGION_BEGIN;
	stretch->began = *position;
}

static int put_regions_of_thread(struct report *report, struct tf_reader *reader, uint32_t thread,
				 struct inside *in, struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct position position = { .is_counted = true };
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t end = 0;
	int status;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = thread;
	for (uint32_t i = 0; i < in->count; i++)
		in->stretches[i].is_open = false;
	status = tf_cursor_open(reader, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0)
		if (item.kind == TF_ITEM_EVENT)
			follow_regions(report, reader, in, &position, &item);
		else
			end = item.ordinal + item.instructions;
	for (uint32_t i = 0; i < in->count; i++)
		if (in->stretches[i].is_open)
			put_stretch(report, reader, thread, i, &in->stretches[i].began, end);
	tf_cursor_close(cursor);
	return status;
}

/*
 * Puts a table with one row for each stretch of a region in each thread: its first instruction, an
 * ordinal of the thread; how many the thread executed before it, those of gaps included, unless a
 * gap does not tell; and how many it has. All of the trace's control flow is read.
 */
static int put_regions(struct report *report, struct tf_reader *reader, struct tf_error *error)
{
	static const struct report_column columns[] = {
		{ "thread", REPORT_ID, "" },        { "region", REPORT_STRING, "" },
		{ "first", REPORT_U64, "" },        { "first_executed", REPORT_U64, "" },
		{ "instructions", REPORT_U64, "" }, { NULL, 0, NULL },
	};
	struct inside in = { 0 };
	int status = 0;

	in.count = tf_n_regions(reader);
	in.stretches = checked_array(in.count + 1, sizeof(*in.stretches));
	report_table(report, "region_list", columns);
	for (uint32_t i = 0; in.count && status >= 0 && i < tf_n_threads(reader); i++)
		if (tf_thread(reader, i))
			status = put_regions_of_thread(report, reader, i, &in, error);
	free(in.stretches);
	return status;
}

/* ------------------------------------------------------------------------------------------ */

static int put_trace(struct report *report, struct tf_reader *reader, const char *path,
		     const struct tf_info *info, const struct options *options,
		     struct tf_error *error)
{
	int status = put_facts(report, reader, path, info, options->sections, error);

	if (options->sections)
		put_sections(report, reader, info);
	if (options->columns)
		status = put_columns(report, reader, info, error);
	if (status >= 0 && options->threads)
		status = put_threads(report, reader, error);
	if (status >= 0 && options->modules)
		put_modules(report, reader);
	if (status >= 0 && options->regions)
		status = put_regions(report, reader, error);
	if (status >= 0 && options->samples)
		status = samplers_put(report, reader, error);
	if (status >= 0 && options->meta)
		put_meta(report, reader);
	return status;
}

static int show(const char *path, const struct options *options)
{
	struct tf_reader *reader = NULL;
	struct tf_info info = { .consistent = true };
	struct tf_error error;
	int status = open_trace_input(path, TRACE_PARTS, &reader, &error), selected = EXIT_DONE;

	memory_watch_input(path);
	/* Loading may find more damage than opening, so report losses afterwards. */
	if (status >= 0 &&
	    (options->threads || options->modules || options->regions || options->samples))
		status = tf_load(reader, &error);
	if (status >= 0)
		status = tf_get_info(reader, &info, &error);
	if (status >= 0) {
		note_loss(path, &info);
		struct report *report = report_begin(stdout, options->format);

		status = put_trace(report, reader, path, &info, options, &error);
		selected = status < 0 ? EXIT_DONE : report_select(report, options->tables.table);
		report_fit(report, &options->tables, stdout);
		if (selected == EXIT_DONE)
			report_end(report);
		else
			report_free(report);
	}
	if (status < 0)
		command_error("%s", error.text);
	tf_close(reader);
	return status < 0 || !info.consistent ? EXIT_FAILED : selected;
}

int main(int argc, char **argv)
{
	struct options options = { .format = REPORT_TEXT };
	int result = EXIT_DONE, status;

	command_init(trace_info.name);
	status = command_parse(&trace_info, &options, argc, argv);
	if (status != OPTION_DONE)
		return status;
	if (optind == argc)
		return command_usage_error("no trace given");
	if (options.manifest) {
		result = manifest_print(argv + optind, argc - optind, options.format);
		status = command_close_stdout();
		return result != EXIT_DONE ? result : status;
	}
	if (options.format != REPORT_TEXT) /* programs choose what they need */
		options.sections = true;
	for (int i = optind; i < argc; i++) {
		if (i > optind && options.format != REPORT_JSON)
			putchar('\n');
		status = show(argv[i], &options);
		result = result != EXIT_DONE ? result : status;
	}
	int written = command_close_stdout();

	return result != EXIT_DONE ? result : written;
}
