/* SPDX-License-Identifier: MIT */
/*
 * Markers as events. An event is appended when its marker comes; later markers, and the next
 * instruction, complete it.
 */
#include <stdlib.h>

#include "cli/import/drmemtrace_file.h"

enum { MOST_EVENTS = 1 << 12 }; /* that wait for an instruction */

uint64_t drmemtrace_event(struct drmemtrace_file *f, const struct tf_event *event)
{
	if (f->thread->events.count >= MOST_EVENTS) {
		drmemtrace_lose_track(f);
		thread_flush(f->thread);
	}
	return thread_event(f->thread, event);
}

static struct tf_event *waiting(struct drmemtrace_file *f, uint64_t number)
{
	return thread_waiting(f->thread, number);
}

/* ---- where control goes ------------------------------------------------------------------ */

void drmemtrace_arrive(struct drmemtrace_file *f, uint64_t pc)
{
	struct tf_event *event = waiting(f, f->jump);

	f->jump = 0;
	if (event && event->kind == TF_EVENT_SIGNAL)
		event->signal.handler = pc;
	else if (event)
		event->sigreturn.pc = pc;
}

void drmemtrace_gap(struct drmemtrace_file *f)
{
	struct tf_event event = { .kind = TF_EVENT_GAP };

	event.gap.reason = TF_GAP_SKIPPED;
	drmemtrace_event(f, &event);
}

/* A signal, or an abort of a restartable sequence. */
static void interrupt(struct drmemtrace_file *f, uint64_t pc)
{
	struct tf_event event = { .kind = TF_EVENT_SIGNAL };

	if (f->has_insn && f->places.at[f->at].key == pc)
		f->data.interrupted = drmemtrace_is_rep(f);
	drmemtrace_complete(f);
	drmemtrace_end_branch(f, pc);
	drmemtrace_lose_track(f);
	drmemtrace_end_time(f);
	drmemtrace_arrive(f, pc);
	if (f->aborts) {
		f->aborts = false;
		drmemtrace_gap(f);
		return;
	}
	event.signal.pc = pc;
	f->jump = f->signal = drmemtrace_event(f, &event);
}

static void resume(struct drmemtrace_file *f)
{
	struct tf_event event = { .kind = TF_EVENT_SIGRETURN };

	drmemtrace_complete(f);
	drmemtrace_lose_track(f);
	drmemtrace_end_time(f);
	f->jump = drmemtrace_event(f, &event);
}

static void change_window(struct drmemtrace_file *f, uint64_t window)
{
	if (f->has_window && f->window != window) {
		drmemtrace_complete(f);
		drmemtrace_lose_track(f);
		drmemtrace_end_time(f);
		drmemtrace_gap(f);
	}
	f->has_window = true;
	f->window = window;
}

/* ---- times ------------------------------------------------------------------------------- */

void drmemtrace_end_time(struct drmemtrace_file *f)
{
	struct tf_event event = { .kind = TF_EVENT_TIME };

	if (!f->has_time)
		return;
	f->has_time = false;
	event.time.time_ns = f->time;
	drmemtrace_event(f, &event);
}

static void take_time(struct drmemtrace_file *f, uint64_t value)
{
	uint64_t time = drmemtrace_nanoseconds(value);
	struct tf_event *result = waiting(f, f->result);

	if (f->repeats_time) {
		f->repeats_time = false;
		return;
	}
	drmemtrace_complete(f);
	drmemtrace_end_time(f);
	if (time > f->latest)
		f->latest = time;
	thread_time(f->thread, f->latest);
	f->time = time;
	f->has_time = f->has_begun && !result; /* the first one is the thread's start */
	f->has_begun = true;
	f->result = 0;
	if (result)
		result->syscall_result.time_ns = time;
}

static uint64_t use_time(struct drmemtrace_file *f)
{
	uint64_t time = f->has_time ? f->time : f->latest;

	f->has_time = false;
	return time;
}

/* ---- system calls, calls of functions ---------------------------------------------------- */

static void enter_syscall(struct drmemtrace_file *f, uint64_t number)
{
	struct tf_event event = { .kind = TF_EVENT_SYSCALL };

	drmemtrace_complete(f);
	event.syscall.number = number;
	event.syscall.time_ns = use_time(f);
	f->syscall = drmemtrace_event(f, &event);
}

static void take_argument(struct drmemtrace_file *f, uint64_t value)
{
	struct tf_event *event;

	if (f->n_args >= TF_MAX_CALL_ARGS)
		return;
	if (f->function >= DRMEMTRACE_SYSCALL_FUNCTION) {
		event = waiting(f, f->syscall);
		if (event && event->syscall.number == f->function - DRMEMTRACE_SYSCALL_FUNCTION)
			event->syscall.args[f->n_args++] = value;
		return;
	}
	event = waiting(f, f->call);
	if (!event)
		return;
	event->call.args[f->n_args++] = value;
	event->call.n_args = f->n_args;
}

static void call_function(struct drmemtrace_file *f)
{
	struct tf_event event = { .kind = TF_EVENT_CALL };

	drmemtrace_complete(f);
	drmemtrace_end_time(f);
	event.call.function = drmemtrace_function(f->functions, f->job, f->function);
	if (event.call.function != TF_NONE)
		f->call = drmemtrace_event(f, &event);
}

static void take_result(struct drmemtrace_file *f, uint64_t value)
{
	struct tf_event event = { .kind = TF_EVENT_SYSCALL_RESULT };

	drmemtrace_complete(f);
	drmemtrace_end_time(f);
	if (f->function >= DRMEMTRACE_SYSCALL_FUNCTION) {
		event.syscall_result.number = f->function - DRMEMTRACE_SYSCALL_FUNCTION;
		event.syscall_result.result = (int64_t)value;
		event.syscall_result.time_ns = f->latest;
		f->result = drmemtrace_event(f, &event);
		return;
	}
	event.kind = TF_EVENT_RETURN;
	event.ret.function = drmemtrace_function(f->functions, f->job, f->function);
	event.ret.result = value;
	if (event.ret.function != TF_NONE)
		drmemtrace_event(f, &event);
}

/* ------------------------------------------------------------------------------------------ */

bool drmemtrace_take_marker(struct drmemtrace_file *f, unsigned type, uint64_t value)
{
	struct tf_event *event;

	switch (type) {
	case DRMEMTRACE_KERNEL_EVENT: interrupt(f, value); break;
	case DRMEMTRACE_KERNEL_XFER: resume(f); break;
	case DRMEMTRACE_SIGNAL_NUMBER:
		event = waiting(f, f->signal);
		if (event)
			event->signal.number = (uint32_t)value;
		break;
	case DRMEMTRACE_RSEQ_ABORT: f->aborts = true; break;
	case DRMEMTRACE_WINDOW_ID: change_window(f, value); break;
	case DRMEMTRACE_TIMESTAMP: take_time(f, value); break;
	case DRMEMTRACE_CHUNK_FOOTER: f->repeats_time = true; break;
	case DRMEMTRACE_SYSCALL: enter_syscall(f, value); break;
	case DRMEMTRACE_FUNC_ID:
		f->function = value;
		f->n_args = 0;
		break;
	case DRMEMTRACE_FUNC_RETADDR: call_function(f); break;
	case DRMEMTRACE_FUNC_ARG: take_argument(f, value); break;
	case DRMEMTRACE_FUNC_RETVAL: take_result(f, value); break;
	case DRMEMTRACE_BRANCH_TARGET: f->target = value; break;
	case DRMEMTRACE_SYSCALL_TRACE_START:
	case DRMEMTRACE_CONTEXT_SWITCH_START:
		drmemtrace_complete(f);
		f->in_kernel = true;
		break;
	case DRMEMTRACE_SYSCALL_TRACE_END:
	case DRMEMTRACE_CONTEXT_SWITCH_END: f->in_kernel = false; break;
	case DRMEMTRACE_FILETYPE: return drmemtrace_check_file_type(f->input, value);
	case DRMEMTRACE_VERSION: return drmemtrace_check_version(f->input, value);
	default: break; /* the others say nothing that a trace has */
	}
	return true;
}
