/* SPDX-License-Identifier: MIT */
#include "cli/import/drmemtrace_thread.h"

#include <inttypes.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/import/drmemtrace_file.h"

enum {
	STEP_RECORDS = 1 << 16, /* between looks at memory and progress */
	HEAD_RECORDS = 64,
	MOST_HEAD = 1 << 12, /* records before the first time or instruction */
};

/* ---- kinds of files ---------------------------------------------------------------------- */

bool drmemtrace_check_version(struct drmemtrace_input *input, uint64_t version)
{
	if (version <= DRMEMTRACE_VERSION_RETIRED)
		return true;
	return drmemtrace_input_fail(input,
				     "is of version %" PRIu64 " of the format, and only versions "
				     "up to %d are known",
				     version, DRMEMTRACE_VERSION_RETIRED);
}

bool drmemtrace_check_file_type(struct drmemtrace_input *input, uint64_t type)
{
	if (type & DRMEMTRACE_FILE_REGDEPS)
		return drmemtrace_input_fail(
			input, "has synthetic instructions (regdeps) instead of x86-64 code, as "
			       "Google's public workload traces have; they cannot be imported");
	if (!(type & DRMEMTRACE_FILE_X86_64))
		return drmemtrace_input_fail(input, "is of another architecture than x86-64");
	if (!(type & DRMEMTRACE_FILE_ENCODINGS))
		return drmemtrace_input_fail(
			input, "has no code bytes (encodings); use a final trace of DynamoRIO 9.0 "
			       "or later, without -no_encodings");
	if (type & DRMEMTRACE_FILE_CORE_SHARDED)
		return drmemtrace_input_fail(input, "is of a processor instead of a thread "
						    "(core-sharded); such files are not read");
	return true;
}

/* ---- the head ---------------------------------------------------------------------------- */

/* Takes a record of the head. Returns 1, 0 if it does not belong to the head, -1 after a message.
 */
static int take_head(struct drmemtrace_head *head, struct drmemtrace_input *input,
		     const struct drmemtrace_record *r)
{
	uint64_t value = drmemtrace_value(r);

	switch (r->type) {
	case DRMEMTRACE_HEADER:
		head->version = value;
		return drmemtrace_check_version(input, value) ? 1 : -1;
	case DRMEMTRACE_THREAD: head->tid = (uint32_t)value; return 1;
	case DRMEMTRACE_PID: head->pid = (uint32_t)value; return 1;
	case DRMEMTRACE_MARKER: break;
	default: return 0;
	}
	if (r->size == DRMEMTRACE_FILETYPE) {
		head->file_type = value;
		head->has_file_type = true;
		return drmemtrace_check_file_type(input, value) ? 1 : -1;
	}
	if (r->size == DRMEMTRACE_TIMESTAMP)
		head->time = value;
	return r->size != DRMEMTRACE_TIMESTAMP;
}

static bool read_head(struct drmemtrace_head *head, struct drmemtrace_input *input)
{
	struct drmemtrace_record r;
	int more = 1;

	if (!drmemtrace_input_next(input, &r)) {
		if (!input->failed)
			command_error("%s: is empty", shown_name(head->path));
		return false;
	}
	if (r.type != DRMEMTRACE_HEADER || r.size)
		return drmemtrace_input_fail(
			input, "is not a final trace of drmemtrace, which begins with a header; "
			       "a raw trace is converted by drrun -t drmemtrace -indir DIR");
	do
		more = take_head(head, input, &r);
	while (more > 0 && input->before + input->at < MOST_HEAD * DRMEMTRACE_RECORD_SIZE &&
	       drmemtrace_input_next(input, &r));
	if (more < 0 || input->failed)
		return false;
	if (!head->has_file_type)
		return drmemtrace_input_fail(input, "has no file type before its instructions");
	if (!head->tid || !head->pid)
		return drmemtrace_input_fail(input,
					     "has no thread and process before its instructions");
	return true;
}

bool drmemtrace_read_head(struct drmemtrace_head *head)
{
	struct drmemtrace_input *input = drmemtrace_input_open(head->path);
	bool done = input && read_head(head, input);

	drmemtrace_input_close(input);
	return done;
}

/* ---- records ----------------------------------------------------------------------------- */

static bool take_other(struct drmemtrace_file *f, const struct drmemtrace_record *r)
{
	uint64_t value = drmemtrace_value(r);

	switch (r->type) {
	case DRMEMTRACE_HEADER: return drmemtrace_check_version(f->input, value);
	case DRMEMTRACE_FOOTER: f->has_ended = true; return true;
	case DRMEMTRACE_THREAD:
		if ((uint32_t)value != f->tid)
			return drmemtrace_input_fail(f->input,
						     "has a second thread, %" PRIu64
						     "; files with several threads are not read",
						     value);
		return true;
	case DRMEMTRACE_THREAD_EXIT: f->has_exited = true; return true;
	case DRMEMTRACE_PID:
	case DRMEMTRACE_DATA_FLUSH:
	case DRMEMTRACE_DATA_FLUSH_END:
	case DRMEMTRACE_INSTR_FLUSH:
	case DRMEMTRACE_INSTR_FLUSH_END: return true;
	default: break;
	}
	if ((r->type > DRMEMTRACE_PREFETCHNTA && r->type < DRMEMTRACE_INSTR) ||
	    (r->type > DRMEMTRACE_INSTR_SYSENTER && r->type < DRMEMTRACE_ENCODING)) {
		data_add(&f->data.prefetches, value, r->size);
		return true;
	}
	f->job->lost[LOSS_UNKNOWN]++;
	return true;
}

static void add_data(struct drmemtrace_file *f, struct data_list *list,
		     const struct drmemtrace_record *r)
{
	if (f->has_insn)
		data_add(list, drmemtrace_value(r), r->size);
	else if (!f->in_kernel)
		f->job->lost[LOSS_SURPLUS]++;
}

/* Takes one record. Returns false after a message. */
static bool take(struct drmemtrace_file *f, const struct drmemtrace_record *r)
{
	uint64_t value = drmemtrace_value(r);

	switch (r->type) {
	case DRMEMTRACE_READ: add_data(f, &f->data.reads, r); return true;
	case DRMEMTRACE_WRITE: add_data(f, &f->data.writes, r); return true;
	case DRMEMTRACE_PREFETCH:
	case DRMEMTRACE_PREFETCHT0:
	case DRMEMTRACE_PREFETCHT1:
	case DRMEMTRACE_PREFETCHT2:
	case DRMEMTRACE_PREFETCHNTA: add_data(f, &f->data.prefetches, r); return true;
	case DRMEMTRACE_INSTR:
	case DRMEMTRACE_INSTR_DIRECT_JUMP:
	case DRMEMTRACE_INSTR_INDIRECT_JUMP:
	case DRMEMTRACE_INSTR_CONDITIONAL_JUMP:
	case DRMEMTRACE_INSTR_DIRECT_CALL:
	case DRMEMTRACE_INSTR_INDIRECT_CALL:
	case DRMEMTRACE_INSTR_RETURN:
	case DRMEMTRACE_INSTR_SYSENTER:
	case DRMEMTRACE_INSTR_TAKEN_JUMP:
	case DRMEMTRACE_INSTR_UNTAKEN_JUMP: return drmemtrace_insn(f, r->type, r->size, value);
	case DRMEMTRACE_INSTR_NO_FETCH:
	case DRMEMTRACE_INSTR_MAYBE_FETCH: return drmemtrace_repetition(f, r->size, value);
	case DRMEMTRACE_INSTR_BUNDLE: return drmemtrace_bundle(f, r);
	case DRMEMTRACE_ENCODING: return drmemtrace_code(f, r);
	case DRMEMTRACE_MARKER: return drmemtrace_take_marker(f, r->size, value);
	default: return take_other(f, r);
	}
}

static bool take_all(struct drmemtrace_file *f)
{
	struct drmemtrace_record r;
	uint64_t n = 0;

	while (drmemtrace_input_next(f->input, &r)) {
		if (++n % STEP_RECORDS == 0 &&
		    !import_step(f->job, drmemtrace_input_size(f->input)))
			return false;
		if (!take(f, &r))
			return false;
	}
	f->job->records += n;
	return !f->input->failed;
}

/* ---- a file ------------------------------------------------------------------------------ */

static void begin(struct drmemtrace_file *f, const struct drmemtrace_head *head)
{
	struct tf_event event = { .kind = TF_EVENT_THREAD_START };
	uint64_t time = head->time ? drmemtrace_nanoseconds(head->time) : 0;
	bool is_first;
	uint32_t index = import_thread(f->job, head->pid, head->tid, &is_first);

	if (index == TF_NONE)
		return;
	f->thread = thread_writer_open(&f->job->code, &f->job->order, index);
	if (!f->thread)
		return;
	event.thread_start.thread = index;
	event.thread_start.time_ns = time;
	thread_event(f->thread, &event);
	if (!is_first)
		return;
	event = (struct tf_event){ .kind = TF_EVENT_PROCESS_START };
	event.process_start.process = f->job->process;
	event.process_start.time_ns = time;
	thread_event(f->thread, &event);
}

static void end(struct drmemtrace_file *f)
{
	struct tf_event event = { .kind = TF_EVENT_THREAD_EXIT };

	drmemtrace_complete(f);
	drmemtrace_lose_track(f);
	event.thread_exit.time_ns = f->has_time ? f->time : f->latest;
	if (f->has_exited)
		drmemtrace_event(f, &event);
	if (!f->has_ended || f->input->cut) {
		command_error("%s: is cut: it ends %s; what it has is imported", f->input->path,
			      f->input->cut ? "inside of a record" : "without a footer");
		f->job->cut = true;
	}
	f->job->instructions += thread_instructions(f->thread);
}

bool drmemtrace_import_file(struct import_job *job, const struct drmemtrace_head *head,
			    struct drmemtrace_functions *functions)
{
	struct drmemtrace_file *f = checked_array(1, sizeof(*f));
	bool done = false;

	f->job = job;
	f->functions = functions;
	f->tid = head->tid;
	f->input = drmemtrace_input_open(head->path);
	if (f->input)
		begin(f, head);
	if (f->thread) {
		done = take_all(f);
		if (done)
			end(f);
		job->done += drmemtrace_input_size(f->input);
	}
	thread_writer_close(f->thread);
	drmemtrace_input_close(f->input);
	TABLE_FREE(f->places);
	free(f);
	return done && job->code.status >= 0;
}
