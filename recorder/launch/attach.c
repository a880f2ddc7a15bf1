/* SPDX-License-Identifier: MIT */
/*
 * An attached process runs natively until all of its threads have been stopped. Each thread is
 * then taken over where it stands (native_take_over()), as after --from.
 */
#include "recorder/launch/attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "recorder/core/interrupts.h"
#include "recorder/core/loop.h"
#include "recorder/core/refusals.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/confinement.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/metadata.h"
#include "recorder/ptrace/process.h"
#include "recorder/sampling/sampling.h"

int attach_check(struct session *s)
{
	const char *why = refusals_process(s->options->pid);

	if (!why)
		return 0;
	return session_fail(s, TF_E_ARGUMENT, "process %d: %s", (int)s->options->pid, why);
}

/* Seizes a thread unless it has ended, or is ours already: started by one that we have seized. */
static int seize(struct process *p, pid_t tid)
{
	if (task_find(p->session, tid))
		return 0;
	if (ptrace(PTRACE_SEIZE, tid, NULL, (long)TASK_TRACE_OPTIONS) == 0)
		return process_adopt_thread(p, tid) < 0 ? -1 : 1;
	if (errno == ESRCH || refusals_is_gone(tid) || refusals_tracer(tid) == getpid())
		return 0;
	return refusals_ptrace(p->session, p->pid, false);
}

/* Returns how many threads it has seized that were not ours yet, or -1. */
static int seize_new(struct process *p)
{
	char path[64];
	struct dirent *entry;
	DIR *threads;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	threads = opendir(path);
	while (threads && count >= 0 && (entry = readdir(threads))) {
		pid_t tid = (pid_t)atoi(entry->d_name);
		int status = tid > 0 ? seize(p, tid) : 0;

		count = status < 0 ? -1 : count + status;
	}
	if (threads)
		closedir(threads);
	return count;
}

/* False: some thread is confined by what may not be suspended. */
static bool look_at_confinement(struct session *s)
{
	bool allowed = true;

	FOR_EACH_TASK (s, t) {
		dispatch_look(t);
		allowed &= confinement_look(t);
	}
	return allowed;
}

static int begin(struct session *s)
{
	struct process *p = process_adopt(s, s->options->pid);
	int count;

	if (!p)
		return -1;
	do
		count = seize_new(p);
	while (count > 0);
	if (count < 0 || synchronize_others(s, NULL, NULL, NULL) < 0)
		return -1;
	if (!s->tasks.current)
		return session_fail(s, TF_E_IO, "process %d: it has ended", (int)s->options->pid);
	if (!look_at_confinement(s))
		return session_fail(
			s, TF_E_ARGUMENT,
			"process %d: it is confined by seccomp, which only root "
			"(CAP_SYS_ADMIN) may suspend for what the recorder has to do; start "
			"the program by trace-record instead",
			(int)p->pid);
	return metadata_threads(s, 1) < 0 ? -1 : process_adopted(s->tasks.current);
}

int attach(struct session *s)
{
	interrupts_begin(true);
	s->main.pid = s->options->pid;
	s->main.status = -1;
	if (begin(s) == 0 && sampling_begin(s, s->main.pid) == 0)
		return 0;
	region_stop(s, "error");
	return -1;
}
