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
 * unless %p is in them, and "-2" where an earlier process had the pid; _start is not renamed.
 *
 * Cost: one pass over path executions, over block executions with --memory or a range; memory: a
 * few words a static block and path exit. With several jobs, or in parts, intervals are in memory
 * until they are written: 2 to 5 bytes for each id in each interval.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "analyzers/bbv/bbv.h"
#include "analyzers/bbv/homes.h"
#include "analyzers/bbv/memory.h"
#include "analyzers/bbv/name.h"
#include "analyzers/bbv/options.h"
#include "analyzers/bbv/places.h"
#include "analyzers/bbv/plan.h"
#include "analyzers/bbv/set.h"
#include "analyzers/common/extents.h"
#include "analyzers/common/leaders.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"
#include "cli/common/save_file.h"
#include "cli/common/trace_meta.h"
#include "traceformat/tracesamples.h"

enum { MAX_OPENED = 4096 }; /* files at a time */

enum { SIMPOINT_LINE = 1 << 20 }; /* bytes of SimPoint 3.2's buffer of a line */

struct process {
	struct bbv_file places;
	uint32_t pid;
	unsigned earlier; /* processes that had the pid before */
	unsigned n_threads;
};

struct thread {
	struct bbv_thread *bbv; /* of the set; NULL: it ran nothing so far */
	struct bbv_memory *memory;
	struct process *process;
	unsigned number; /* in its process, from 1 */
	struct bbv_file file;
	bool has_vectors;
	uint64_t interval; /* number of the interval that its vectors are filling */
};

struct vectors {
	const struct analysis *run;
	const struct bbv_options *options;
	struct bbv_set set;
	struct process *processes; /* by index; the last for processes whose record is lost */
	struct thread *threads;    /* by index */
	uint32_t *process_of;      /* by thread: index */
	struct thread **opened;    /* whose files may be open: a ring */
	size_t n_opened, oldest;
};

static struct bbv_plan *plan_of(const struct vectors *v)
{
	return v->run->shared;
}

/* Returns true if a state is one of several, which are merged. */
static bool is_piece(const struct analysis *run)
{
	return run->merged && !run->one_state && !analyzer_has_vectors(run);
}

/* ---- files ------------------------------------------------------------------------------- */

/* Begins a file of a process, whose name may say how it is compressed. thread: from 1. */
static int begin_file(const struct vectors *v, const struct process *process, const char *pattern,
		      unsigned sequence, unsigned thread, struct bbv_file *file)
{
	const char *wrong;
	char *expanded = checked(bbv_file_name(pattern, process->pid, sequence, &wrong));
	enum bbv_compression by_name = bbv_take_suffix(expanded);
	enum bbv_compression compression = v->options->compression;
	bool first = process == v->processes || strstr(pattern, "%p");
	char pid[16] = "", again[16] = "", number[16] = "", *name;

	if (!first)
		snprintf(pid, sizeof(pid), ".%" PRIu32, process->pid);
	if (process->earlier)
		snprintf(again, sizeof(again), "-%u", process->earlier + 1);
	if (thread > 1)
		snprintf(number, sizeof(number), ".%u", thread);
	name = text_format("%s%s%s%s", expanded, pid, again, number);
	bbv_file_begin(file, name, compression == BBV_PLAIN ? by_name : compression);
	free(name);
	free(expanded);
	return would_overwrite(file->name, v->run->path) ? EXIT_FAILED : 0;
}

static int close_vectors(struct thread *thread)
{
	bbv_thread_output(thread->bbv, NULL);
	return bbv_file_close(&thread->file);
}

/*
 * Opens a thread's file, unless it is open; the file that was opened longest ago may have to be
 * closed.
 */
static int open_vectors(struct vectors *v, struct thread *thread)
{
	struct thread **place = &v->opened[v->oldest];
	int status = 0;

	if (!thread->file.out) {
		status = *place ? close_vectors(*place) : 0;
		*place = thread;
		v->oldest = (v->oldest + 1) % v->n_opened;
	}
	if (!status)
		status = bbv_file_open(&thread->file, "bb");
	bbv_thread_output(thread->bbv, v->options->count_only ? NULL : thread->file.out);
	return status;
}

static int begin_thread(struct vectors *v, struct thread *thread)
{
	const struct bbv_options *o = v->options;

	thread->bbv = bbv_set_thread(&v->set, (uint32_t)(thread - v->threads));
	if (o->memory)
		thread->memory = bbv_memory_new(o->memory, &o->caches);
	return v->set.is_piece ? 0
			       : begin_file(v, thread->process, o->bb_file, 1, thread->number,
					    &thread->file);
}

/* Makes a thread, which may be met for the first time, able to write lines. */
static int ready_thread(struct vectors *v, struct thread *thread)
{
	int status = thread->bbv ? 0 : begin_thread(v, thread);

	return status || v->set.is_piece || thread->file.out ? status : open_vectors(v, thread);
}

/* ---- the hooks --------------------------------------------------------------------------- */

static int compare_pids(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Numbers the processes of each pid: a long recording may meet a pid again. */
static void number_processes(struct process *processes, uint32_t n)
{
	struct process **sorted = checked_array(n, sizeof(*sorted));

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &processes[i];
	qsort(sorted, n, sizeof(*sorted), compare_pids);
	for (uint32_t i = 1; i < n; i++)
		if (sorted[i]->pid == sorted[i - 1]->pid)
			sorted[i]->earlier = sorted[i - 1]->earlier + 1;
	free(sorted);
}

/* Returns how many files of vectors may be open: half of what the system allows. */
static size_t choose_n_opened(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 2 > MAX_OPENED)
		return MAX_OPENED;
	return limit.rlim_cur > 4 ? limit.rlim_cur / 2 : 2;
}

/* Returns the first instruction of the execution that contains the first analyzed one. */
static uint64_t first_counted(const struct analysis *run)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor = NULL;
	uint64_t first = run->first;
	struct tf_item item;

	options.thread = run->n_threads == 1 ? 0 : run->thread;
	options.first = run->first;
	options.count = 1;
	if (tf_cursor_open(run->reader, &options, &cursor, NULL) == 0 &&
	    tf_next(cursor, &item, NULL) > 0)
		first = item.ordinal;
	tf_cursor_close(cursor);
	return first;
}

/* Begins with no counts. v->process_of is set. */
static void begin_set(struct vectors *v)
{
	const struct analysis *run = v->run;
	const struct bbv_plan *plan = plan_of(v);
	const struct bbv_options *o = v->options;

	v->set = (struct bbv_set){
		.setup = {
			.n_code = tf_n_blocks(run->reader),
			.n_exits = tf_n_exits(run->reader),
			.rules = plan->rules,
			.by_offset = o->by_offset,
			.leaders = plan->leaders,
			.homes = plan->homes,
			.memory_weight = o->memory_weight,
		},
		.reader = run->reader,
		.interval = o->mark ? BBV_NO_INTERVAL : plan->interval,
		.n_processes = run->n_processes + 1,
		.n_threads = run->n_threads,
		.process_of = v->process_of,
		.is_piece = is_piece(run),
		.counts_only = o->count_only,
		.lengths = &plan->lengths,
	};
	/* If there are several processes, none of them has executed all code. */
	if (plan->leaders && o->by_offset && run->n_processes <= 1)
		v->set.numbered = &plan->executed;
	bbv_set_begin(&v->set);
}

static int start(void *self, const struct analysis *run)
{
	struct vectors *v = self;

	v->run = run;
	v->options = run->options;
	if (is_piece(run) && run->first && (run->n_threads == 1 || run->thread != TF_MERGED))
		plan_of(v)->lengths.first = first_counted(run);
	v->processes = checked(calloc(run->n_processes + 1, sizeof(*v->processes)));
	v->threads = checked(calloc(run->n_threads + 1, sizeof(*v->threads)));
	v->process_of = checked_array(run->n_threads + 1, sizeof(*v->process_of));
	v->n_opened = choose_n_opened();
	v->opened = checked_array(v->n_opened, sizeof(*v->opened));
	for (uint32_t i = 0; i < run->n_processes; i++)
		if (tf_process(run->reader, i))
			v->processes[i].pid = tf_process(run->reader, i)->pid;
	number_processes(v->processes, run->n_processes);
	for (uint32_t i = 0; i < run->n_threads; i++) {
		struct thread *thread = &v->threads[i];
		uint32_t process = run->n_processes;

		if (tf_thread(run->reader, i) &&
		    tf_thread(run->reader, i)->process < run->n_processes)
			process = tf_thread(run->reader, i)->process;
		v->process_of[i] = process;
		thread->process = &v->processes[process];
		if (tf_thread(run->reader, i))
			thread->number = ++thread->process->n_threads;
	}
	begin_set(v);
	return 0;
}

static void stop(void *self)
{
	struct vectors *v = self;

	for (uint32_t i = 0; v->threads && i < v->run->n_threads; i++) {
		bbv_file_free(&v->threads[i].file);
		bbv_memory_free(v->threads[i].memory);
	}
	for (uint32_t i = 0; v->processes && i <= v->run->n_processes; i++)
		bbv_file_free(&v->processes[i].places);
	bbv_set_free(&v->set);
	free(v->opened);
	free(v->threads);
	free(v->processes);
	free(v->process_of);
}

static int paths(void *self, const struct tf_item *item)
{
	struct vectors *v = self;
	struct thread *thread = &v->threads[item->thread];

	if (ready_thread(v, thread))
		return EXIT_FAILED;
	bbv_paths(thread->bbv, v->run->reader, item);
	return 0;
}

static int blocks(void *self, const struct tf_item *item)
{
	struct vectors *v = self;
	struct thread *thread = &v->threads[item->thread];
	uint64_t ordinal = item->ordinal;

	if (ready_thread(v, thread))
		return EXIT_FAILED;
	for (size_t i = 0; i < item->count; i++) {
		if (thread->memory)
			bbv_memory_count(thread->memory, thread->bbv, &item->blocks[i]);
		bbv_execute(thread->bbv, &item->blocks[i], ordinal);
		ordinal += item->blocks[i].executed;
	}
	return 0;
}

/* Counts a recorded vector, and ends the interval before it, if there is one. */
static int vector(void *self, const struct tf_vector *vector)
{
	struct vectors *v = self;
	const struct bbv_plan *plan = plan_of(v);
	struct thread *thread;
	uint64_t interval = vector->interval / (plan->interval / plan->recorded);

	if (vector->thread >= v->run->n_threads || !tf_thread(v->run->reader, vector->thread))
		return 0;
	thread = &v->threads[vector->thread];
	if (ready_thread(v, thread))
		return EXIT_FAILED;
	if (thread->has_vectors && thread->interval != interval)
		bbv_vector_end(thread->bbv);
	thread->has_vectors = true;
	thread->interval = interval;
	bbv_vector(thread->bbv, v->run->reader, vector);
	return 0;
}

/* Returns true if a signal is for an instruction that began but did not retire. */
static bool is_fault(const struct tf_event *event)
{
	bool fetch = event->signal.address == event->signal.pc;

	switch (event->signal.number) {
	case SIGSEGV:
	case SIGBUS: return event->signal.code > 0 && !fetch;
	case SIGILL:
	case SIGFPE: return event->signal.code > 0;
	default: return false;
	}
}

/* Ends a thread with its last interval; one that ends at a mark or the end is never too short. */
static int end_thread(struct vectors *v, struct thread *thread)
{
	if (v->set.is_piece) /* it ends when its vectors are written */
		return 0;
	if (ready_thread(v, thread))
		return EXIT_FAILED;
	bbv_end(thread->bbv, plan_of(v)->keep_last);
	bbv_memory_free(thread->memory);
	thread->memory = NULL;
	return close_vectors(thread);
}

static int event(void *self, const struct tf_event *event)
{
	struct vectors *v = self;
	struct thread *thread = &v->threads[event->thread];

	switch (event->kind) {
	case TF_EVENT_SIGNAL:
		if (!is_fault(event))
			break;
		if (ready_thread(v, thread))
			return EXIT_FAILED;
		bbv_fault(thread->bbv, event->signal.pc);
		break;
	case TF_EVENT_CONTROL_WORD:
		if (ready_thread(v, thread))
			return EXIT_FAILED;
		bbv_control_word(thread->bbv, event->ordinal, event->control_word.which,
				 event->control_word.value);
		break;
	case TF_EVENT_REGION_BEGIN:
		if ((!thread->bbv && !v->set.is_piece) || event->region.index != plan_of(v)->mark)
			break;
		if (ready_thread(v, thread))
			return EXIT_FAILED;
		bbv_cut(thread->bbv, event->ordinal);
		break;
	case TF_EVENT_THREAD_EXIT: return thread->bbv ? end_thread(v, thread) : 0;
	}
	return 0;
}

/* ---- pieces ------------------------------------------------------------------------------ */

/*
 * Returns what to do about pieces that do not fit. Several jobs give way to one; parts are refused.
 */
static int refuse_pieces(const struct vectors *v, uint32_t thread)
{
	if (!v->run->parts)
		return ANALYZER_ONE_STATE;
	command_error(
		"the intervals of thread %" PRIu32 " do not end where the parts assumed, because "
		"more or fewer instructions were counted before them than lie there; make all "
		"parts with --instr-count-only, merge them with trace-merge --partial=FILE, "
		"and make the parts again with --lengths=FILE; if that does not help, an "
		"interval is too short to be made in parts",
		thread);
	return EXIT_FAILED;
}

static int merge(void *self, const void *later)
{
	struct vectors *v = self;
	const struct vectors *l = later;
	uint32_t thread = 0;

	return bbv_set_merge(&v->set, &l->set, &thread) ? 0 : refuse_pieces(v, thread);
}

static int complete(void *self)
{
	struct vectors *v = self;
	uint32_t thread = 0;

	if (!bbv_set_complete(&v->set, &thread))
		return refuse_pieces(v, thread);
	for (uint32_t i = 0; i < v->run->n_threads; i++) {
		struct thread *t = &v->threads[i];

		t->bbv = v->set.threads[i];
		if (t->bbv &&
		    begin_file(v, t->process, v->options->bb_file, 1, t->number, &t->file))
			return EXIT_FAILED;
	}
	return 0;
}

static int save(void *self, struct state_writer *writer)
{
	struct vectors *v = self;

	bbv_set_save(&v->set, writer);
	return 0;
}

static int load(void *self, struct state_reader *reader)
{
	struct vectors *v = self;

	if (bbv_set_load(&v->set, reader))
		return 0;
	command_error("a part's vectors do not fit together; make the part again");
	return EXIT_FAILED;
}

/*
 * Reads the lengths that a first pass over all parts has counted. Returns 0, or an exit code after
 * a message.
 */
static int read_lengths(const struct analysis *run)
{
	const struct bbv_options *o = run->options;
	struct vectors v = { .run = NULL };
	int status;

	if (!run->parts)
		return command_usage_error("--lengths needs --part=I/N");
	status = start(&v, run);
	if (!status)
		status = bbv_lengths_read(&plan_of(&v)->lengths, run, &v.set, o->lengths);
	stop(&v);
	return status;
}

static int prepare(struct analysis *run)
{
	struct bbv_plan *plan;
	int status = bbv_plan_make(run, &plan);

	run->shared = plan;
	return status || !((const struct bbv_options *)run->options)->lengths ? status
									      : read_lengths(run);
}

static void finish(struct analysis *run)
{
	bbv_plan_free(run->shared);
}

/* ---- results ----------------------------------------------------------------------------- */

/*
 * Refuses files of the same name, which would replace each other; devices and pipes may be the
 * same.
 */
static int check_name(const struct vectors *v, const struct bbv_file *places)
{
	for (uint32_t i = 0; i < v->run->n_threads; i++)
		if (v->threads[i].bbv && strcmp(places->path, places->target) &&
		    !strcmp(places->target, v->threads[i].file.target)) {
			command_error("%s: is also the name of the vectors; choose another name",
				      places->name);
			return EXIT_FAILED;
		}
	return 0;
}

static struct bbv *blocks_of(const struct vectors *v, const struct process *process)
{
	return v->set.processes[process - v->processes];
}

static int write_places(const struct vectors *v, struct process *process)
{
	struct bbv_names names = {
		.reader = v->run->reader,
		.by_offset = v->options->by_offset || v->options->places_by_offset,
		.demangled = !v->options->mangled,
		.memory = v->options->memory,
		.n_levels = v->options->caches.n_levels,
	};
	struct bbv_file *file = &process->places;

	if (begin_file(v, process, v->options->pc_file, 2, 1, file) || check_name(v, file) ||
	    bbv_file_open(file, "pc"))
		return EXIT_FAILED;
	bbv_write_places(&names, blocks_of(v, process), file->out);
	return bbv_file_close(file);
}

/* Writes the summary of a thread, in its file and on stderr. */
static int write_summary(struct vectors *v, struct thread *thread)
{
	char prefix[32];

	if (open_vectors(v, thread))
		return EXIT_FAILED;
	bbv_write_kept(thread->bbv);
	bbv_end(thread->bbv, plan_of(v)->keep_last);
	bbv_summary(thread->bbv, thread->number, "", thread->file.out);
	snprintf(prefix, sizeof(prefix), "==%" PRIu32 "== ", thread->process->pid);
	bbv_summary(thread->bbv, thread->number, prefix, stderr);
	fprintf(stderr, "%s\n", prefix);
	return close_vectors(thread);
}

/* Writes the files, under temporary names. */
static int write_files(struct vectors *v)
{
	const struct analysis *run = v->run;
	int status = 0;

	for (uint32_t i = 0; i <= run->n_processes && v->options->pc_file && !status; i++)
		if (v->set.processes[i])
			status = write_places(v, &v->processes[i]);
	for (uint32_t i = 0; i < run->n_threads && !status; i++)
		if (v->threads[i].bbv)
			status = write_summary(v, &v->threads[i]);
	return status;
}

static int finish_files(struct vectors *v)
{
	const struct analysis *run = v->run;
	int status = 0;

	for (uint32_t i = 0; i <= run->n_processes && !status; i++)
		if (v->processes[i].places.name)
			status = bbv_file_finish(&v->processes[i].places);
	for (uint32_t i = 0; i < run->n_threads && !status; i++)
		if (v->threads[i].bbv)
			status = bbv_file_finish(&v->threads[i].file);
	return status;
}

/* Checks that the vectors are not empty. */
static int check_use(const struct vectors *v)
{
	uint64_t instructions = 0, intervals = 0;

	for (uint32_t i = 0; i < v->run->n_threads; i++)
		if (v->threads[i].bbv) {
			struct bbv_totals totals = bbv_totals(v->threads[i].bbv);

			intervals += totals.intervals;
			if (totals.instructions > instructions)
				instructions = totals.instructions;
		}
	if (!instructions) {
		command_error("%s has no instructions there to count", v->run->path);
		return EXIT_FAILED;
	}
	if (intervals || v->options->count_only)
		return 0;
	command_error("no interval is full: the longest thread has %" PRIu64
		      " %s, an interval %" PRIu64
		      "; choose a shorter one with --interval, or use --keep-last",
		      instructions, noun(instructions, "instruction", "instructions"),
		      plan_of(v)->interval);
	return EXIT_UNSUITABLE;
}

/* Tells of a line that SimPoint 3.2 cannot read, as it ends the process at one of that length. */
static void note_long_line(const struct thread *thread, const struct bbv_totals *totals)
{
	if (totals->longest < SIMPOINT_LINE)
		return;
	command_warning(
		"%s: a line has %" PRIu64 " bytes, but SimPoint 3.2 reads lines below 1 MiB; "
		"trace-simpoint reads it, and its -saveVectorsTxtFmt saves a projection for "
		"SimPoint's -loadVectorsTxtFmt",
		thread->file.name, totals->longest);
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	static const struct report_column columns[] = {
		{ "pid", REPORT_ID, "" },
		{ "thread", REPORT_ID, "" },
		{ "thread_of_process", REPORT_ID, "" },
		{ "intervals", REPORT_U64, "" },
		{ "instructions", REPORT_U64, "" },
		{ "reps", REPORT_U64, "" },
		{ "blocks_of_process", REPORT_U64, "" },
		{ "file", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct vectors *v = self;
	int status = write_files(v), use = status ? status : check_use(v);

	if (!use || (use == EXIT_UNSUITABLE && !run->batch))
		status = finish_files(v);
	if (v->options->mark)
		report_string(r, "interval_mark", v->options->mark);
	else
		report_u64(r, "interval_size", "instructions", plan_of(v)->interval);
	report_table(r, "vectors", columns);
	for (uint32_t i = 0; i < run->n_threads && !status; i++) {
		struct thread *thread = &v->threads[i];

		if (!thread->bbv)
			continue;
		struct bbv_totals totals = bbv_totals(thread->bbv);

		note_long_line(thread, &totals);
		report_row(r, (uint64_t)thread->process->pid, (uint64_t)i, (uint64_t)thread->number,
			   totals.intervals, totals.instructions, totals.reps,
			   (uint64_t)bbv_count(blocks_of(v, thread->process)), thread->file.name);
	}
	return status ? status : use;
}

static const char *const state_options[] = {
	"interval", "interval-size", "interval-mark", "instr-count-only",
	"compat",   "blocks",        "key",           "memory",
	NULL
};

static const struct analyzer bbv = {
	.name = "trace-bbv",
	.summary = "write basic block vectors for SimPoint, as exp-bbv does",
	.example = "trace-bbv --interval=10M --bb-out-file=ls.bb ls.trace",
	.options = bbv_option_table,
	.defaults = &bbv_option_defaults,
	.options_size = sizeof(struct bbv_options),
	.writes_files = true,
	.state_size = sizeof(struct vectors),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.paths = paths,
	.blocks = blocks,
	.vector = vector,
	.event = event,
	.merge = merge,
	.complete = complete,
	.save = save,
	.load = load,
	.state_version = 1,
	.state_options = state_options,
	.report = report,
};
ANALYZER_MAIN(bbv)
