/* SPDX-License-Identifier: MIT */
/* trace-filter - keeps some of the instructions and accesses of a trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/memory_watch.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/common/trace_input.h"
#include "cli/common/tracereport.h"
#include "cli/common/unfinished.h"
#include "cli/filter/caches.h"
#include "traceformat/tracewriter.h"

struct options {
	const char *from, *to, *function, *module, *accesses_text, *cache_text;
	uint64_t thread, process; /* UINT64_MAX: all */
	unsigned accesses;        /* enum tf_access, or-ed */
	struct cache_shape cache; /* no ways: none */
	bool force, quiet;
	mode_t mode;
	enum report_format format;
};

OPTION_PARSER(parse_accesses)
{
	static const char words[] = "loads|stores|prefetches";
	struct options *o = destination;
	const char *word = text;

	o->accesses_text = text;
	o->accesses = 0;
	while (*word) {
		size_t length = strcspn(word, ",");
		char *copy = text_format("%.*s", (int)length, word);
		unsigned kind;
		bool known = parse_choice(copy, words, &kind);

		free(copy);
		if (!known)
			return "a list of loads, stores and prefetches is expected";
		o->accesses |= 1u << kind;
		word += length + (word[length] == ',');
	}
	return o->accesses ? NULL : "a list of loads, stores and prefetches is expected";
}

OPTION_PARSER(parse_cache)
{
	struct options *o = destination;

	o->cache_text = text;
	return cache_shape_parse(text, &o->cache);
}

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "function", 0, "NAME", "only instructions of the function NAME", option_text,
	  AT(function) },
	{ "module", 0, "NAME", "only instructions of the module NAME", option_text, AT(module) },
	{ "thread", 0, "N", "only this thread", option_thread, AT(thread) },
	{ "process", 0, "PID", "only threads of this process", option_count, AT(process) },
	{ "accesses", 0, "LIST", "only loads, stores, prefetches", parse_accesses, 0 },
	{ "cache", 0, "SIZE/WAYS/LINE", "only accesses that miss in such a cache", parse_cache, 0 },
	{ "output", 'o', "OUT", "the trace to make", option_text, AT(to) },
	{ "force", 0, NULL, "replace OUT if it exists", option_flag, AT(force) },
	{ "mode", 0, "MODE", "permissions of OUT, octal (default 0600)", option_trace_mode,
	  AT(mode) },
	{ "format", 0, "FMT", "of the summary: text (default), json or csv", option_format,
	  AT(format) },
	{ "quiet", 'q', NULL, "print no summary", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_filter = {
	.name = "trace-filter",
	.usage = "[options] -o OUT TRACE",
	.summary = "Make a trace OUT of the instructions and accesses of TRACE that all options\n"
		   "keep.",
	.options = options_table,
	.notes = "Exit status: 0 done, 1 failure, 2 usage.",
	.example = "trace-filter --cache=32Ki/8/64 -o misses.trace gzip.trace",
};

/* ---- what is kept ------------------------------------------------------------------------ */

struct filtering {
	const struct options *o;
	struct tf_reader *reader;
	struct caches *caches;
	uint64_t n_matched; /* instructions of paths, or threads, that match */
};

static bool keep_thread(void *opaque, uint32_t index)
{
	struct filtering *f = opaque;
	const struct tf_thread *thread = tf_thread(f->reader, index);
	const struct tf_process *process = thread ? tf_process(f->reader, thread->process) : NULL;

	return (f->o->thread == UINT64_MAX || f->o->thread == index) &&
	       (f->o->process == UINT64_MAX || (process && f->o->process == process->pid));
}

/* Returns true if the name is that of the path, or of its part behind the last slash. */
static bool names_module(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(path, name) || (slash && !strcmp(slash + 1, name));
}

static bool keep_insn(void *opaque, const struct tf_block *block, unsigned insn)
{
	struct filtering *f = opaque;
	const struct tf_module *module = tf_module(f->reader, block->module);
	const struct tf_symbol *symbol = f->o->function
						 ? tf_symbol(f->reader, block->module,
							     block->module_offset +
								     block->insns[insn].offset)
						 : NULL;
	bool kept = (!f->o->module || (module && names_module(module->path, f->o->module))) &&
		    (!f->o->function || (symbol && !strcmp(symbol->name, f->o->function)));

	f->n_matched += kept;
	return kept;
}

static void keep_accesses(void *opaque, uint32_t thread, const struct tf_block_exec *exec,
			  uint64_t *keep)
{
	struct filtering *f = opaque;

	caches_execute(f->caches, thread, exec, keep);
}

/* ---- the whole --------------------------------------------------------------------------- */

static char *describe(const struct options *o)
{
	char thread[32] = "", process[32] = "";

	if (o->thread != UINT64_MAX)
		snprintf(thread, sizeof(thread), " --thread=%llu", (unsigned long long)o->thread);
	if (o->process != UINT64_MAX)
		snprintf(process, sizeof(process), " --process=%llu",
			 (unsigned long long)o->process);
	return text_format("%s%s%s%s%s%s%s%s%s%s", o->function ? " --function=" : "",
			   o->function ? o->function : "", o->module ? " --module=" : "",
			   o->module ? o->module : "", thread, process,
			   o->accesses_text ? " --accesses=" : "",
			   o->accesses_text ? o->accesses_text : "",
			   o->cache_text ? " --cache=" : "", o->cache_text ? o->cache_text : "");
}

static void put_summary(const struct options *o, const char *path, const struct tf_filter *filter,
			const struct filtering *f)
{
	struct report *report = report_begin(is_standard_stream(o->to) ? stderr : stdout,
					     o->format);
	struct stat file;

	report_string(report, "file", o->to);
	report_u64(report, "instructions", "", filter->kept.instructions);
	report_u64(report, "loads", "", filter->kept.loads);
	report_u64(report, "stores", "", filter->kept.stores);
	report_u64(report, "removed_instructions", "", filter->removed.instructions);
	report_u64(report, "removed_loads", "", filter->removed.loads);
	report_u64(report, "removed_stores", "", filter->removed.stores);
	if (filter->removed_samples)
		report_u64(report, "removed_samples", "", filter->removed_samples);
	if (filter->unknown_events)
		report_u64(report, "unknown_events", "", filter->unknown_events);
	if (f->caches) {
		report_u64(report, "cache_touches", "", caches_touches(f->caches));
		report_u64(report, "cache_misses", "", caches_misses(f->caches));
	}
	if (stat(path, &file) == 0 && S_ISREG(file.st_mode))
		report_u64(report, "bytes", "", (uint64_t)file.st_size);
	report_end(report);
}

static void warn_of_losses(const struct options *o, const struct tf_filter *filter)
{
	if (filter->removed_samples)
		command_warning("%s lacks the samples of %s: %" PRIu64 " records", o->to, o->from,
				filter->removed_samples);
	if (filter->unknown_events)
		command_warning("%s lacks events that only a later version knows: %" PRIu64, o->to,
				filter->unknown_events);
}

/* Refuses names and numbers that nothing in the trace has. */
static int check_matches(const struct options *o, struct filtering *f)
{
	bool any = false;

	for (uint32_t t = 0; t < tf_n_threads(f->reader); t++)
		any |= keep_thread(f, t);
	if (!any) {
		command_error("%s: has no thread that --thread and --process choose; trace-info "
			      "--threads lists the threads",
			      o->from);
		return EXIT_FAILED;
	}
	if (!o->function && !o->module)
		return EXIT_DONE;
	for (uint32_t id = 0; id < tf_n_blocks(f->reader); id++) {
		const struct tf_block *block = tf_block(f->reader, id);

		for (unsigned i = 0; block && i < block->n_insns && !f->n_matched; i++)
			keep_insn(f, block, i);
	}
	if (f->n_matched)
		return EXIT_DONE;
	command_error("%s: has no code of %s %s%s%s; trace-mix --by=%s lists the names", o->from,
		      o->function ? "function" : "module", o->function ? o->function : o->module,
		      o->function && o->module ? " in module " : "",
		      o->function && o->module ? o->module : "",
		      o->function ? "symbol --demangle=no" : "module");
	return EXIT_FAILED;
}

static int run(const struct options *o, struct filtering *f, const char *to,
	       struct tf_filter *filter)
{
	struct unfinished *made;
	struct tf_error error;
	int status = open_trace_input(o->from, TRACE_WHOLE, &f->reader, &error), result;

	if (status == 0)
		status = tf_load(f->reader, &error);
	if (status == 0) {
		result = check_matches(o, f);
		if (result != EXIT_DONE)
			return result;
		made = unfinished_file(to);
		status = tf_filter(f->reader, filter, to, &error);
		unfinished_end(made);
	}
	if (status == 0)
		return EXIT_DONE;
	command_error("%s", error.text);
	return EXIT_FAILED;
}

static int filter_trace(const struct options *o)
{
	const char *to = is_standard_stream(o->to) ? "/dev/stdout" : o->to;
	struct filtering f = { .o = o };
	char *words = describe(o);
	struct tf_meta_line line = { "filter.options", words + (*words == ' ') };
	struct tf_filter filter = {
		.size = sizeof(filter),
		.opaque = &f,
		.keep_thread = keep_thread,
		.keep_insn = o->function || o->module ? keep_insn : NULL,
		.accesses = o->accesses,
		.keep_accesses = o->cache_text ? keep_accesses : NULL,
		.meta = &line,
		.n_meta = 1,
	};
	int status;

	memory_watch_input(o->from);
	if (o->cache_text)
		f.caches = caches_new(&o->cache);
	status = run(o, &f, to, &filter);
	if (status == EXIT_DONE)
		warn_of_losses(o, &filter);
	if (status == EXIT_DONE && !o->quiet)
		put_summary(o, to, &filter, &f);
	tf_close(f.reader);
	caches_free(f.caches);
	free(words);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {
		.thread = UINT64_MAX,
		.process = UINT64_MAX,
		.accesses = TF_LOAD | TF_STORE | TF_PREFETCH,
		.format = REPORT_TEXT,
		.mode = TF_FILE_MODE,
	};
	int status;

	command_init(trace_filter.name);
	status = command_parse(&trace_filter, &o, argc, argv);
	if (status == OPTION_DONE)
		status = only_trace(argc, argv, &o.from);
	if (status != OPTION_DONE)
		return status;
	if (!o.to)
		return command_usage_error("no output given; use -o OUT");
	status = check_output_trace(o.from, o.to, o.force);
	if (status == EXIT_DONE)
		status = filter_trace(&o);
	return end_output_trace(o.to, o.mode, status);
}
