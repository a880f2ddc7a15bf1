/* SPDX-License-Identifier: MIT */
#include "recorder/schedule.h"

#include <errno.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "recorder/backend.h"
#include "recorder/task.h"

enum { QUANTUM = 1000, TICK_US = 100000, POLLS = 8 };

static const double look_for_cpu_seconds = 1;

static volatile sig_atomic_t ticked;
static struct sigaction inherited;

static void on_tick(int signal)
{
	(void)signal;
	ticked = 1;
}

bool schedule_ticked(void)
{
	bool t = ticked;

	ticked = 0;
	return t;
}

void schedule_begin(struct session *s)
{
	/* No SA_RESTART: a tick is to end waitpid. */
	struct sigaction action = { .sa_handler = on_tick };
	struct itimerval timer = { .it_interval.tv_usec = TICK_US, .it_value.tv_usec = TICK_US };

	s->cpu = sched_getaffinity(0, sizeof(s->affinity), &s->affinity) < 0 ? -1 : sched_getcpu();
	sigaction(SIGALRM, &action, &inherited);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void schedule_end(struct session *s)
{
	struct itimerval timer = { { 0 }, { 0 } };

	setitimer(ITIMER_REAL, &timer, NULL);
	sigaction(SIGALRM, &inherited, NULL);
	if (s->cpu >= 0)
		sched_setaffinity(0, sizeof(s->affinity), &s->affinity);
}

/* ---- which task ---- */

static bool may_run(const struct task *t)
{
	return t->state == TASK_READY && t->process;
}

/* The next task that is ready, the one after the current first and itself last. */
static struct task *next_ready(const struct session *s)
{
	struct task *t = s->current;

	do {
		t = t->next;
		if (may_run(t))
			return t;
	} while (t != s->current);
	return NULL;
}

/* A task that is only to be let go. It may not have to wait: its parent may want to trace it. */
static struct task *unfollowed(const struct session *s)
{
	struct task *t = s->current;

	do {
		t = t->next;
		if (may_run(t) && t->process->unfollowed)
			return t;
	} while (t != s->current);
	return NULL;
}

struct task *schedule_next(struct session *s)
{
	bool serial = s->backend->serial && (s->phase == PHASE_SKIP || s->phase == PHASE_RECORD);
	struct task *t = s->current;

	if (!t)
		return NULL;
	if (s->n_unfollowed && unfollowed(s))
		return unfollowed(s);
	if (serial) {
		if (t->state == TASK_RUNNING)
			return NULL;
		if (may_run(t) && s->quantum)
			return t;
	}
	t = next_ready(s);
	if (t && serial) {
		s->current = t;
		s->quantum = QUANTUM;
	}
	return t;
}

bool schedule_others(const struct session *s)
{
	const struct task *t = next_ready(s);

	return t && t != s->current;
}

/* ---- waiting ---- */

/* Others could run while the current task is in the kernel; but most calls are soon over. */
static pid_t wait_a_moment(struct session *s, int *status)
{
	for (;;) {
		for (unsigned i = 0; i < POLLS; i++) {
			pid_t tid = waitpid(-1, status, __WALL | WNOHANG);

			if (tid)
				return tid;
			sched_yield();
		}
		switch (task_kernel_state(s->current, NULL)) {
		case 'R':
		case 't':
			break;
		default:
			return 0;
		}
	}
}

pid_t schedule_wait(struct session *s, int *status)
{
	pid_t tid = s->reaped;

	if (tid) {
		s->reaped = 0;
		*status = s->reaped_status;
		return tid;
	}
	if (s->current && s->current->state == TASK_KERNEL && next_ready(s))
		return wait_a_moment(s, status);
	tid = waitpid(-1, status, __WALL);
	return tid < 0 && errno == EINTR ? 0 : tid;
}

/* ---- which CPU ---- */

static void move_recorder(struct session *s, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == 0)
		s->cpu = cpu;
}

void schedule_confine(struct task *t)
{
	struct session *s = t->session;
	cpu_set_t one;
	int cpu;

	if (t->pinned || s->cpu < 0)
		return;
	/* Free until now, it is where the kernel found a CPU for it. */
	if (session_now() >= s->look_for_cpu) {
		s->look_for_cpu = session_now() + look_for_cpu_seconds;
		if (task_kernel_state(t, &cpu) && CPU_ISSET(cpu, &s->affinity))
			move_recorder(s, cpu);
	}
	if (sched_getaffinity(t->tid, sizeof(t->affinity), &t->affinity) < 0 ||
	    !CPU_ISSET(s->cpu, &t->affinity))
		return;
	CPU_ZERO(&one);
	CPU_SET(s->cpu, &one);
	t->pinned = sched_setaffinity(t->tid, sizeof(one), &one) == 0;
}

void schedule_free(struct task *t)
{
	if (t->pinned)
		sched_setaffinity(t->tid, sizeof(t->affinity), &t->affinity);
	t->pinned = false;
}
