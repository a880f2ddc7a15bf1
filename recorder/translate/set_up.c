/* SPDX-License-Identifier: MIT */
#include "recorder/translate/set_up.h"

#include "recorder/core/phase_times.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/records/encoder.h"
#include "recorder/translate/records/records.h"
#include "recorder/translate/records/self_check.h"
#include "recorder/translate/thread/hot_paths.h"

static bool set_up(struct task *t)
{
	struct thread *th = thread_of(t);

	if (!t->session->translate.encoder)
		t->session->translate.encoder = encoder_new(t->session);
	if (t->session->options->self_check)
		th->check = self_check_new();
	if (!space_cache_has_area(t))
		schedule_confine(t); /* it is about to make a dozen system calls for the recorder */
	if (!t->session->options->self_check || th->check)
		th->area = space_cache_enter(t);
	if (!th->area) {
		self_check_free(th->check);
		th->check = NULL;
		th->refused = true;
		if (task_is_there(t))
			session_warn(t->session,
				     "process %d has no room for translated code and "
				     "is single-stepped, which is slow",
				     (int)t->process->pid);
		return false;
	}
	th->cache = space_cache_of(t);
	th->hot_paths = hot_paths_new(t->session, cache_has_saved(th->cache));
	th->context = (struct context *)th->area->memory.local;
	th->context_at = th->area->memory.remote;
	buffers_begin(t);
	return true;
}

bool thread_set_up(struct task *t)
{
	enum record_phase before = phase_times_begin(t->session, RECORD_LAUNCH);
	bool done = set_up(t);

	phase_times_end(t->session, before);
	return done;
}

int thread_tear_down(struct task *t)
{
	struct thread *th = thread_of(t);
	int status;

	if (!th->area)
		return 0;
	status = records_take_exit_counters(t);
	space_cache_leave(t, th->area);
	hot_paths_free(th->hot_paths);
	self_check_free(th->check);
	*th = (struct thread){ .mode = THREAD_SYNCHRONIZED };
	return status;
}
