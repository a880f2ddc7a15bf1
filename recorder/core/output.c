/* SPDX-License-Identifier: MIT */
#include "recorder/core/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/loop_heads.h"
#include "recorder/core/points.h"
#include "recorder/core/vector_summary.h"
#include "traceformat/tracesamples.h"

struct output {
	struct session *session;
	struct tf_writer *writer;
	char *name;
	int fd;
	bool created;         /* the file did not exist before */
	atomic_bool broken;   /* writing has failed */
	uint64_t pending;     /* upper bound of the bytes not yet written, before compression */
	uint64_t limit;       /* written + pending may not exceed it; 0: none */
	uint64_t long_values; /* bytes of META in a limited trace */
	bool scheduling;      /* there has been more than one thread */
	uint32_t running;     /* thread that executed last */
	uint64_t ran;         /* instructions that this thread has executed in its turn */
	uint64_t records;     /* u64 in records: one for each execution, and its slots */
	pthread_mutex_t lock; /* guards scheduling, running, ran and records */
	pthread_mutex_t publishing; /* see output_lock */
	double flushed;             /* when the records were last made readable, session_now() */
	uint32_t n_threads, n_processes;
};

/* The bytes that a finished trace needs beside its sections: INDEX and trailer grow with them. */
enum { RESERVE_BYTES = 16 << 10, RESERVE_PART = 64 };

/* The symbols of a module may take no more than this part of a limited trace. */
enum { SYMBOLS_PART = 4 };

/* The long values of META may together take no more than this part of a limited trace. */
enum { META_PART = 4, SHORT_VALUE = 128 };

/*
 * Reports why a call of the writer has failed, and returns -1. If the output was broken before, the
 * call was not made, and *error is not read.
 */
static int failed(struct output *o, const struct tf_error *error)
{
	if (o->broken)
		return -1;
	o->broken = error->status == TF_E_IO || error->status == TF_E_MEMORY;
	return session_fail(o->session, error->status, "%s", error->text);
}

/* Needs no lock: with a limit, one task runs at a time, and no other thread writes. */
static void add_pending(struct output *o, uint64_t bytes)
{
	if (o->limit)
		o->pending += bytes;
}

/* The dictionary is written twice. */
static void add_to_dictionary(struct output *o, uint64_t bytes)
{
	add_pending(o, 2 * bytes);
}

/* Returns the name for messages. */
static const char *output_name(const struct output *o)
{
	return strcmp(o->name, "-") == 0 ? "standard output" : o->name;
}

int output_memory(struct output *o)
{
	return session_fail(o->session, TF_E_MEMORY, "%s: out of memory", output_name(o));
}

static char *default_name(const struct record_options *options)
{
	const char *program = options->argv ? options->argv[0] : "";
	const char *slash = strrchr(program, '/');
	char *name;
	int size;

	if (options->pid)
		size = asprintf(&name, "%d.trace", (int)options->pid);
	else
		size = asprintf(&name, "%s.trace", slash ? slash + 1 : program);
	return size < 0 ? NULL : name;
}

static int refuse_existing(struct session *s, const struct output *o)
{
	static const char *const kinds[] = {
		[TF_FILE_OTHER] = "exists",
		[TF_FILE_UNFINISHED] = "exists, an unfinished trace",
		[TF_FILE_FINISHED] = "exists, a finished trace",
	};
	struct stat st;

	if (stat(o->name, &st) < 0)
		return session_fail(s, TF_E_ARGUMENT,
				    "%s: is a symbolic link to nothing; --force "
				    "creates what it names, -o FILE writes elsewhere",
				    o->name);
	return session_fail(s, TF_E_ARGUMENT,
			    "%s: %s; --force replaces it, -o FILE writes "
			    "elsewhere",
			    o->name, kinds[tf_file_kind(o->name)]);
}

/* Sets the file's mode, as a replaced file may have another one. */
static int set_mode(struct session *s, const struct output *o)
{
	int mode = s->options->mode ? s->options->mode : TF_FILE_MODE;
	struct stat st;

	if (fstat(o->fd, &st) < 0 || !S_ISREG(st.st_mode) || (int)(st.st_mode & ALLPERMS) == mode ||
	    fchmod(o->fd, (mode_t)mode) == 0)
		return 0;
	return session_fail(s, TF_E_IO, "%s: cannot set its mode: %s; -o FILE writes elsewhere",
			    o->name, strerror(errno));
}

/*
 * Opens the file. Only a regular file needs --force to be replaced, a pipe or /dev/null does not.
 */
static int open_file(struct session *s, struct output *o)
{
	struct stat st;

	o->fd = open(o->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, TF_FILE_MODE);
	o->created = o->fd >= 0;
	if (o->fd < 0 && errno == EEXIST) {
		if (!s->options->force && (stat(o->name, &st) < 0 || S_ISREG(st.st_mode)))
			return refuse_existing(s, o);
		o->fd = open(o->name, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, TF_FILE_MODE);
	}
	if (o->fd < 0)
		return session_fail(s, TF_E_IO,
				    "%s: cannot be written: %s; -o FILE writes "
				    "elsewhere",
				    o->name, strerror(errno));
	return set_mode(s, o);
}

static int open_output(struct session *s, struct output *o)
{
	const struct record_options *options = s->options;

	if (options->output && strcmp(options->output, "-") == 0) {
		if (isatty(STDOUT_FILENO))
			return session_fail(s, TF_E_ARGUMENT,
					    "a trace is not for a terminal; send "
					    "standard output to a file or pipe");
		o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (o->fd < 0)
			return session_fail(s, TF_E_IO, "standard output: %s", strerror(errno));
		return 0;
	}
	return open_file(s, o);
}

/* Returns the number of CPUs for compression: of those that the recorder may use, all but the
 * program's one, and at least one. */
static unsigned spare_cpus(void)
{
	enum { ENOUGH = 4 };
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set) - 1;

	return n < 1 ? 1 : n < ENOUGH ? (unsigned)n : ENOUGH;
}

int output_open(struct session *s)
{
	const struct record_options *options = s->options;
	struct tf_writer_options w = {
		.size = sizeof(w),
		.level = options->level ? options->level : s->backend->level,
		.chunk_instructions = options->chunk_instructions,
		.no_addresses = options->no_addresses,
		.order_exact = s->schedule.serial,
		/* The size of a limited trace must be known at every moment. */
		.threads = options->max_size ? 0 : spare_cpus(),
	};
	struct output *o = calloc(1, sizeof(*o));
	struct tf_error error;

	s->output = o;
	if (!o)
		return session_fail(s, TF_E_MEMORY, "out of memory");
	pthread_mutex_init(&o->lock, NULL);
	pthread_mutex_init(&o->publishing, NULL);
	o->session = s;
	o->fd = -1;
	o->running = TF_NONE;
	o->flushed = session_now();
	o->name = options->output ? strdup(options->output) : default_name(options);
	if (!o->name)
		return session_fail(s, TF_E_MEMORY, "out of memory");
	if (options->max_size) {
		uint64_t reserve = options->max_size / RESERVE_PART + RESERVE_BYTES;

		if (options->max_size <= 2 * reserve)
			return session_fail(s, TF_E_ARGUMENT,
					    "a trace of at most %llu bytes holds "
					    "nothing; the least is 64Ki",
					    (unsigned long long)options->max_size);
		o->limit = options->max_size - reserve;
	}
	if (open_output(s, o) < 0)
		return -1;
	if (tf_writer_create_fd(o->fd, output_name(o), &w, &o->writer, &error) < 0) {
		failed(o, &error);
		output_discard(o);
		return -1;
	}
	return 0;
}

void output_discard(struct output *o)
{
	if (o->created)
		unlink(o->name);
	o->created = false;
}

void output_free(struct output *o)
{
	if (!o)
		return;
	tf_writer_free(o->writer);
	if (o->fd >= 0)
		close(o->fd);
	free(o->name);
	free(o);
}

struct tf_writer *output_writer(const struct output *o)
{
	return o->writer;
}

void output_totals(struct output *o, struct output_totals *totals)
{
	*totals = (struct output_totals){
		.threads = o->n_threads,
		.processes = o->n_processes,
	};
	tf_writer_totals(o->writer, &totals->executed);
	totals->bytes = tf_writer_size(o->writer);
	o->session->stats.compressing = tf_writer_compressing(o->writer);
	pthread_mutex_lock(&o->lock);
	/* The count of paths is known only when they are written. */
	if (o->records > totals->executed.paths)
		totals->slots = o->records - totals->executed.paths;
	pthread_mutex_unlock(&o->lock);
}

/* ---- the writer's functions ---- */

/*
 * Returns how many bytes of a value of META a limited trace has room for: half of the room, so that
 * later values have some, too.
 */
static size_t room_for_value(struct output *o, const char *key, size_t size)
{
	uint64_t most = o->limit / META_PART;
	uint64_t room = most > o->long_values ? (most - o->long_values) / 2 : 0;

	if (!o->limit || size <= SHORT_VALUE)
		return size;
	if (size > room) {
		size = room > SHORT_VALUE ? (size_t)room : SHORT_VALUE;
		session_warn(o->session,
			     "only %zu bytes of %s are in the trace: the rest would take too much "
			     "of --max-size",
			     size, key);
	}
	o->long_values += size;
	return size;
}

int output_meta(struct output *o, const char *key, const char *value)
{
	struct tf_error error;
	size_t size = strlen(value), room = room_for_value(o, key, size);
	char *cut = room < size ? strndup(value, room) : NULL;
	bool failing;

	if (room < size && !cut)
		return output_memory(o);
	failing = o->broken || tf_writer_meta(o->writer, key, cut ? cut : value, &error) < 0;
	free(cut);
	return failing ? failed(o, &error) : 0;
}

int output_add_module(struct output *o, const struct tf_module *module, uint32_t *index)
{
	struct vector_summary *summary = o->session->vector_summary;
	struct tf_error error;

	if (o->broken || tf_writer_add_module(o->writer, module, index, &error) < 0)
		return failed(o, &error);
	if ((summary && !vector_summary_add_module(summary, module)) ||
	    !loop_heads_add_module(o->session, module))
		return output_memory(o);
	return points_module(o->session, module, *index);
}

int output_add_symbols(struct output *o, uint32_t module, const struct tf_symbol *symbols,
		       size_t count)
{
	uint64_t size = 0;
	struct tf_error error;

	for (size_t i = 0; i < count; i++)
		size += strlen(symbols[i].name) + 8;
	if (o->limit && size > o->limit / SYMBOLS_PART)
		return 1;
	if (o->broken || tf_writer_add_symbols(o->writer, module, symbols, count, &error) < 0)
		return failed(o, &error);
	add_to_dictionary(o, size);
	return 0;
}

int output_add_process(struct output *o, const struct tf_process *process, uint32_t *index)
{
	struct tf_error error;

	if (o->broken || tf_writer_add_process(o->writer, process, index, &error) < 0)
		return failed(o, &error);
	o->n_processes++;
	return 0;
}

int output_add_function(struct output *o, const struct tf_function *function, uint32_t *index)
{
	struct tf_error error;

	if (o->broken || tf_writer_add_function(o->writer, function, index, &error) < 0)
		return failed(o, &error);
	return 0;
}

int output_add_mapping(struct output *o, const struct tf_mapping *mapping, uint32_t *index)
{
	struct tf_error error;

	if (o->broken || tf_writer_add_mapping(o->writer, mapping, index, &error) < 0)
		return failed(o, &error);
	add_to_dictionary(o, strlen(mapping->name) + 32);
	return 0;
}

int output_add_region(struct output *o, const struct tf_region *region, uint32_t *index)
{
	struct tf_error error;

	if (o->broken || tf_writer_add_region(o->writer, region, index, &error) < 0)
		return failed(o, &error);
	return 0;
}

int output_add_block(struct output *o, const struct tf_block *block, uint32_t *id)
{
	struct vector_summary *summary = o->session->vector_summary;
	struct tf_error error;

	if (o->broken || tf_writer_add_block(o->writer, block, id, &error) < 0)
		return failed(o, &error);
	add_to_dictionary(o,
			  16u + block->code_size + 4u * block->n_insns + 16u * block->n_operands);
	if ((summary && !vector_summary_add_block(summary, block, *id)) ||
	    !loop_heads_add_block(o->session, block, *id))
		return output_memory(o);
	return points_block(o->session, block, *id);
}

int output_add_path(struct output *o, const struct tf_path *path, uint32_t *id,
		    uint32_t *first_exit)
{
	struct vector_summary *summary = o->session->vector_summary;
	struct tf_error error;

	if (o->broken || tf_writer_add_path(o->writer, path, id, first_exit, &error) < 0)
		return failed(o, &error);
	add_to_dictionary(o, 32u + (path->recipes ? 8u * path->n_values : 0u));
	if (summary && !vector_summary_add_path(summary, path, *first_exit))
		return output_memory(o);
	return points_path(o->session, path, *first_exit);
}

int output_add_vector(struct output *o, const struct tf_vector *vector)
{
	struct tf_error error;

	if (o->broken || tf_writer_add_vector(o->writer, vector, &error) < 0)
		return failed(o, &error);
	return 0;
}

int output_exclude(struct output *o, const struct tf_excluded *excluded, unsigned rule)
{
	struct vector_summary *summary = o->session->vector_summary;

	points_exclude(o->session, excluded->block);
	return summary && !vector_summary_exclude(summary, excluded, rule) ? output_memory(o) : 0;
}

int output_add_interval(struct output *o, const struct tf_interval *interval)
{
	struct tf_error error;

	if (o->broken || tf_writer_add_interval(o->writer, interval, &error) < 0)
		return failed(o, &error);
	return 0;
}

/* ---- streams ---- */

int output_open_stream(struct output *o, struct task *t)
{
	struct tf_thread thread = { .process = t->process->index, .tid = (uint32_t)t->tid };
	struct tf_error error;

	if (o->broken || tf_writer_add_thread(o->writer, &thread, &t->trace.thread, &error) < 0)
		return failed(o, &error);
	if (o->broken || tf_stream_open(o->writer, t->trace.thread, &t->trace.stream, &error) < 0)
		return failed(o, &error);
	o->n_threads++;
	return 0;
}

void output_lock(struct output *o)
{
	pthread_mutex_lock(&o->publishing);
}

void output_unlock(struct output *o)
{
	pthread_mutex_unlock(&o->publishing);
}

int output_close_stream(struct output *o, struct task *t)
{
	struct tf_stream *stream = t->trace.stream;
	struct tf_error error;

	t->trace.stream = NULL;
	/* The stream is closed even if writing has failed: this frees what cannot be written. */
	if (!stream || tf_stream_close(stream, &error) == 0)
		return 0;
	return failed(o, &error);
}

/*
 * Writes a part of the threads' order when another thread has its turn; with a single thread,
 * none.
 */
static int switch_thread(struct output *o, uint32_t thread)
{
	struct tf_error error;

	o->scheduling |= o->running != TF_NONE && o->running != thread;
	if (o->scheduling && o->ran)
		if (o->broken || tf_writer_schedule(o->writer, o->running, o->ran, &error) < 0)
			return failed(o, &error);
	if (o->scheduling)
		o->ran = 0;
	o->running = thread;
	return 0;
}

int output_executed(struct output *o, struct task *t, uint64_t n_insns, uint64_t records)
{
	int status = 0;

	if (!records)
		return 0;
	pthread_mutex_lock(&o->lock);
	if (o->running != t->trace.thread)
		status = switch_thread(o, t->trace.thread);
	o->ran += n_insns;
	o->records += records;
	pthread_mutex_unlock(&o->lock);
	add_pending(o, 4 + 9 * records);
	return status;
}

int output_exec(struct output *o, struct task *t, uint32_t exit, unsigned n_insns,
		const uint64_t *slots, unsigned n_slots)
{
	struct tf_error error;

	if (o->broken || output_executed(o, t, n_insns, 1 + n_slots) < 0)
		return -1;
	if (o->broken || tf_stream_exec(t->trace.stream, exit, slots, &error) < 0)
		return failed(o, &error);
	return 0;
}

int output_partial(struct output *o, struct task *t, uint32_t path, unsigned n_insns,
		   const uint64_t *slots, unsigned n_slots)
{
	struct tf_error error;

	if (o->broken || output_executed(o, t, n_insns, 1 + n_slots) < 0)
		return -1;
	if (o->broken || tf_stream_partial(t->trace.stream, path, n_insns, slots, n_slots,
					   t->regs.rsp, &error) < 0)
		return failed(o, &error);
	add_pending(o, 16);
	return 0;
}

int64_t output_records(struct output *o, struct task *t, const uint64_t *records, size_t count,
		       const uint32_t *exits, size_t n_exits, uint64_t *n_insns)
{
	uint64_t before = tf_stream_ordinal(t->trace.stream);
	struct tf_error error;
	int64_t used;

	if (o->broken)
		return -1;
	used = tf_stream_records(t->trace.stream, records, count, exits, n_exits, &error);
	if (used < 0)
		return failed(o, &error);
	*n_insns += tf_stream_ordinal(t->trace.stream) - before;
	return used;
}

void output_registers(struct task *t)
{
	tf_stream_registers(t->trace.stream, t->regs.rsp, t->trace.fs_base, t->trace.gs_base);
}

bool output_misses_rsp(const struct task *t)
{
	return tf_stream_misses_rsp(t->trace.stream, t->regs.rsp);
}

int output_event(struct output *o, struct task *t, const struct tf_event *event)
{
	struct tf_error error;

	if (!t->trace.stream)
		return 0;
	if (o->broken || tf_stream_event(t->trace.stream, event, &error) < 0)
		return failed(o, &error);
	add_pending(o, 64);
	return 0;
}

bool output_flush_is_due(const struct session *s, double now)
{
	double interval = s->options->flush_seconds;

	return interval > 0 && now >= s->output->flushed + interval;
}

int output_flush(struct session *s)
{
	struct output *o = s->output;
	int status;
	struct tf_error error;

	pthread_mutex_lock(&o->lock);
	status = switch_thread(o, o->running);
	pthread_mutex_unlock(&o->lock);
	if (status < 0)
		return -1;
	FOR_EACH_TASK (s, t)
		if (t->trace.stream)
			if (o->broken || tf_stream_flush(t->trace.stream, &error) < 0)
				return failed(o, &error);
	if (o->broken || tf_writer_flush(o->writer, &error) < 0)
		return failed(o, &error);
	o->pending = 0;
	o->flushed = session_now();
	return 0;
}

/* Returns the size in bytes of the trace if it were finished now, without the pending bytes. */
static uint64_t finished_size(const struct output *o)
{
	return tf_writer_size(o->writer) + tf_writer_copies_size(o->writer);
}

uint64_t output_room(const struct output *o)
{
	uint64_t used;

	if (!o->limit)
		return UINT64_MAX;
	used = finished_size(o) + o->pending;
	return used < o->limit ? o->limit - used : 0;
}

bool output_full(struct session *s)
{
	struct output *o = s->output;

	if (!o->limit || finished_size(o) + o->pending < o->limit)
		return false;
	/*
	 * Pending bytes shrink when they are compressed. Each flush leaves a smaller rest to fill,
	 * so a few dozen flushes suffice until the rest is too small to go on.
	 */
	if (output_flush(s) < 0)
		return false;
	return finished_size(o) + (o->limit / RESERVE_PART) >= o->limit;
}

int output_finish(struct output *o, int wait_status, const char *stop_reason)
{
	int fd = o->fd;
	struct tf_error error;

	if (switch_thread(o, o->running) < 0)
		return -1;
	if (o->broken || tf_writer_finish(o->writer, wait_status, stop_reason, &error) < 0)
		return failed(o, &error);
	o->fd = -1;
	if (close(fd) < 0)
		return session_fail(o->session, TF_E_IO, "%s: cannot be closed: %s", output_name(o),
				    strerror(errno));
	return 0;
}
