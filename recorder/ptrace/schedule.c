/* SPDX-License-Identifier: MIT */
/*
 * Stepping is four times as fast if recorder and task share a CPU. A task is confined to that CPU
 * while it is stepped, and free in system calls, so that it never sees fewer CPUs than it has. So
 * is a task in the cache that stops again and again and cannot be polled (schedule_help()). That
 * task makes no system calls in the cache, as the kernel could report the one CPU: it stops, gets
 * its own CPUs back, and makes the call.
 *
 * With --threads=serial a turn ends when the thread sleeps in the kernel, or by the number of
 * buffers and system calls; no clock is involved. Before the next thread has its turn, the
 * recorder waits for all tasks that the kernel is about to resume, so that the order is the same
 * in each run. A task that runs in the kernel is waited for; when it sleeps, others have their
 * turn. Futexes, joins, vfork and pipes between followed processes can therefore not deadlock.
 */
#include "recorder/ptrace/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/interrupts.h"
#include "recorder/core/loop.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/polling.h"
#include "recorder/ptrace/touch.h"
#include "recorder/sampling/sampling.h"

enum { POLLS = 8, SYSCALL_BLOCKS = 10 };

static const double look_for_cpu_seconds = 1;
static const double brief_seconds = 1e-3;

void schedule_begin(struct session *s)
{
	struct schedule *c = &s->schedule;

	c->cpu = sched_getaffinity(0, sizeof(c->affinity), &c->affinity) < 0 ? -1 : sched_getcpu();
	poll_set_up(s, (unsigned)CPU_COUNT(&c->affinity));
	ticks_begin(s->options);
}

void schedule_end(struct session *s)
{
	ticks_end();
	poll_tear_down(s);
	if (s->schedule.cpu >= 0)
		sched_setaffinity(0, sizeof(s->schedule.affinity), &s->schedule.affinity);
}

const cpu_set_t *schedule_cpus(const struct session *s)
{
	return &s->schedule.affinity;
}

/* ---- which task ---- */

static bool may_run(const struct task *t)
{
	return t->state == TASK_READY && t->process;
}

/* Returns the next ready task: first the one after the current, last the current itself. */
static struct task *next_ready(const struct session *s)
{
	struct task *t = s->tasks.current;

	do {
		t = t->next;
		if (may_run(t))
			return t;
	} while (t != s->tasks.current);
	return NULL;
}

/*
 * Returns a task that will only be released. It may not have to wait, as its parent may want to
 * trace it.
 */
static struct task *unfollowed(const struct session *s)
{
	struct task *t = s->tasks.current;

	do {
		t = t->next;
		if (may_run(t) && t->process->life.unfollowed)
			return t;
	} while (t != s->tasks.current);
	return NULL;
}

bool schedule_is_serial(const struct session *s)
{
	if (region_counting(s))
		return s->schedule.serial || !region_is_parallel(s);
	return region_recording(s) && s->schedule.serial;
}

/* Returns true if the task will stop soon, without help by another one. */
static bool will_stop(const struct task *t)
{
	char state;

	if (t->state == TASK_NEW)
		return true;
	if (t->state == TASK_ENTERING)
		return !stalls_running(t);
	if (t->state != TASK_KERNEL)
		return false;
	state = task_kernel_state(t, NULL);
	return state == 'R' || state == 't' ||
	       (state == 'D' && !t->life.waits_for_child && !stalls_in_call(t));
}

/* Returns a task that will stop soon, or NULL. */
static const struct task *arriving(const struct session *s)
{
	FOR_EACH_TASK (s, t)
		if (will_stop(t))
			return t;
	return NULL;
}

/*
 * Returns true if the current task keeps its turn: it runs, and others can have a turn only if it
 * waits for one of them.
 */
static bool keeps_turn(struct session *s)
{
	struct task *t = s->tasks.current;

	if (t->state != TASK_RUNNING)
		return false;
	if (s->tasks.count == 1 || !next_ready(s) || !stalls_running(t))
		return true;
	stalls_begin(t);
	return false;
}

int schedule_run_alone(struct task *t)
{
	struct session *s = t->session;
	int status = 0;

	if (!schedule_is_serial(s) && s->tasks.count > 1)
		status = synchronize_others(s, t, NULL, NULL);
	if (status || t->state != TASK_READY)
		return status < 0 ? -1 : 0;
	s->schedule.alone = t;
	return 1;
}

static bool runs_alone(const struct session *s)
{
	const struct task *t = s->schedule.alone;

	return t && t->state == TASK_RUNNING && !stalls_running(t);
}

struct task *schedule_next(struct session *s)
{
	struct task *t = s->tasks.current, *alone = s->schedule.alone;

	if (!t || runs_alone(s))
		return NULL;
	s->schedule.alone = NULL;
	if (alone && may_run(alone))
		return alone; /* it may have been interrupted */
	if (s->processes.n_unfollowed && unfollowed(s))
		return unfollowed(s);
	if (!schedule_is_serial(s))
		return next_ready(s);
	if (keeps_turn(s) || (s->tasks.count > 1 && !may_run(t) && arriving(s)))
		return NULL;
	if (may_run(t) && s->schedule.quantum)
		return t;
	if (s->tasks.count > 1 && arriving(s))
		return NULL;
	t = next_ready(s);
	if (t) {
		s->tasks.current = t;
		s->schedule.quantum = SCHEDULE_QUANTUM;
	}
	return t;
}

bool schedule_use_turn(struct session *s, unsigned blocks)
{
	unsigned *left = &s->schedule.quantum;

	*left = *left > blocks ? *left - blocks : 0;
	return !*left;
}

void schedule_end_turn(struct session *s)
{
	s->schedule.quantum = 0;
}

void schedule_syscall(struct task *t)
{
	if (t->syscall.number == SYS_sched_yield)
		schedule_end_turn(t->session);
	else
		schedule_use_turn(t->session, SYSCALL_BLOCKS);
}

/* ---- waiting ---- */

pid_t schedule_wait(struct session *s, int *status)
{
	const struct task *ended = task_take_end(s, status);
	pid_t tid;

	if (ended)
		return ended->tid;
	tid = poll_tasks(s, status);
	if (tid || ticks_came() || poll_has_failed(s))
		return tid > 0 ? tid : 0;
	/* a stop that is coming mostly comes at once */
	for (unsigned i = 0; i < POLLS && schedule_is_serial(s); i++) {
		tid = waitpid(-1, status, __WALL | WNOHANG);
		if (tid)
			return tid;
		sched_yield();
	}
	/* the task may fall asleep instead */
	if (schedule_is_serial(s) && s->tasks.current->state != TASK_RUNNING && next_ready(s))
		return 0;
	if (s->stalls.found && schedule_is_serial(s) && next_ready(s))
		ticks_soon();
	sampling_wait_begins(s);
	tid = waitpid(-1, status, __WALL);
	sampling_wait_ends(s);
	return tid < 0 && errno == EINTR ? 0 : tid;
}

/* ---- which CPU ---- */

static void move_recorder(struct session *s, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == 0) {
		s->schedule.cpu = cpu;
		s->schedule.moved = true;
	}
}

static void free_recorder(struct session *s)
{
	if (s->schedule.moved)
		sched_setaffinity(0, sizeof(s->schedule.affinity), &s->schedule.affinity);
	s->schedule.moved = false;
	s->schedule.look_for_cpu = 0;
}

void schedule_confine(struct task *t)
{
	struct session *s = t->session;
	cpu_set_t one;
	int cpu;

	if (t->cpu.pinned || s->schedule.cpu < 0)
		return;
	/* Free until now, it is where the kernel found a CPU for it. */
	if (session_now() >= s->schedule.look_for_cpu) {
		s->schedule.look_for_cpu = session_now() + look_for_cpu_seconds;
		if (task_kernel_state(t, &cpu) && CPU_ISSET(cpu, &s->schedule.affinity))
			move_recorder(s, cpu);
	}
	if (sched_getaffinity(t->tid, sizeof(t->cpu.affinity), &t->cpu.affinity) < 0 ||
	    !CPU_ISSET(s->schedule.cpu, &t->cpu.affinity))
		return;
	CPU_ZERO(&one);
	CPU_SET(s->schedule.cpu, &one);
	t->cpu.pinned = sched_setaffinity(t->tid, sizeof(one), &one) == 0;
	s->schedule.n_pinned += t->cpu.pinned;
}

void schedule_free(struct task *t)
{
	if (t->cpu.pinned)
		sched_setaffinity(t->tid, sizeof(t->cpu.affinity), &t->cpu.affinity);
	t->session->schedule.n_pinned -= t->cpu.pinned;
	t->cpu.pinned = false;
}

bool schedule_is_confined(const struct task *t)
{
	return t->cpu.pinned;
}

void schedule_forget(struct task *t)
{
	struct session *s = t->session;

	s->schedule.n_pinned -= t->cpu.pinned;
	if (s->schedule.alone == t)
		s->schedule.alone = NULL;
	if (s->tasks.current == t)
		schedule_end_turn(s);
}

void schedule_share_run(struct task *t, bool stops_soon)
{
	const struct session *s = t->session;

	if (!stops_soon)
		schedule_free(t);
	else if (!s->schedule.n_pinned || schedule_is_serial(s))
		schedule_confine(t);
}

void schedule_help(struct task *t)
{
	enum { MANY = 4 };
	struct session *s = t->session;
	double now = session_now();
	bool often, polled;

	t->cpu.brief_runs = now - t->cpu.helped < brief_seconds ? t->cpu.brief_runs + 1 : 0;
	t->cpu.helped = now;
	often = t->cpu.brief_runs >= MANY;
	polled = often && poll_is_possible(s);
	if (polled) {
		free_recorder(s);
		poll_begin(s);
	}
	schedule_share_run(t, often && !polled);
}

void schedule_stop_sharing(struct task *t)
{
	schedule_free(t);
	t->cpu.brief_runs = 0;
}

void schedule_look_again(struct session *s)
{
	struct task *t = s->tasks.current;

	if (!s->schedule.n_pinned)
		return;
	for (unsigned left = s->schedule.n_pinned; left; t = t->next) {
		left -= t->cpu.pinned;
		if (t->cpu.pinned)
			schedule_stop_sharing(t);
	}
	free_recorder(s);
}

/* ---- stalls ---- */

static const double look_again_seconds = 0.05;

/* By the descriptor, a thread of the process may provide memory or files. */
static bool is_servers(const char *folder, const char *descriptor)
{
	static const char memory[] = "anon_inode:[userfaultfd]", files[] = "/dev/fuse";
	char path[96], target[64];
	ssize_t n;

	if (snprintf(path, sizeof(path), "%s/%s", folder, descriptor) >= (int)sizeof(path))
		return false;
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	return !strcmp(target, memory) || !strcmp(target, files);
}

static bool has_server(const struct process *p)
{
	char folder[64];
	struct dirent *entry;
	bool found = false;
	DIR *descriptors;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)p->pid);
	descriptors = opendir(folder);
	while (descriptors && !found && (entry = readdir(descriptors)))
		found = is_servers(folder, entry->d_name);
	if (descriptors)
		closedir(descriptors);
	return found;
}

/* Returns true if the programs that are recorded may provide memory or files. */
static bool serve_themselves(struct session *s)
{
	double now = session_now();

	if (s->stalls.found || now < s->stalls.look_again)
		return s->stalls.found;
	s->stalls.look_again = now + look_again_seconds;
	for (const struct process *p = s->processes.first; p && !s->stalls.found; p = p->next)
		s->stalls.found = has_server(p);
	return s->stalls.found;
}

bool stalls_running(const struct task *t)
{
	char state = task_kernel_state(t, NULL);

	if (state == 'S')
		t->session->stalls.found = true;
	return state == 'S' || (state == 'D' && serve_themselves(t->session));
}

bool stalls_in_call(const struct task *t)
{
	return serve_themselves(t->session);
}

void stalls_begin(struct task *t)
{
	const struct backend *b = t->session->backend;

	if (!touch_is_on(t) && b->stalled)
		b->stalled(t);
}
