/* SPDX-License-Identifier: MIT */
/*
 * Two signs show that a task is stuck: its thread uses CPU time in user mode, or it is stopped and
 * resumed again and again while no task makes progress. Neither sign is a proof, as a rep
 * instruction may take that long, and translated code counts whole superblocks. So the task is
 * stopped and synchronized first.
 */
#include "recorder/ptrace/watchdog.h"

#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#include "recorder/core/backend.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/space.h"

enum { LOOKS = 10, MANY_RESUMES = 1000, MANY_SIGNALS = 100 };

/* Returns true if the task has made progress since the last look. */
static bool has_moved(struct task *t)
{
	const struct backend *b = t->session->backend;
	struct watched *still = &t->watched;

	if (t->state == TASK_RUNNING && b->count_progress)
		b->count_progress(t);
	if (t->progress == still->progress)
		return false;
	*still = (struct watched){ .progress = t->progress };
	return true;
}

static void place(const struct task *t, char *text, size_t size)
{
	uint64_t pc = t->regs.rip;
	const struct mapping *m = t->process->space ? space_find(t->process->space, pc) : NULL;

	if (m && m->name && m->name[0])
		snprintf(text, size, "%#llx (%s+%#llx)", (unsigned long long)pc, m->name,
			 (unsigned long long)(pc - (m->module ? m->bias : m->start)));
	else
		snprintf(text, size, "%#llx", (unsigned long long)pc);
}

static void reason(const struct task *t, char *text, size_t size)
{
	const struct watched *still = &t->watched;

	if (still->signals >= MANY_SIGNALS)
		snprintf(text, size, "signal %d (%s) is delivered there again and again",
			 still->signal, strsignal(still->signal));
	else if (still->resumes > MANY_RESUMES)
		snprintf(text, size,
			 "the instruction there does not retire, though the thread was "
			 "resumed %llu times",
			 (unsigned long long)still->resumes);
	else
		snprintf(text, size,
			 "the instruction there does not retire, though the thread "
			 "uses CPU time");
}

static int fail(const struct task *t)
{
	char at[512], why[160];

	place(t, at, sizeof(at));
	reason(t, why, sizeof(why));
	return session_fail(t->session, TF_E_ARGUMENT,
			    "process %d, thread %d makes no progress at "
			    "%s: in %.0f s no instruction was executed; %s",
			    (int)t->process->pid, (int)t->tid, at, t->session->watchdog.limit, why);
}

/*
 * Suspects a task. A task that is suspected once more, after it was synchronized and resumed, is
 * stuck. Returns -1 with the error then.
 */
static int suspect(struct task *t)
{
	if (t->watched.suspected)
		return fail(t);
	t->watched.suspected = true;
	if (t->state == TASK_RUNNING)
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	return 0;
}

static bool is_watched(const struct task *t)
{
	return t->process && t->trace.stream &&
	       (t->state == TASK_RUNNING || t->state == TASK_READY);
}

/* Returns true if the thread has used the CPU for too long, by the program's code or by stops. */
static bool uses_cpu(struct task *t)
{
	struct watched *still = &t->watched;
	struct cpu_seconds now = task_cpu_seconds(t), *then = &still->cpu;
	double limit = t->session->watchdog.limit;

	if (!still->measured)
		*then = now;
	still->measured = true;
	if (now.user - then->user < limit &&
	    (now.all - then->all < limit || still->resumes <= MANY_RESUMES))
		return false;
	*then = now;
	return true;
}

/*
 * Adds to the time without progress, except for time in which the recorder did not look because
 * the machine was suspended.
 */
static void add_time(struct watchdog *w, double now)
{
	double most = 2 * w->limit / LOOKS, passed = now - w->looked;

	w->quiet += passed < most ? passed : most;
	w->looked = now;
}

static bool all_are_still(struct session *s)
{
	bool moved = false;

	FOR_EACH_TASK (s, t)
		moved |= has_moved(t);
	return !moved;
}

static bool is_stuck(struct task *t, bool quiet)
{
	return is_watched(t) && (uses_cpu(t) || (quiet && t->watched.resumes > MANY_RESUMES));
}

/* Forgets all suspicions, as the progress of a program that runs natively is unknown. */
static void forget_all(struct session *s)
{
	FOR_EACH_TASK (s, t)
		t->watched = (struct watched){ .progress = t->progress };
	s->watchdog.quiet = 0;
}

int watchdog_look(struct session *s, double now)
{
	struct watchdog *w = &s->watchdog;
	bool quiet;

	if (!s->tasks.current || now - w->looked < w->limit / LOOKS)
		return 0;
	add_time(w, now);
	if (!region_recording(s) && !region_counting(s)) {
		forget_all(s);
		return 0;
	}
	if (!all_are_still(s))
		w->quiet = 0;
	quiet = w->quiet >= w->limit;
	if (quiet)
		w->quiet = 0;
	FOR_EACH_TASK (s, t)
		if (is_stuck(t, quiet) && suspect(t) < 0)
			return -1;
	return 0;
}

int watchdog_resume(struct task *t)
{
	uint64_t before = t->progress;

	t->watched.resumes++;
	if (!t->watched.suspected)
		return 0;
	if (t->session->backend->synchronize(t) < 0)
		return -1;
	if (t->progress == before && t->progress == t->watched.progress)
		return fail(t);
	has_moved(t);
	return 0;
}

void watchdog_signal(struct task *t, int signal)
{
	if (t->watched.signal != signal)
		t->watched.signals = 0;
	t->watched.signal = signal;
	t->watched.signals++;
}
