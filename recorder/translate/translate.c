/* SPDX-License-Identifier: MIT */
/*
 * The translate backend: the program runs in translated copies of its code, which write what they
 * execute into a buffer. Code that cannot be translated is handed to the step backend, block by
 * block.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "recorder/core/backend.h"
#include "recorder/core/intervals.h"
#include "recorder/core/loop_heads.h"
#include "recorder/core/marker_budgets.h"
#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/emulated_calls.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/region_bounds.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/extended_state.h"
#include "recorder/translate/cache/persistent_cache.h"
#include "recorder/translate/cache_consistency.h"
#include "recorder/translate/calls.h"
#include "recorder/translate/emit/special.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/records/encoder.h"
#include "recorder/translate/records/path_ids.h"
#include "recorder/translate/records/records.h"
#include "recorder/translate/records/self_check.h"
#include "recorder/translate/requests.h"
#include "recorder/translate/set_up.h"
#include "recorder/translate/store/saved_programs.h"
#include "recorder/translate/superblocks/block_prefetch.h"
#include "recorder/translate/superblocks/superblocks.h"
#include "recorder/translate/synchronize.h"
#include "recorder/translate/thread/burst_sampling.h"
#include "recorder/translate/thread/origin.h"
#include "recorder/translate/thread/quota.h"
#include "recorder/translate/trap_dispatch.h"
#include "recorder/translate/x87_pointers.h"

enum {
	TRAP_FLAG = 0x100,
	USER_CS = 0x33,
	SYSCALL_STOP = 0x80, /* see PTRACE_O_TRACESYSGOOD */
};

/* ---- tasks ---- */

static int task_start(struct task *t)
{
	t->translate = calloc(1, sizeof(struct thread));
	return t->translate ? step_backend.task_start(t) : output_memory(t->session->output);
}

/* Ends a task that was killed in the cache. How much of its last superblock has executed is
 * unknown. */
static int end_inside(struct task *t)
{
	if (calls_wait(t))
		return 0;
	quota_leave(t, 0, false);
	intervals_lose(t->session);
	return buffers_drain(t) < 0 || region_lose(t) < 0 ? -1 : 0;
}

/* Synchronizes a killed task. If the kill met it at a trap, its pc is after the int3; in a system
 * call of remote.h, its pc is in no translation. */
static int exiting(struct task *t)
{
	struct thread *th = thread_of(t);
	struct translation *superblock;
	uint64_t pc;

	if (th->mode != THREAD_IN_CACHE)
		return synchronize_task(t);
	if (!task_read_regs(t))
		return 0;
	pc = t->regs.rip - trap_is_own(th->cache, t->regs.rip - 1);
	return cache_where(th->cache, pc, &superblock) == CACHE_ELSEWHERE ? 0
									  : synchronize_at(t, pc);
}

static int task_end(struct task *t)
{
	struct thread *th = thread_of(t);
	int status = 0;

	if (th->mode == THREAD_IN_CACHE && t->state == TASK_READY)
		status = synchronize_task(t);
	else if (th->pending)
		status = synchronize_pending(t);
	if (th->mode == THREAD_IN_CACHE && status == 0)
		status = end_inside(t);
	if (step_backend.task_end(t) < 0 || thread_tear_down(t) < 0)
		status = -1;
	free(t->translate);
	t->translate = NULL;
	return status;
}

static int exec(struct task *t)
{
	int status = step_backend.exec(t);

	loop_heads_forget(t->session);
	return thread_tear_down(t) < 0 ? -1 : status;
}

static void inherit(struct task *child, const struct task *parent)
{
	space_cache_inherit(child, parent);
}

static void pause_stepping(struct task *t)
{
	step_backend.pause(t);
}

static bool is_inside(const struct task *t)
{
	return t->translate &&
	       (thread_of(t)->mode == THREAD_IN_CACHE || thread_of(t)->mode == THREAD_CALLING);
}

/* Returns true if the task will continue in the cache. Letting go of a vfork child does not end its
 * parent's stay. */
static bool stays(const struct task *t)
{
	return t->translate && thread_of(t)->area && !t->process->life.leaving &&
	       !region_is_over(t->session);
}

/*
 * Unmaps the recorder's memory if no other task of the address space is inside the cache or stays.
 */
static void leave(struct task *t)
{
	for (const struct task *other = t->next; other != t; other = other->next)
		if (other->process && other->process->space == t->process->space &&
		    (is_inside(other) || stays(other)))
			return;
	shared_unmap_all(t);
}

/* ---- entering the cache ---- */

/* Returns true if the stream lacks rsp. Stepping records rsp and does not rely on it, so a stepped
 * block supplies the value. */
static bool is_missing_rsp(const struct task *t)
{
	return region_recording(t->session) && !t->session->options->no_addresses &&
	       output_misses_rsp(t);
}

/* Returns true if the program's protection keys deny access to the recorder's memory. They do so
 * until the program changes them. */
static bool is_denied(struct task *t)
{
	struct thread *th = thread_of(t);

	if (th->denied)
		th->denied = vectors_deny_key_0(t);
	return th->denied;
}

static bool must_step(struct task *t)
{
	const struct thread *th = thread_of(t);

	return th->refused || is_denied(t) || th->step_next || t->signals.number ||
	       t->signals.delivering || t->syscall.inside || syscalls_interrupted(t) ||
	       !step_is_between_blocks(t) || buffers_are_useless(t->session) || is_missing_rsp(t) ||
	       t->regs.cs != USER_CS || t->regs.eflags & TRAP_FLAG;
}

static int step(struct task *t)
{
	struct thread *th = thread_of(t);

	th->mode = THREAD_STEPPING;
	th->step_next = false;
	/* A system call may take long, and its time is not the recorder's. */
	th->stepped = t->syscall.inside ? 0 : session_now();
	return step_backend.resume(t);
}

/* Handles the stop of a task that was stepped. */
static int stepped(struct task *t, int status)
{
	struct thread *th = thread_of(t);
	int result = step_backend.stopped(t, status);

	if (th->stepped > 0)
		t->session->stats.stepping += session_now() - th->stepped;
	th->stepped = 0;
	return result;
}

/* Resumes the task at its place in the cache. */
static void run(struct task *t)
{
	calls_allow(t);
	requests_begin(t);
	traps_unmask(t);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
}

static int enter(struct task *t, const struct translation *superblock)
{
	struct thread *th = thread_of(t);

	/* Counting variants may have loaded segment registers without a record. */
	if (syscalls_segments(t) < 0)
		return -1;
	special_enter(th->context, th->context_at, &t->regs);
	x87_pointers_enter(t);
	buffers_empty(t);
	if (superblock->counted)
		quota_take(t, superblock);
	else
		quota_reserve(t);
	if (region_recording(t->session) && !t->session->options->no_addresses)
		output_registers(t);
	if (th->check)
		self_check_enter(th->check, t);
	schedule_share_run(t, quota_is_bounded(th));
	calls_begin(t);
	th->entered = superblock->pc;
	t->regs.rip = superblock->code;
	t->regs.gs_base = th->context_at;
	if (!task_write_regs(t)) {
		quota_leave(t, superblock->pending, superblock->excluded);
		return 0;
	}
	th->mode = THREAD_IN_CACHE;
	thread_watch_progress(t);
	run(t);
	return 0;
}

/* ---- system calls ---- */

/* Writes the superblock before its system call. After sigreturn rsp has another value, so the
 * superblock is written as a partial execution, which records rsp. */
static int write_before_syscall(struct task *t, struct translation *superblock)
{
	uint8_t *record = buffers_record(thread_of(t));

	if (t->regs.orig_rax == SYS_rt_sigreturn && !superblock->int80)
		return records_write_partial(t, superblock, superblock->n_insns, record);
	return records_write_exit(t, superblock, superblock->n_exits - 1, record);
}

/*
 * Returns true if the system call instruction raised SIGSYS, so that no call was made (dispatch.h).
 */
static bool is_behind(const struct task *t, const struct translation *superblock)
{
	return t->regs.rip == superblock->exits[superblock->n_exits - 1].target;
}

/* Adds a counting variant, which ends with a system call, to the present interval. */
static int count_syscall(struct task *t, struct translation *superblock)
{
	return t->session->intervals ? records_count_exit(t, superblock, superblock->n_exits - 1, 1)
				     : 0;
}

static int synchronize_behind(struct task *t)
{
	struct thread *th = thread_of(t);
	struct translation *superblock = th->pending;

	th->pending = NULL;
	return superblock->counted ? count_syscall(t, superblock)
				   : records_write_exit(t, superblock, superblock->n_exits - 1,
							buffers_record(th));
}

static int stopped_before_syscall(struct task *t, int signal)
{
	struct thread *th = thread_of(t);
	struct translation *superblock = th->pending;
	int status;

	/* Signal and system call are handled even if writing fails: the program depends on them. */
	th->mode = THREAD_SYNCHRONIZED;
	if (signal != (SIGTRAP | SYSCALL_STOP)) {
		status = is_behind(t, superblock) ? synchronize_behind(t) : synchronize_pending(t);
		return signals_arrived(t, signal) < 0 ? -1 : status;
	}
	th->pending = NULL;
	status = superblock->counted ? count_syscall(t, superblock)
				     : write_before_syscall(t, superblock);
	return syscalls_enter(t, superblock->int80) < 0 ? -1 : status;
}

/* Returns true if the system call that the task is about to make creates a process with a copy of
 * its memory. */
static bool forks(const struct task *t)
{
	uint64_t flags;

	switch (t->regs.rax) {
	case SYS_fork: return true;
	case SYS_clone: return !(t->regs.rdi & CLONE_VM);
	case SYS_clone3:
		/* the flags are the first member of struct clone_args */
		return task_read(t, t->regs.rdi, &flags, sizeof(flags)) == sizeof(flags) &&
		       !(flags & CLONE_VM);
	default: return false;
	}
}

/* Ends a system call that the task has not made, with this result. */
static int leave_emulated(struct task *t, int64_t result)
{
	struct user_regs_struct *r = &t->regs;
	int status = stopped_before_syscall(t, SIGTRAP | SYSCALL_STOP);

	r->rax = (uint64_t)result;
	r->orig_rax = UINT64_MAX;
	if (syscalls_leave(t) < 0)
		status = -1;
	return task_write_regs(t) ? status : 0;
}

/* Changes the registers as the syscall instruction does. */
static void execute_syscall(struct task *t)
{
	struct user_regs_struct *r = &t->regs;

	r->rip += SYSCALL_BYTES;
	r->rcx = r->rip;
	r->r11 = r->eflags;
	r->orig_rax = r->rax;
}

static int enter_syscall(struct task *t)
{
	int64_t result;
	int status;

	if (t->session->options->follow && !thread_of(t)->pending->int80 && forks(t))
		space_cache_before_fork(t);
	status = syscalls_prepare(t);
	if (status == 0 && !thread_of(t)->pending->int80 && emulated_call(t, &result)) {
		execute_syscall(t);
		return leave_emulated(t, result);
	}
	thread_of(t)->mode = THREAD_SYSCALL;
	schedule_free(t);
	task_resume(t, PTRACE_SYSCALL, TASK_ENTERING);
	return status;
}

/* ---- resuming ---- */

/* Returns true if the present interval ends here, or if the phase or interval is about to end. */
static bool is_near_end(const struct session *s)
{
	return region_runs_short(s) ||
	       (s->intervals && region_counting(s) &&
		(region_left(s) <= intervals_early(s) || marker_budgets_are_due(s)));
}

/*
 * Returns true unless a task whose phase has ended goes on in the same way. A task that looks for a
 * marker goes on at once: another one could take the marker's budget away before its turn.
 */
static bool waits_again(const struct task *t)
{
	const struct session *s = t->session;

	return !s->points || !region_counting(s) || is_near_end(s);
}

/* Sets *superblock to the one to enter, or to NULL if the task is to be stepped. */
static int superblock_to_enter(struct task *t, struct translation **superblock)
{
	const struct session *s = t->session;

	bool passing = thread_of(t)->passing && loop_heads_tier(s, t->regs.rip);

	thread_of(t)->passing = false;
	if (region_counting(s) && (quota_is_useless(s) || passing))
		return superblock_within(t, t->regs.rip, region_left(s), superblock);
	return superblock_at(t, t->regs.rip, superblock);
}

static int resume(struct task *t)
{
	struct thread *th = thread_of(t);
	struct translation *superblock;
	int status;

	if (th->mode == THREAD_IN_CACHE) {
		run(t);
		return 0;
	}
	if (th->pending && !t->signals.number && !t->signals.delivering)
		return enter_syscall(t);
	/* Another task may have executed the window's last instruction. */
	if (region_recording(t->session) && !region_left(t->session))
		return records_end(t);
	if (region_counting(t->session) && marker_budgets_are_due(t->session) &&
	    step_is_between_blocks(t) && (region_budget(t) < 0 || waits_again(t)))
		return t->session->error.is_set ? -1 : 0;
	if (must_step(t) || (!th->area && !thread_set_up(t)))
		return step(t);
	status = consistency_follow(t);
	if (status == 0)
		status = consistency_extend(t, 0);
	if (status)
		return status < 0 ? -1 : step(t);
	if (!th->area)
		return step(t);
	if (is_near_end(t->session) && (region_budget(t) < 0 || waits_again(t)))
		return t->session->error.is_set ? -1 : 0;
	if (!th->passing && loop_heads_tier(t->session, t->regs.rip)) {
		th->passing = true;
		return region_head(t);
	}
	burst_decide(t);
	if (superblock_to_enter(t, &superblock) < 0)
		return -1;
	return superblock ? enter(t, superblock) : step(t);
}

/* ---- stops ---- */

/* Interrupts a task that waits for a page. It stops before the instruction that waits, which is
 * then stepped, so that it executes no other instruction before its turn. */
static void stalled(struct task *t)
{
	struct thread *th = thread_of(t);

	if (th->mode != THREAD_IN_CACHE || th->stalled)
		return;
	th->stalled = true;
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

static bool look(struct task *t)
{
	struct thread *th = thread_of(t);
	enum thread_mode mode = th->mode;
	siginfo_t info;

	/* Any other signal here is that of a group stop. */
	th->merely_stopped = task_read_info(t, &info) && info.si_signo == SIGTRAP;
	if (mode == THREAD_IN_CACHE)
		synchronize_task(t);
	th->step_next |= th->stalled;
	th->stalled = false;
	if (!task_read_regs(t))
		return false;
	if (mode == THREAD_CALLING)
		calls_stopped(t, 0);
	th->merely_stopped = false;
	return true;
}

/* Begins the superblocks at the armed heads with a trap. Superblocks that have fresh heads inside
 * are translated anew, at first at least, so that these heads begin superblocks of their own. */
static int arm(struct task *t, bool fresh)
{
	enum { MOST_FLUSHES = 8 };
	struct session *s = t->session;
	struct cache *c = thread_of(t)->cache;
	size_t i = 0;
	uint64_t pc;

	if (!c)
		return 0;
	cache_disarm(c);
	if (!loop_heads_are_armed(s))
		return 0;
	if (fresh && s->stats.flushes < MOST_FLUSHES && consistency_flush(t) < 0)
		return -1;
	c = thread_of(t)->cache;
	while (c && (pc = loop_heads_next(s, &i)))
		if (!cache_arm(c, pc))
			return output_memory(s->output);
	return 0;
}

static int sync_streams(struct session *s)
{
	return encoder_wait(s->translate.encoder, NULL);
}

static void end(struct session *s)
{
	encoder_free(s->translate.encoder);
	s->translate.encoder = NULL;
	block_prefetch_free(s->translate.prefetch);
	s->translate.prefetch = NULL;
	persistent_caches_free(s);
	saved_programs_end(s);
	path_ids_free(s->translate.path_ids);
	s->translate.path_ids = NULL;
}

static void count_progress(struct task *t)
{
	if (thread_of(t)->mode == THREAD_IN_CACHE)
		thread_note_progress(t);
}

static int delivered(struct task *t)
{
	return step_backend.delivered(t);
}

/* Returns true if the signal is one that the program ignores and that no instruction has raised. */
static bool merely_stopped(struct task *t, int signal)
{
	siginfo_t info;

	if (signal == SIGTRAP ||
	    (signal == SIGSEGV && task_read_info(t, &info) && raised_signals_has(t, &info)))
		return false;
	return signal_fate(t, signal) == SIGNAL_IGNORED;
}

static int stopped_in_cache(struct task *t, int signal)
{
	struct thread *th = thread_of(t);
	int status;

	if (!task_read_regs(t))
		return 0;
	th->merely_stopped = merely_stopped(t, signal);
	status = th->mode == THREAD_CALLING ? calls_stopped(t, signal) : trap_dispatch(t, signal);
	th->merely_stopped = false;
	return status;
}

static int stopped(struct task *t, int status)
{
	struct thread *th = thread_of(t);
	int signal = WSTOPSIG(status);

	if (th->mode == THREAD_IN_CACHE || th->mode == THREAD_CALLING)
		return stopped_in_cache(t, signal);
	if (th->mode == THREAD_SYSCALL && th->pending)
		return task_read_regs(t) ? stopped_before_syscall(t, signal) : 0;
	return stepped(t, status);
}

const struct backend translate_backend = {
	.name = "translate",
	.level = 1,
	.parallel = true,
	.uses_rsp = true,
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
	.count_progress = count_progress,
	.stalled = stalled,
	.synchronize = synchronize_task,
	.waits = calls_wait,
	.serve = requests_serve,
	.look = look,
	.origin = origin_find,
	.sync = sync_streams,
	.end_interval = records_take_exit_counters,
	.arm = arm,
	.end = end,
};
