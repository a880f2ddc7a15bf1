/* SPDX-License-Identifier: MIT */
/*
 * Markers of times must not stand between a branch and the next instruction, unless the kernel has
 * moved control there, because readers look for the successor of a branch in the next record. Such
 * a marker waits until an instruction that is no branch was written.
 *
 * A chunk is a component of a zip archive, which tools read without those before it: it repeats the
 * time, and the code bytes of its instructions.
 */
#include "cli/export/drmemtrace_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"

static const uint64_t unknown_cpu = UINT64_MAX;

void drmemtrace_flush(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	pack_write(e->out, s->buffer, s->n_buffered * DRMEMTRACE_RECORD_SIZE);
	e->records += s->n_buffered;
	s->n_buffered = 0;
}

void drmemtrace_put_marker(struct export_run *e, enum drmemtrace_marker marker, uint64_t value)
{
	drmemtrace_put(e, DRMEMTRACE_MARKER, marker, value, true);
}

/* ---- times ------------------------------------------------------------------------------- */

void drmemtrace_put_time(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	s->written_time = s->clock.now;
	s->timed = true;
	s->time_waits = false;
	drmemtrace_put_marker(e, DRMEMTRACE_TIMESTAMP, s->written_time);
	drmemtrace_put_marker(e, DRMEMTRACE_CPU_ID, unknown_cpu);
}

static bool must_wait(const struct drmemtrace_state *s)
{
	return s->last.branch && !s->kernel;
}

void drmemtrace_time_passes(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	if (s->timed)
		return;
	if (must_wait(s))
		s->time_waits = true;
	else
		drmemtrace_put_time(e);
}

/* ---- chunks ------------------------------------------------------------------------------ */

static bool is_chunked(const struct export_run *e)
{
	return !e->options->plain;
}

static void begin_component(struct export_run *e)
{
	const struct drmemtrace_state *s = e->state;
	char name[32];

	drmemtrace_flush(e);
	snprintf(name, sizeof(name), "chunk.%08" PRIu64, s->chunk);
	pack_component(e->out, name);
}

static void begin_chunk(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	drmemtrace_put_marker(e, DRMEMTRACE_CHUNK_FOOTER, s->chunk);
	s->chunk++;
	s->chunk_insns = 0;
	begin_component(e);
	drmemtrace_put(e, DRMEMTRACE_MARKER, DRMEMTRACE_RECORD_ORDINAL, s->visible, false);
	drmemtrace_put(e, DRMEMTRACE_MARKER, DRMEMTRACE_TIMESTAMP, s->written_time, false);
	drmemtrace_put(e, DRMEMTRACE_MARKER, DRMEMTRACE_CPU_ID, unknown_cpu, false);
}

/* ---- begin, instructions, end ------------------------------------------------------------ */

static uint64_t file_type(const struct export_run *e)
{
	return (e->options->regdeps ? DRMEMTRACE_FILE_REGDEPS : DRMEMTRACE_FILE_X86_64) |
	       DRMEMTRACE_FILE_ENCODINGS | DRMEMTRACE_FILE_SYSCALLS |
	       (e->options->blocking ? DRMEMTRACE_FILE_BLOCKING_SYSCALLS : 0) |
	       (e->addresses ? 0 : DRMEMTRACE_FILE_INSTRUCTIONS_ONLY);
}

static uint64_t process_id(const struct export_run *e)
{
	const struct tf_process *process = tf_process(e->reader, e->process);

	return process && process->pid ? process->pid : UINT64_C(1) + e->process;
}

static const struct drmemtrace_times *times_of(const struct export_run *e)
{
	const struct drmemtrace_shared *shared = e->shared;

	return shared->times;
}

void drmemtrace_put_header(struct export_run *e)
{
	enum { LINE = 64, PAGE = 4096, ID_SIZE = 4 };
	struct drmemtrace_state *s = e->state;
	const struct export_options *o = e->options;

	drmemtrace_clock_begin(&s->clock, times_of(e), e->thread, e->first);
	begin_component(e);
	drmemtrace_put(e, DRMEMTRACE_HEADER, 0, o->version, false);
	drmemtrace_put_marker(e, DRMEMTRACE_VERSION, o->version);
	drmemtrace_put_marker(e, DRMEMTRACE_FILETYPE, file_type(e));
	drmemtrace_put(e, DRMEMTRACE_THREAD, ID_SIZE, drmemtrace_thread_id(times_of(e), e->thread),
		       false);
	drmemtrace_put(e, DRMEMTRACE_PID, ID_SIZE, process_id(e), false);
	drmemtrace_put_marker(e, DRMEMTRACE_CACHE_LINE_SIZE, LINE);
	drmemtrace_put_marker(e, DRMEMTRACE_CHUNK_INSTR_COUNT, is_chunked(e) ? o->chunk : 0);
	drmemtrace_put_marker(e, DRMEMTRACE_PAGE_SIZE, PAGE);
	if (e->parts || drmemtrace_has_gaps(times_of(e), e->thread))
		drmemtrace_put_marker(e, DRMEMTRACE_WINDOW_ID, 0);
	drmemtrace_put_time(e);
}

/* Counts a system call of which the trace has no number. */
static void end_syscall(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	e->lost[LOSS_SYSCALLS] += s->last.syscall;
	s->last.syscall = false;
}

/* Tells readers that the next instruction is not the one that they expect. */
static void put_window(struct export_run *e, uint64_t pc)
{
	struct drmemtrace_state *s = e->state;
	bool elsewhere = !s->kernel && pc != s->last.expected;

	if (s->last.exists && (s->gap || elsewhere))
		drmemtrace_put_marker(e, DRMEMTRACE_WINDOW_ID, ++s->window);
	s->gap = false;
}

void drmemtrace_before_insn(struct export_run *e, uint64_t ordinal, uint64_t pc)
{
	struct drmemtrace_state *s = e->state;

	end_syscall(e);
	if (drmemtrace_clock_insn(&s->clock, ordinal) || s->time_waits)
		drmemtrace_time_passes(e);
	put_window(e, pc);
	if (is_chunked(e) && s->chunk_insns == e->options->chunk)
		begin_chunk(e);
	s->chunk_insns++;
	s->timed = s->kernel = s->in_syscall = false;
}

bool drmemtrace_goes_on(const struct export_run *e, uint64_t ordinal, uint64_t pc, unsigned n)
{
	const struct drmemtrace_state *s = e->state;

	return pc == s->last.expected && s->last.exists && !s->last.syscall && !s->time_waits &&
	       !s->gap && ordinal + n <= s->clock.next_ordinal &&
	       (!is_chunked(e) || s->chunk_insns + n <= e->options->chunk);
}

void drmemtrace_put_end(struct export_run *e)
{
	enum { ID_SIZE = 4 };
	struct drmemtrace_state *s = e->state;

	end_syscall(e);
	if (!s->timed && !must_wait(s))
		drmemtrace_put_time(e);
	drmemtrace_put(e, DRMEMTRACE_THREAD_EXIT, ID_SIZE,
		       drmemtrace_thread_id(times_of(e), e->thread), true);
	drmemtrace_put(e, DRMEMTRACE_FOOTER, 0, 0, false);
	drmemtrace_flush(e);
}

/* ---- the folder -------------------------------------------------------------------------- */

/* Returns the name of the program, without folders and arguments. The caller frees it. */
static char *program_name(struct tf_reader *reader)
{
	const char *path = tf_meta(reader, "exe.path"), *command = tf_meta(reader, "command.argv");
	char *words = checked_copy(path ? path : command ? command : ""), *name;

	if (!path)
		words[strcspn(words, " ")] = 0;
	name = checked_copy(*words ? base_name(words) : "program");
	free(words);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
			*c = '_';
	return name;
}

char *drmemtrace_file_name(struct tf_reader *reader, const void *opaque, uint32_t thread,
			   const struct export_options *options)
{
	enum { LONGEST = 100 };
	const struct drmemtrace_shared *shared = opaque;
	char *program = program_name(reader);
	char *name = text_format("drmemtrace.%.*s.%" PRIu64 ".%04" PRIu32 ".trace%s", LONGEST,
				 program, drmemtrace_thread_id(shared->times, thread), thread,
				 options->plain ? "" : ".zip");

	free(program);
	return name;
}

bool drmemtrace_is_file_name(const char *name)
{
	static const char begin[] = "drmemtrace.";
	const char *trace = strstr(name, ".trace");

	for (const char *next = trace; next; next = strstr(next + 1, ".trace"))
		trace = next;
	if (drmemtrace_is_shared_name(name))
		return true;
	return !strncmp(name, begin, strlen(begin)) && trace &&
	       (!strcmp(trace, ".trace") || !strcmp(trace, ".trace.zip"));
}
