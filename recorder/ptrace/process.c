/* SPDX-License-Identifier: MIT */
/*
 * The kernel attaches children before the recorder knows them: a child may stop before its
 * parent's event names it. A child that is not followed is released at its first stop, before it
 * executes anything, without the recorder's breakpoints in its memory.
 *
 * A thread other than the first that calls exec gets the first one's tid, and the first thread's
 * end is never reported. While the recorder works on the first thread, its ptrace requests would
 * reach the thread that called exec: exit stops (PTRACE_O_TRACEEXIT) keep the exec from completing
 * until then. A first thread that is killed while it is stopped, however, comes to its exit stop
 * unnoticed, and any resumption resumes it from there. Never write to or resume a TASK_DYING task:
 * the thread that called exec may own its tid.
 *
 * The exit status in THREAD_EXIT is negative if a signal ended the thread.
 */
#include "recorder/ptrace/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/output.h"
#include "recorder/core/phase_times.h"
#include "recorder/core/refusals.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/altered_syscalls.h"
#include "recorder/ptrace/breakpoints.h"
#include "recorder/ptrace/confinement.h"
#include "recorder/ptrace/cpu_model.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/mappings.h"
#include "recorder/ptrace/metadata.h"
#include "recorder/ptrace/release.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/x87_state.h"
#include "recorder/sampling/sampling.h"

/* ---- records ---- */

/*
 * Adds a process, which takes over the space. Returns NULL if memory is out. The parent (may be
 * NULL) passes on what a child inherits.
 */
static struct process *add_process(struct session *s, pid_t pid, const struct process *parent,
				   struct space *space)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p || !space) {
		space_release(space);
		free(p);
		output_memory(s->output);
		return NULL;
	}
	if (parent)
		*p = *parent;
	p->life.leaving = p->life.claims_tracer = p->memory.opened = false;
	p->session = s;
	p->pid = pid;
	p->n_tasks = 0;
	p->space = space;
	p->next = s->processes.first;
	s->processes.first = p;
	return p;
}

static int write_process(struct process *p, const struct process *parent)
{
	struct tf_process trace = { .pid = (uint32_t)p->pid,
				    .parent = parent ? parent->index : TF_NONE };

	return output_add_process(p->session->output, &trace, &p->index);
}

/* Makes a task a thread of a process and opens its stream. */
static int join(struct task *t, struct process *p)
{
	struct session *s = t->session;
	struct tf_event event = { .kind = TF_EVENT_THREAD_START };

	t->process = p;
	p->n_tasks++;
	if (output_open_stream(s->output, t) < 0 || sampling_add_thread(s, t) < 0 ||
	    s->backend->task_start(t) < 0)
		return -1;
	event.thread_start.thread = t->trace.thread;
	event.thread_start.time_ns = session_now_ns();
	if (output_event(s->output, t, &event) < 0)
		return -1;
	if (p->n_tasks > 1)
		return region_join(t);
	event = (struct tf_event){ .kind = TF_EVENT_PROCESS_START };
	event.process_start.process = p->index;
	event.process_start.time_ns = session_now_ns();
	return output_event(s->output, t, &event) < 0 ? -1 : region_join(t);
}

/* Begins the recording of the program, which has been executed. */
static int begin_program(struct task *t)
{
	struct session *s = t->session;

	s->main.executed = true;
	region_start_clock(s);
	return metadata_program(t) < 0 ? -1 : region_start(t);
}

static int begin_thread(struct process *p, pid_t tid)
{
	struct task *t = task_add(p->session, tid);

	if (!t)
		return output_memory(p->session->output);
	t->state = TASK_RUNNING;
	t->life.native = t->life.begun = p->life.native;
	return join(t, p);
}

int process_begin(struct session *s, pid_t pid)
{
	struct process *p = add_process(s, pid, NULL, space_new());

	return !p || write_process(p, NULL) < 0 ? -1 : begin_thread(p, pid);
}

/* ---- processes that run already ---- */

struct process *process_adopt(struct session *s, pid_t pid)
{
	struct process *p = add_process(s, pid, NULL, space_new());

	if (!p || write_process(p, NULL) < 0)
		return NULL;
	p->life.native = true;
	return p;
}

int process_adopt_thread(struct process *p, pid_t tid)
{
	return begin_thread(p, tid);
}

/* Returns a task of the process that can write events, or NULL. */
static struct task *task_of(struct session *s, const struct process *p)
{
	FOR_EACH_TASK (s, t)
		if (t->process == p && t->trace.stream)
			return t;
	return NULL;
}

int process_look(struct session *s)
{
	for (struct process *p = s->processes.first; p; p = p->next) {
		struct task *any = task_of(s, p);

		if (any && mappings_sync(any) < 0)
			return -1;
		if (any && !p->remote.syscall_pc)
			remote_find_place(any);
	}
	return 0;
}

int process_adopted(struct task *t)
{
	/* the process may have forked since its first thread was seized */
	if (process_look(t->session) < 0)
		return -1;
	if (begin_program(t) < 0)
		return -1;
	if (region_is_native(t->session))
		breakpoints_arm(t);
	return 0;
}

/* ---- children ---- */

static uint64_t clone_flags(const struct task *t)
{
	const struct user_regs_struct *r = &t->regs;
	uint64_t flags = 0;

	switch (r->orig_rax) {
	case SYS_clone: return r->rdi;
	case SYS_clone3:
		/* the flags are the first member of struct clone_args */
		task_read(t, r->rdi, &flags, sizeof(flags));
		return flags;
	case SYS_vfork: return CLONE_VM | CLONE_VFORK;
	default: return 0;
	}
}

/* Adds a process that is not followed, which is released when it stops. */
static int leave_alone(struct task *parent, struct task *child, struct process *p, uint64_t flags)
{
	if (flags & CLONE_VM) {
		breakpoints_disarm(parent); /* until process_vfork_done */
		breakpoints_forget(p);
	}
	p->life.unfollowed = true;
	p->session->processes.n_unfollowed++;
	p->n_tasks = 1;
	child->process = p;
	return 0;
}

static void inherit(struct task *child, const struct task *t, uint64_t flags)
{
	child->life.native = t->life.native;
	child->limits.no_cpuid = t->limits.no_cpuid;
	untraced_clone_child(child, t);
	confinement_child(child, t);
	if (!(flags & CLONE_VM))
		remote_child(child, t);
}

/* Returns the process of a new child: a new one, or that of its parent for a thread. */
static struct process *process_of_child(const struct task *child, const struct task *t,
					uint64_t flags)
{
	struct space *space = t->process->space;
	struct process *p;

	if (flags & CLONE_THREAD)
		return t->process;
	p = add_process(t->session, child->tid, t->process,
			flags & CLONE_VM ? space_share(space) : space_copy(space));
	if (p)
		traps_child(p, flags);
	return p;
}

int process_child(struct task *t)
{
	struct session *s = t->session;
	struct task *child;
	struct process *p;
	unsigned long tid;
	uint64_t flags;
	bool is_new;

	if (!t->process || ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &tid) < 0 || !task_read_regs(t))
		return 0;
	child = task_find(s, (pid_t)tid);
	if (!child)
		child = task_add(s, (pid_t)tid);
	if (!child)
		return output_memory(s->output);
	flags = clone_flags(t);
	inherit(child, t, flags);
	t->life.waits_for_child = flags & CLONE_VFORK;
	p = process_of_child(child, t, flags);
	if (!p)
		return -1;
	is_new = p != t->process;
	if (p->life.unfollowed || (is_new && (!s->options->follow || region_is_over(s))))
		return leave_alone(t, child, p, flags);
	if (is_new && write_process(p, t->process) < 0) {
		leave_alone(t, child, p, flags);
		return -1;
	}
	if (join(child, p) < 0)
		return -1;
	if (p->space != t->process->space && s->backend->fork)
		s->backend->fork(child, t);
	if (is_new && mappings_inherited(child) < 0)
		return -1;
	return child->state == TASK_READY ? process_event_stop(child) : 0;
}

int process_vfork_done(struct task *t)
{
	t->life.waits_for_child = false;
	if (region_is_native(t->session) && breakpoints_are_removed(t->process))
		breakpoints_arm(t);
	return 0;
}

int process_event_stop(struct task *t)
{
	if (!t->trace.stream || !t->session->backend->look(t))
		return 0;
	if (!t->life.begun) {
		traps_read_mask(t);
		untraced_clone_leaving(t);
	}
	t->life.begun = true;
	return syscalls_segments(t);
}

/* ---- exec ---- */

/*
 * Returns the thread that executed a program and now has the tid of the process's first one, which
 * is gone.
 */
static struct task *survivor(struct task *leader)
{
	unsigned long former;
	struct task *t;

	if (ptrace(PTRACE_GETEVENTMSG, leader->tid, NULL, &former) < 0 ||
	    (pid_t)former == leader->tid)
		return leader;
	t = task_find(leader->session, (pid_t)former);
	if (!t)
		return leader;
	t->tid = leader->tid;
	t->state = TASK_READY;
	leader->tid = 0;
	leader->state = TASK_DYING;
	process_end_task(leader, 0);
	return t;
}

static int new_space(struct task *t)
{
	struct process *p = t->process;

	sampling_place(t->session);
	space_release(p->space);
	task_memory_close(p);
	p->space = space_new();
	p->brk = 0;
	p->life.native = t->limits.no_cpuid = false;
	if (!p->space)
		return output_memory(p->session->output);
	if (mappings_sync(t) < 0)
		return -1;
	remote_exec(t);
	return 0;
}

static int refuse(struct task *t, const char *name, const char *why)
{
	struct session *s = t->session;

	if (!s->main.executed) {
		kill(t->tid, SIGKILL); /* before the program's first instruction */
		return session_fail(s, TF_E_ARGUMENT, "%s: %s", name, why);
	}
	session_warn(s, "process %d has executed %s, which is not recorded: %s", (int)t->tid, name,
		     why);
	task_release(t);
	return 0;
}

/* Makes the random bytes that the kernel gives the program the same in every run. */
static void fix_random(const struct task *t)
{
	static const uint8_t fixed[16] = "tracelab fixed!";
	Elf64_auxv_t entry;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (read(fd, &entry, sizeof(entry)) == (ssize_t)sizeof(entry) && entry.a_type != AT_NULL)
		if (entry.a_type == AT_RANDOM)
			task_write(t, entry.a_un.a_val, fixed, sizeof(fixed));
	close(fd);
}

/*
 * Returns the name of a program whose file the kernel hides, in a buffer of PATH_MAX bytes or in
 * the process: the name in execve, or the one that tools like ps show.
 */
static const char *name_executed(const struct task *t, char *name)
{
	char path[64];
	ssize_t n;
	int fd;

	if (*t->process->life.exec_name)
		return t->process->life.exec_name;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, name, PATH_MAX - 1);
	if (fd >= 0)
		close(fd);
	name[n < 0 ? 0 : n] = 0;
	name[strcspn(name, "\n")] = 0;
	return *name ? name : "a program";
}

static int begin_exec(struct task *t)
{
	struct tf_event event = { .kind = TF_EVENT_EXEC };
	char link[64], path[PATH_MAX];
	struct session *s = t->session;
	const char *why;
	ssize_t n;

	t = survivor(t);
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)t->tid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = 0;
	why = refusals_program(t->tid);
	if (why)
		return refuse(t, n < 0 ? name_executed(t, path) : path, why);
	event.exec.path = path;
	event.exec.time_ns = session_now_ns();
	calls_free(t);
	breakpoints_forget(t->process);
	x87_state_clear(t);
	if (s->backend->exec(t) < 0 || output_event(s->output, t, &event) < 0 || new_space(t) < 0)
		return -1;
	traps_exec(t);
	dispatch_exec(t);
	if (!s->options->aslr && !s->options->pid)
		fix_random(t);
	if (!task_read_regs(t))
		return 0;
	cpu_model_begin(t);
	if ((s->main.executed ? metadata_exec(t) : begin_program(t)) < 0)
		return -1;
	if (region_is_native(s))
		breakpoints_arm(t);
	t->life.begun = true;
	return syscalls_segments(t);
}

int process_exec(struct task *t)
{
	struct session *s = t->session;
	enum record_phase before = phase_times_begin(s, RECORD_LAUNCH);
	int status = begin_exec(t);

	phase_times_end(s, before);
	return status;
}

/* ---- the end ---- */

static int write_end(struct task *t, int status)
{
	struct output *o = t->session->output;
	struct tf_event event = { .kind = TF_EVENT_THREAD_EXIT };

	event.thread_exit.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	event.thread_exit.time_ns = session_now_ns();
	if (output_event(o, t, &event) < 0)
		return -1;
	if (t->process->n_tasks > 1)
		return 0;
	event = (struct tf_event){ .kind = TF_EVENT_PROCESS_EXIT };
	event.process_exit.wait_status = status;
	event.process_exit.time_ns = session_now_ns();
	return output_event(o, t, &event);
}

int process_exiting(struct task *t)
{
	int status = t->trace.stream ? t->session->backend->exiting(t) : 0;

	task_resume(t, PTRACE_CONT, TASK_KERNEL);
	return status;
}

int process_end_task(struct task *t, int status)
{
	struct session *s = t->session;
	enum record_phase before = phase_times_begin(s, RECORD_EXIT);
	int result = 0;

	if (t->trace.stream && (s->backend->task_end(t) < 0 || write_end(t, status) < 0))
		result = -1;
	task_forget(t);
	phase_times_end(s, before);
	return result;
}
