/* SPDX-License-Identifier: MIT */
/*
 * The translate backend: the program runs in translated copies of its code, which write what they
 * execute into a buffer. What cannot be translated is handed to the step backend, block by block.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "recorder/backend.h"
#include "recorder/functions.h"
#include "recorder/output.h"
#include "recorder/region.h"
#include "recorder/schedule.h"
#include "recorder/signals.h"
#include "recorder/space.h"
#include "recorder/syscalls.h"
#include "recorder/task.h"
#include "recorder/traps.h"
#include "recorder/translate/buffers.h"
#include "recorder/translate/encoder.h"
#include "recorder/translate/kept.h"
#include "recorder/translate/nowhere.h"
#include "recorder/translate/path_ids.h"
#include "recorder/translate/paths.h"
#include "recorder/translate/precise.h"
#include "recorder/translate/records.h"
#include "recorder/translate/self_check.h"
#include "recorder/translate/versions.h"

enum {
	TRAP_BYTES = 5,
	TRAP_FLAG = 0x100, DIRECTION_FLAG = 0x400, USER_CS = 0x33,
};

static struct thread *of(const struct task *t)
{
	return t->translate;
}

/* ---- memory ---- */

/* False: it is to be stepped. */
static bool set_up(struct task *t)
{
	struct thread *th = of(t);

	if (!t->session->encoder)
		t->session->encoder = encoder_new(t->session);
	if (t->session->options->self_check)
		th->check = self_check_new();
	if (!t->session->options->self_check || th->check)
		th->area = home_enter(t);
	if (!th->area) {
		self_check_free(th->check);
		th->check = NULL;
		th->refused = true;
		if (task_is_there(t))
			session_warn(t->session, "process %d has no memory for translated code; it "
				     "is stepped, which is slow", (int)t->process->pid);
		return false;
	}
	th->cache = home_cache(t);
	th->profile = profile_new(t->session);
	th->context = (struct context *)th->area->memory.local;
	th->context_at = th->area->memory.remote;
	buffers_begin(t);
	return true;
}

/* It is not in the cache, and has no record unread. */
static void give_up_area(struct task *t)
{
	struct thread *th = of(t);

	if (!th->area)
		return;
	home_leave(t, th->area);
	profile_free(th->profile);
	self_check_free(th->check);
	*th = (struct thread){ .mode = THREAD_SETTLED };
}

/* ---- records ---- */

static int write_state(struct task *t, const struct precise *p)
{
	uint8_t *record = buffers_record(of(t));

	if (p->indirect && region_recording(t->session) && functions_returned(t) < 0)
		return -1;
	if (!p->path)
		return 0;
	if (p->exit != PRECISE_INSIDE)
		return records_write_exit(t, p->path, (unsigned)p->exit, record);
	return p->executed ? records_write_partial(t, p->path, p->executed, record) : 0;
}

/* The program is where it stood before the system call at the end of a path. */
static int settle_pending(struct task *t)
{
	struct thread *th = of(t);
	struct precise p = { .path = th->pending, .executed = th->pending->n_insns - 1,
			     .exit = PRECISE_INSIDE };

	th->pending = NULL;
	return write_state(t, &p);
}

/* Returns the exit whose trap is at pc, or -1. */
static int exit_at(const struct translation *path, uint64_t pc)
{
	for (unsigned i = 0; i < path->n_exits; i++)
		if (path->exits[i].jump == pc)
			return (int)i;
	return -1;
}

/* Makes the task's registers, read before, those of the program. */
static int leave_cache(struct task *t, uint64_t pc, struct precise *p)
{
	struct thread *th = of(t);

	if (!precise_state(t, pc, buffers_record(th), p))
		return task_fail(t, TF_E_DAMAGED, "the program has left the recorder's code");
	th->mode = THREAD_SETTLED;
	th->step_next = nowhere_return(t, buffers_first(th), buffers_record(th), p);
	th->context->record -= p->undo;
	t->regs.gs_base = t->gs_base;
	t->regs.orig_rax = UINT64_MAX;
	task_write_regs(t);
	return buffers_drain(t);
}

static int settle_at(struct task *t, uint64_t pc)
{
	struct precise p;

	return leave_cache(t, pc, &p) < 0 || write_state(t, &p) < 0 ? -1 : 0;
}

static int settle(struct task *t)
{
	struct thread *th = of(t);

	if (th->pending)
		return settle_pending(t);
	if (th->mode != THREAD_IN_CACHE)
		return step_backend.settle(t);
	if (!task_read_regs(t))
		return 0;
	return settle_at(t, t->regs.rip);
}

/* ---- tasks ---- */

static int task_start(struct task *t)
{
	t->translate = calloc(1, sizeof(struct thread));
	return t->translate ? step_backend.task_start(t) : output_memory(t->session->output);
}

/* It has been killed in the cache: what it has executed of its last path is not known. */
static int end_inside(struct task *t)
{
	return buffers_drain(t) < 0 || region_lose(t) < 0 ? -1 : 0;
}

static bool is_trap(const struct cache *c, uint64_t pc)
{
	struct translation *path;

	return cache_at_miss(c, pc) || (cache_where(c, pc, &path) == CACHE_PATH &&
					(path->call_trap == pc || exit_at(path, pc) >= 0));
}

/* Killed at a trap, it stands behind the int3; killed in a call of remote.h, somewhere else. */
static int exiting(struct task *t)
{
	struct thread *th = of(t);
	struct translation *path;
	uint64_t pc;

	if (th->mode != THREAD_IN_CACHE)
		return settle(t);
	if (!task_read_regs(t))
		return 0;
	pc = t->regs.rip - is_trap(th->cache, t->regs.rip - 1);
	return cache_where(th->cache, pc, &path) == CACHE_ELSEWHERE ? 0 : settle_at(t, pc);
}

static int task_end(struct task *t)
{
	struct thread *th = of(t);
	int status = 0;

	if (th->mode == THREAD_IN_CACHE && t->state == TASK_READY)
		status = settle(t);
	else if (th->pending)
		status = settle_pending(t);
	if (th->mode == THREAD_IN_CACHE && status == 0)
		status = end_inside(t);
	if (step_backend.task_end(t) < 0)
		status = -1;
	give_up_area(t);
	free(t->translate);
	t->translate = NULL;
	return status;
}

static int exec(struct task *t)
{
	int status = step_backend.exec(t);

	give_up_area(t);
	return status;
}

static void inherit(struct task *child, const struct task *parent)
{
	home_inherit(child, parent);
}

static void pause_stepping(struct task *t)
{
	step_backend.pause(t);
}

/* A vfork child has its parent's. */
static void leave(struct task *t)
{
	if (t->process->space->users == 1)
		shared_unmap_all(t);
}

/* ---- resuming ---- */

static bool must_step(struct task *t)
{
	const struct thread *th = of(t);

	return th->refused || th->step_next || t->signal || t->delivering || t->syscall.inside ||
	       syscalls_interrupted(t) || !step_is_between_blocks(t) ||
	       buffers_are_useless(t->session) || t->regs.cs != USER_CS ||
	       t->regs.eflags & (TRAP_FLAG | DIRECTION_FLAG);
}

static int step(struct task *t)
{
	struct thread *th = of(t);

	th->mode = THREAD_STEPPING;
	th->step_next = false;
	/* In system calls it may be for long. */
	th->stepped = t->syscall.inside ? 0 : session_now();
	return step_backend.resume(t);
}

/* It has stopped when stepped. */
static int stepped(struct task *t, int status)
{
	struct thread *th = of(t);
	int result = step_backend.stopped(t, status);

	if (th->stepped > 0)
		t->session->stats.stepping += session_now() - th->stepped;
	th->stepped = 0;
	return result;
}

static bool uses_cache(const struct task *t, const void *cache)
{
	return t->translate && of(t)->cache == cache;
}

/* Gets all other threads out of the task's cache. */
static int clear_cache(struct task *t)
{
	return session_settle_others(t->session, t, uses_cache, of(t)->cache);
}

/* Throws away what has been translated; the task is settled, and may be without an area then. */
static int flush(struct task *t)
{
	const struct cache *c = of(t)->cache;
	const struct space *space = t->process->space;
	bool alone = cache_users(c) == 1;
	struct task *other = t;

	if (clear_cache(t) < 0 || encoder_wait(t->session->encoder, NULL) < 0)
		return -1;
	do {
		if (!alone && other->translate && other->process->space == space)
			give_up_area(other);
		else if (uses_cache(other, c) && of(other)->profile)
			profile_forget(of(other)->profile);
		other = other->next;
	} while (other != t);
	home_renew(t);
	return 0;
}

/* True if a joined path goes on behind a return to pc, and so would not tell of it. */
static bool hides_return(const struct cache *c, uint64_t pc)
{
	return cache_has_guard(c, pc) && !cache_watches_return(c, pc);
}

/* What has happened to code and calls outside of the cache. */
static int follow_changes(struct task *t)
{
	struct cache *c = of(t)->cache;
	bool stale = home_is_stale(t) || (of(t)->crowded && cache_users(c) > 1);

	for (unsigned i = 0; i < functions_pending(t); i++)
		stale |= hides_return(c, functions_return_pc(t, i));
	of(t)->crowded = false;
	if (stale && flush(t) < 0)
		return -1;
	if (!of(t)->area && !set_up(t))
		return 0;
	home_follow(t);
	c = of(t)->cache;
	for (unsigned i = 0; i < functions_pending(t); i++)
		cache_watch_return(c, functions_return_pc(t, i));
	return 0;
}

/* Joins the paths that are worth it; the task is stopped at cache pc `stopped`, 0: not in it. */
static int join_paths(struct task *t, uint64_t stopped)
{
	struct chain chains[PROFILE_CHAINS];
	struct profile *p = of(t)->profile;
	unsigned n = p ? profile_take(p, chains) : 0;
	double began = n ? session_now() : 0;
	int status = n ? clear_cache(t) : 0;

	for (unsigned i = 0; i < n && status == 0; i++)
		status = path_join(t, &chains[i], stopped);
	if (n)
		t->session->stats.translating += session_now() - began;
	return status;
}

static int enter(struct task *t, const struct translation *path)
{
	struct thread *th = of(t);

	buffers_empty(t);
	if (!t->session->options->no_addresses)
		output_registers(t);
	if (th->check)
		self_check_enter(th->check, t);
	t->regs.rip = path->code;
	t->regs.gs_base = th->context_at;
	schedule_free(t);
	if (!task_write_regs(t))
		return 0;
	th->mode = THREAD_IN_CACHE;
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
	return 0;
}

static void enter_syscall(struct task *t)
{
	of(t)->mode = THREAD_SYSCALL;
	traps_before_syscall(t);
	schedule_free(t);
	task_resume(t, PTRACE_SYSCALL, TASK_ENTERING);
}

static int resume(struct task *t)
{
	struct thread *th = of(t);
	struct translation *path;

	if (th->mode == THREAD_IN_CACHE) {
		task_resume(t, PTRACE_CONT, TASK_RUNNING);
		return 0;
	}
	if (th->pending && !t->signal && !t->delivering) {
		enter_syscall(t);
		return 0;
	}
	if (must_step(t) || (!th->area && !set_up(t)))
		return step(t);
	if (follow_changes(t) < 0 || join_paths(t, 0) < 0)
		return -1;
	if (!th->area)
		return step(t);
	if (path_at(t, t->regs.rip, &path) < 0)
		return -1;
	return path ? enter(t, path) : step(t);
}

/* ---- stops ---- */

/* Goes on in the cache. */
static int go_on(struct task *t, uint64_t code)
{
	t->regs.rip = code;
	task_write_regs(t);
	return 0;
}

/* No path could be made: the task leaves the cache. */
static int fail_at(struct task *t, uint64_t pc)
{
	settle_at(t, pc);
	return -1;
}

static int at_miss(struct task *t, uint64_t pc)
{
	const struct context *c = of(t)->context;
	struct translation *path;

	t->session->stats.indirect++;
	if (path_at(t, c->target, &path) < 0)
		return fail_at(t, pc);
	if (!path)
		return settle_at(t, pc);
	cache_link_indirect(of(t)->cache, path);
	if (path->prefix)
		return go_on(t, path->prefix);
	return settle_at(t, pc);	/* no room */
}

/* A watched function is called from a place that it was not called from before. */
static int at_call(struct task *t, const struct translation *path)
{
	struct thread *th = of(t);
	const uint64_t *slots = (const uint64_t *)(buffers_record(th) - path->event_bytes +
						   RECORD_HEADER);
	uint64_t return_pc = slots[1];

	t->session->stats.calls++;
	if (hides_return(th->cache, return_pc)) {
		if (settle_at(t, path->call_trap) < 0 || flush(t) < 0)
			return -1;
		if (th->cache)
			cache_watch_return(th->cache, return_pc);
		return 0;
	}
	cache_watch_return(th->cache, return_pc);
	return go_on(t, path->call_trap + TRAP_BYTES);
}

/* The path ends with a system call: its record is written when the kernel has been entered. */
static int at_syscall(struct task *t, struct translation *path, uint64_t pc)
{
	struct precise p;

	if (leave_cache(t, pc, &p) < 0)
		return -1;
	of(t)->pending = path;
	return 0;
}

static int at_exit(struct task *t, struct translation *from, unsigned exit, uint64_t pc)
{
	struct translation *path;

	if (from->exits[exit].syscall)
		return at_syscall(t, from, pc);
	t->session->stats.exits++;
	if (path_at(t, from->exits[exit].target, &path) < 0)
		return fail_at(t, pc);
	if (!path)
		return settle_at(t, pc);
	return go_on(t, path->code);
}

/* The path's code has been found changed, or cannot be read: it leaves the path before it. */
static int at_changed(struct task *t, struct translation *path, uint64_t pc)
{
	versions_retire(of(t)->cache, path);
	return settle_at(t, pc);
}

/* A retired path is entered. */
static int at_retired(struct task *t, const struct translation *old)
{
	struct translation *path;

	if (path_at(t, old->pc, &path) < 0)
		return fail_at(t, old->code);
	if (!path)
		return settle_at(t, old->code);
	versions_lead(of(t)->cache, path);
	return go_on(t, path->code);
}

static bool is_retired(const struct translation *path, uint64_t pc)
{
	return path->checked && path->code == pc;
}

static bool is_at_check(const struct translation *path, uint64_t pc)
{
	return translation_state(path, (uint32_t)(pc - path->code))->place == AT_CHECK;
}

/* Some faults tell where the instruction is. */
static void tell_true_pc(const struct task *t, uint64_t cache_pc)
{
	siginfo_t info;

	if (!task_read_info(t, &info) || info.si_code <= 0 ||
	    (uint64_t)(uintptr_t)info.si_addr != cache_pc)
		return;
	info.si_addr = (void *)(uintptr_t)t->regs.rip;
	ptrace(PTRACE_SETSIGINFO, t->tid, NULL, &info);
}

static int other_signal(struct task *t, int signal)
{
	uint64_t pc = t->regs.rip;
	int status = settle_at(t, pc);

	if (signal == SIGILL || signal == SIGFPE)
		tell_true_pc(t, pc);
	return signals_arrived(t, signal) < 0 ? -1 : status;
}

/* Does what the trap of ours is for; *own false: there is none. */
static int at_trap(struct task *t, bool *own)
{
	const struct session *s = t->session;
	struct thread *th = of(t);
	struct translation *path;
	uint64_t pc = t->regs.rip - 1;
	int exit;

	*own = true;
	if (cache_at_miss(th->cache, pc))
		return s->settling ? settle_at(t, pc) : at_miss(t, pc);
	if (cache_where(th->cache, pc, &path) == CACHE_PATH) {
		exit = exit_at(path, pc);
		if (is_at_check(path, pc))
			return at_changed(t, path, pc);
		if (s->settling && (exit >= 0 || path->call_trap == pc || is_retired(path, pc)))
			return settle_at(t, pc);
		if (is_retired(path, pc))
			return at_retired(t, path);
		if (path->call_trap == pc)
			return at_call(t, path);
		if (exit >= 0)
			return at_exit(t, path, (unsigned)exit, pc);
	}
	*own = false;
	return 0;
}

static int trapped(struct task *t)
{
	siginfo_t info;
	bool own;
	int status = at_trap(t, &own);

	/* A step's trap may come when the task is here already; nobody steps in the cache. */
	if (!own && task_read_info(t, &info) && info.si_code == TRAP_TRACE) {
		traps_raise(t, OWN_TRAP);
		return t->session->settling ? settle_at(t, t->regs.rip) : 0;
	}
	if (!own)
		return other_signal(t, SIGTRAP);
	traps_raise(t, OWN_TRAP);
	/* If one that was sent had not been delivered yet, the kernel has made one of both. */
	if (status < 0 || !task_read_info(t, &info) || info.si_code > 0)
		return status;
	status = settle(t);
	return signals_arrived(t, SIGTRAP) < 0 ? -1 : status;
}

/* True if the task has used up its turn. */
static bool turn_is_over(struct session *s)
{
	enum { PART = SCHEDULE_QUANTUM / 4 };

	if (!s->serial)
		return false;
	s->quantum = s->quantum > PART ? s->quantum - PART : 0;
	return !s->quantum;
}

/* A store of ours behind the buffer: makes room, and lets it happen again, or steps on. */
static int buffer_full(struct task *t)
{
	struct session *s = t->session;
	struct thread *th = of(t);
	struct translation *path;

	if (cache_where(th->cache, t->regs.rip, &path) != CACHE_PATH)
		return other_signal(t, SIGSEGV);
	traps_raise(t, OWN_FAULT);
	s->stats.buffers++;
	if (buffers_are_limited(s) || !s->encoder || s->settling || turn_is_over(s))
		return settle_at(t, t->regs.rip);
	if (buffers_hand_over(t, precise_undo(path, t->regs.rip)) < 0 ||
	    join_paths(t, t->regs.rip) < 0)
		return -1;
	precise_set_record(&t->regs, path, th->context->record);
	task_write_regs(t);
	return 0;
}

/* Code that is to be compared cannot be read any more: the program will fault there, or step on. */
static int unreadable(struct task *t, struct translation *path)
{
	int status = at_changed(t, path, t->regs.rip);

	traps_raise(t, OWN_FAULT);
	of(t)->step_next = true;
	return status;
}

static int faulted(struct task *t)
{
	struct translation *path;
	siginfo_t info;
	bool own = task_read_info(t, &info) && info.si_code > 0;

	if (own && buffers_fault(of(t), &info))
		return buffer_full(t);
	if (own && cache_where(of(t)->cache, t->regs.rip, &path) == CACHE_PATH &&
	    is_at_check(path, t->regs.rip))
		return unreadable(t, path);
	if (buffers_are_nearly_full(of(t)))
		traps_raise(t, OWN_FAULT);	/* it may be one with a sent one, as in trapped() */
	return other_signal(t, SIGSEGV);
}

static int stopped_in_cache(struct task *t, int signal)
{
	if (signal == SIGTRAP)
		return trapped(t);
	return signal == SIGSEGV ? faulted(t) : other_signal(t, signal);
}

static int stopped_before_syscall(struct task *t, int signal)
{
	struct thread *th = of(t);
	struct translation *path = th->pending;
	int status;

	/* Signal and system call are the program's, also when writing fails. */
	th->mode = THREAD_SETTLED;
	if (signal != (SIGTRAP | 0x80)) {
		status = settle_pending(t);
		return signals_arrived(t, signal) < 0 ? -1 : status;
	}
	th->pending = NULL;
	status = records_write_exit(t, path, path->n_exits - 1, buffers_record(th));
	return syscalls_enter(t, path->int80) < 0 ? -1 : status;
}

static bool look(struct task *t)
{
	if (of(t)->mode == THREAD_IN_CACHE)
		settle(t);
	return task_read_regs(t);
}

static int sync_streams(struct session *s)
{
	return encoder_wait(s->encoder, NULL);
}

static void end(struct session *s)
{
	encoder_free(s->encoder);
	s->encoder = NULL;
	kept_free(s);
	path_ids_free(s->path_ids);
	s->path_ids = NULL;
}

static int delivered(struct task *t)
{
	return step_backend.delivered(t);
}

static int stopped(struct task *t, int status)
{
	struct thread *th = of(t);
	int signal = WSTOPSIG(status);

	if (th->mode == THREAD_IN_CACHE)
		return task_read_regs(t) ? stopped_in_cache(t, signal) : 0;
	if (th->mode == THREAD_SYSCALL && th->pending)
		return task_read_regs(t) ? stopped_before_syscall(t, signal) : 0;
	return stepped(t, status);
}

const struct backend translate_backend = {
	.name = "translate",
	.level = 1,
	.parallel = true,
	.task_start = task_start,
	.fork = inherit,
	.exiting = exiting,
	.task_end = task_end,
	.pause = pause_stepping,
	.leave = leave,
	.exec = exec,
	.resume = resume,
	.stopped = stopped,
	.delivered = delivered,
	.settle = settle,
	.look = look,
	.sync = sync_streams,
	.end = end,
};
