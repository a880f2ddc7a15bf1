/* SPDX-License-Identifier: MIT */
/*
 * trace-bbv - basic block vectors for SimPoint, as `valgrind --tool=exp-bbv` writes them.
 *
 * For every interval of N instructions of a thread a line "T:id:count   :id:count   ", and at the
 * end a summary; see bbv.h for what a block is and how instructions are counted. Ids are common
 * to the threads of a process; each process has files of its own.
 *
 * Differences from exp-bbv: every thread has a number and a file of its own, none is used again
 * after a thread has ended; processes after the first get their pid appended to the file names
 * unless %p is in them; symbols are mangled and _start is not renamed.
 *
 * Cost: one pass over block executions; memory: a few words a static block.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/bbv.h"
#include "analyzers/bbv_name.h"
#include "analyzers/common/analyzer.h"
#include "analyzers/common/extents.h"
#include "cli/common/overwrite.h"

struct options {
	uint64_t interval;
	const char *bb_file;
	const char *pc_file;	/* NULL: none */
	bool count_only;
};

static const struct options defaults = { .interval = 100000000, .bb_file = "bb.out.%p" };

static const char *parse_interval(const struct analyzer_option *option, void *destination,
				  const char *text)
{
	uint64_t value;
	const char *wrong = option_positive(option, &value, text);

	if (!wrong && value > INT64_MAX)
		wrong = "too large";
	if (!wrong)
		*(uint64_t *)destination = value;
	return wrong;
}

static const char *parse_yes_no(const struct analyzer_option *option, void *destination,
				const char *text)
{
	(void)option;
	if (text && strcmp(text, "yes") && strcmp(text, "no"))
		return "should be yes or no";
	*(bool *)destination = !text || !strcmp(text, "yes");
	return NULL;
}

static const char *parse_name(const struct analyzer_option *option, void *destination,
			      const char *text)
{
	const char *wrong;

	free(bbv_file_name(text, 0, 0, &wrong));
	return wrong ? wrong : option_text(option, destination, text);
}

static const struct analyzer_option options[] = {
	{ "interval", 0, "N", "instructions in an interval (default 100M)", parse_interval,
	  offsetof(struct options, interval) },
	{ "interval-size", 0, "N", "the same, as exp-bbv calls it", parse_interval,
	  offsetof(struct options, interval) },
	{ "bb-out-file", 0, "FILE", "vectors go here (default bb.out.%p)", parse_name,
	  offsetof(struct options, bb_file) },
	{ "pc-out-file", 0, "FILE", "addresses and names of blocks go here", parse_name,
	  offsetof(struct options, pc_file) },
	{ "instr-count-only", 0, "[=yes|no]", "no vectors, only the summary", parse_yes_no,
	  offsetof(struct options, count_only) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

struct process {
	struct bbv *bbv;
	char *bb_file;
	uint32_t pid;
	unsigned n_threads;
};

struct thread {
	struct bbv_thread *bbv;	/* NULL: it ran nothing so far */
	struct process *process;
	unsigned number;	/* in its process, from 1 */
	char *file;
	FILE *out;		/* NULL: closed */
	bool exists;		/* the file, by us */
};

struct vectors {
	const struct analysis *run;
	const struct options *options;
	struct process *processes;	/* by index; the last for processes whose record is lost */
	struct thread *threads;		/* by index */
};

static void *checked(void *memory)
{
	if (!memory)
		command_out_of_memory();
	return memory;
}

/* ---- files ------------------------------------------------------------------------------- */

/* The name of a process's file. */
static char *name_file(const struct vectors *v, const struct process *process,
		       const char *pattern, unsigned sequence)
{
	const char *wrong;
	char *name = checked(bbv_file_name(pattern, process->pid, sequence, &wrong));
	char *longer;

	if (process == v->processes || strstr(pattern, "%p"))
		return name;
	if (asprintf(&longer, "%s.%" PRIu32, name, process->pid) < 0)
		command_out_of_memory();
	free(name);
	return longer;
}

static int open_vectors(struct thread *thread)
{
	if (thread->out)
		return 0;
	thread->out = fopen(thread->file, thread->exists ? "a" : "w");
	if (!thread->out) {
		command_error("cannot create bb file %s: %m", thread->file);
		return EXIT_FAILED;
	}
	thread->exists = true;
	return 0;
}

static int close_file(FILE *out, const char *name)
{
	if (ferror(out) | fclose(out)) {
		command_error("cannot write %s: %m", name);
		return EXIT_FAILED;
	}
	return 0;
}

static int close_vectors(struct thread *thread)
{
	FILE *out = thread->out;

	if (!out)
		return 0;
	thread->out = NULL;
	bbv_thread_output(thread->bbv, NULL);
	return close_file(out, thread->file);
}

/* Called when a thread executes its first instruction. */
static int begin_thread(struct vectors *v, struct thread *thread)
{
	struct process *process = thread->process;
	const struct options *o = v->options;

	if (!process->bbv) {
		process->bbv = bbv_new(tf_n_blocks(v->run->reader));
		process->bb_file = name_file(v, process, o->bb_file, 1);
	}
	thread->bbv = bbv_thread_new(process->bbv, o->interval);
	if (thread->number == 1)
		thread->file = checked(strdup(process->bb_file));
	else if (asprintf(&thread->file, "%s.%u", process->bb_file, thread->number) < 0)
		command_out_of_memory();
	if (would_overwrite(thread->file, v->run->path))
		return EXIT_FAILED;
	int status = open_vectors(thread);

	bbv_thread_output(thread->bbv, o->count_only ? NULL : thread->out);
	return status;
}

/* ---- the hooks --------------------------------------------------------------------------- */

static bool has_reps(const struct tf_reader *reader)
{
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++) {
		const struct tf_block *block = tf_block(reader, id);

		for (size_t i = 0; block && i < block->n_insns; i++)
			if (block->insns[i].flags & TF_INSN_REP)
				return true;
	}
	return false;
}

/* Repetition counts come with the addresses; nothing else needs them. */
static int prepare(struct analysis *run)
{
	if (!has_reps(run->reader))
		return 0;
	if (extents_known(run->reader, true))
		run->columns |= TF_ADDRESSES;
	else
		command_warning("%s has no repetition counts: each rep is taken to repeat once, "
				"so 'Total reps' and ids of blocks that begin with a rep differ",
				run->path);
	return 0;
}

static int start(void *self, const struct analysis *run)
{
	struct vectors *v = self;

	v->run = run;
	v->options = run->options;
	v->processes = checked(calloc(run->n_processes + 1, sizeof(*v->processes)));
	v->threads = checked(calloc(run->n_threads + 1, sizeof(*v->threads)));
	for (uint32_t i = 0; i < run->n_processes; i++)
		v->processes[i].pid = tf_process(run->reader, i)->pid;
	for (uint32_t i = 0; i < run->n_threads; i++) {
		struct thread *thread = &v->threads[i];
		uint32_t process = tf_thread(run->reader, i)->process;

		if (process > run->n_processes)
			process = run->n_processes;
		thread->process = &v->processes[process];
		thread->number = ++thread->process->n_threads;
	}
	return 0;
}

static void stop(void *self)
{
	struct vectors *v = self;

	for (uint32_t i = 0; v->threads && i < v->run->n_threads; i++) {
		if (v->threads[i].out)
			fclose(v->threads[i].out);
		bbv_thread_free(v->threads[i].bbv);
		free(v->threads[i].file);
	}
	for (uint32_t i = 0; v->processes && i <= v->run->n_processes; i++) {
		bbv_free(v->processes[i].bbv);
		free(v->processes[i].bb_file);
	}
	free(v->threads);
	free(v->processes);
}

static int blocks(void *self, const struct tf_item *item)
{
	struct vectors *v = self;
	struct thread *thread = &v->threads[item->thread];
	uint64_t ordinal = item->ordinal;

	if (!thread->bbv && begin_thread(v, thread))
		return EXIT_FAILED;
	for (size_t i = 0; i < item->count; i++) {
		bbv_execute(thread->bbv, &item->blocks[i], ordinal);
		ordinal += item->blocks[i].executed;
	}
	return 0;
}

/* Whether a signal is for an instruction that began but did not retire. */
static bool is_fault(const struct tf_event *event)
{
	bool fetch = event->signal.address == event->signal.pc;

	switch (event->signal.number) {
	case SIGSEGV:
	case SIGBUS:
		return event->signal.code > 0 && !fetch;
	case SIGILL:
	case SIGFPE:
		return event->signal.code > 0;
	default:
		return false;
	}
}

static int event(void *self, const struct tf_event *event)
{
	struct vectors *v = self;
	struct thread *thread = &v->threads[event->thread];

	switch (event->kind) {
	case TF_EVENT_SIGNAL:
		if (!is_fault(event))
			break;
		if (!thread->bbv && begin_thread(v, thread))
			return EXIT_FAILED;
		bbv_fault(thread->bbv, event->signal.pc);
		break;
	case TF_EVENT_CONTROL_WORD:
		if (!thread->bbv && begin_thread(v, thread))
			return EXIT_FAILED;
		bbv_control_word(thread->bbv, event->ordinal, event->control_word.which,
				 event->control_word.value);
		break;
	case TF_EVENT_THREAD_EXIT:
		return close_vectors(thread);
	}
	return 0;
}

/* ---- results ----------------------------------------------------------------------------- */

static const char *symbol_name(const struct tf_reader *reader, const struct bbv_start *start)
{
	const struct tf_symbol *symbol = tf_symbol(reader, start->module, start->module_offset);

	return symbol ? symbol->name : "";
}

static int write_places(const struct vectors *v, const struct process *process)
{
	char *name = name_file(v, process, v->options->pc_file, 2);
	int status = EXIT_FAILED;

	if (would_overwrite(name, v->run->path))
		goto out;
	FILE *out = fopen(name, "w");

	if (!out) {
		command_error("cannot create pc file %s: %m", name);
		goto out;
	}
	uint32_t *ids = bbv_sorted(process->bbv);

	for (uint32_t i = 0; i < bbv_count(process->bbv); i++) {
		const struct bbv_start *start = bbv_start(process->bbv, ids[i]);

		fprintf(out, "F:%" PRIu32 ":%" PRIx64 ":%s\n", ids[i], start->pc,
			symbol_name(v->run->reader, start));
	}
	free(ids);
	status = close_file(out, name);
out:
	free(name);
	return status;
}

/* The summary of a thread, in its file and on stderr. */
static int write_summary(struct thread *thread)
{
	char prefix[32];

	if (open_vectors(thread))
		return EXIT_FAILED;
	bbv_summary(thread->bbv, thread->number, "", thread->out);
	snprintf(prefix, sizeof(prefix), "==%" PRIu32 "== ", thread->process->pid);
	bbv_summary(thread->bbv, thread->number, prefix, stderr);
	fprintf(stderr, "%s\n", prefix);
	return close_vectors(thread);
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	static const struct report_column columns[] = {
		{ "pid", REPORT_U64, "" }, { "thread", REPORT_U64, "" },
		{ "intervals", REPORT_U64, "" }, { "instructions", REPORT_U64, "" },
		{ "reps", REPORT_U64, "" }, { "blocks", REPORT_U64, "" },
		{ "file", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct vectors *v = self;
	int status = 0;

	for (uint32_t i = 0; i <= run->n_processes && v->options->pc_file && !status; i++)
		if (v->processes[i].bbv)
			status = write_places(v, &v->processes[i]);
	report_u64(r, "interval_size", "instructions", v->options->interval);
	report_table(r, "vectors", columns);
	for (uint32_t i = 0; i < run->n_threads && !status; i++) {
		struct thread *thread = &v->threads[i];

		if (!thread->bbv)
			continue;
		struct bbv_totals totals = bbv_totals(thread->bbv);

		status = write_summary(thread);
		report_row(r, (uint64_t)thread->process->pid, (uint64_t)thread->number,
			   totals.intervals, totals.instructions, totals.reps,
			   (uint64_t)bbv_count(thread->process->bbv), thread->file);
	}
	return status;
}

static const struct analyzer bbv = {
	.name = "trace-bbv",
	.summary = "write basic block vectors for SimPoint, as exp-bbv does",
	.example = "trace-bbv --interval=10M --bb-out-file=ls.bb ls.trace",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct vectors),
	.prepare = prepare,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.event = event,
	.report = report,
};
ANALYZER_MAIN(bbv)
