/* SPDX-License-Identifier: MIT */
#include "recorder/translate/calls.h"

#include <string.h>

#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/records/records.h"
#include "recorder/translate/thread/quota.h"
#include "recorder/translate/thread/state_reconstruction.h"
#include "recorder/translate/x87_pointers.h"

enum { ERESTARTNOINTR = 513 }; /* from the kernel's include/linux/errno.h */

/* Returns true if the task may make system calls in the cache. The exceptions and their reasons:
 * seccomp filters may test where a call comes from; blocked signals may differ from what the
 * program set, and be read from a signalfd(2); the stub reads the time; the kernel may report the
 * task's CPUs, as in /proc/self/status; and where tasks run in turns, the recorder has to know of a
 * waiting task, which gives its turn to another. */
static bool may_make_calls(const struct task *t)
{
	const struct session *s = t->session;

	return !t->process->confined && !dispatch_is_on(t) && !t->limits.no_rdtsc &&
	       !signal_rate_is_limited(t) && traps_are_restored(t) && !schedule_is_confined(t) &&
	       !thread_of(t)->burst.on && (s->tasks.count == 1 || !schedule_is_serial(s));
}

void calls_allow(struct task *t)
{
	thread_of(t)->context->makes_calls = may_make_calls(t);
}

void calls_begin(struct task *t)
{
	struct context *c = thread_of(t)->context;

	c->inside = c->gate = 0;
	thread_of(t)->expelled = false;
	calls_allow(t);
}

/* Returns the size in bytes of the record that a call at the superblock's end completes. */
static unsigned superblock_bytes(const struct translation *superblock)
{
	return (unsigned)record_slot(superblock->exits[superblock->n_exits - 1].n_places);
}

void calls_set_record(struct task *t)
{
	struct thread *th = thread_of(t);

	th->context->call_record = th->context->record + superblock_bytes(reconstruct_caller(th));
	t->regs.rcx = th->context->call_record;
}

static uint64_t next_pc(const struct translation *superblock)
{
	return superblock->exits[superblock->n_exits - 1].target;
}

/* Writes the start of the call. The call's record follows that of the superblock. */
static int write_entry(struct task *t, const struct translation *superblock)
{
	const struct thread *th = thread_of(t);
	const uint64_t *slots = (const uint64_t *)(buffers_record(th) +
						   superblock_bytes(superblock) + RECORD_HEADER);
	struct syscall_made call = {
		.number = (uint32_t)slots[SYSCALL_NUMBER],
		.entered_ns = clock_ns(&th->span, slots[SYSCALL_ENTERED]),
	};

	memcpy(call.args, slots + SYSCALL_ARGS, sizeof(call.args));
	return syscalls_making(t, &call, next_pc(superblock));
}

/* Begins a call that is counted. */
static int enter_counted(struct task *t, const struct translation *superblock)
{
	const struct syscall_made call = { .number = thread_of(t)->context->call_number };

	return syscalls_making(t, &call, next_pc(superblock));
}

/* Writes the end of the call, or begins the call again if the stop interrupted it. */
static int leave(struct task *t)
{
	int status;

	if (thread_of(t)->merely_stopped)
		syscalls_begin_again(t);
	syscalls_read_args(t);
	status = syscalls_leave(t);
	if (thread_of(t)->merely_stopped && region_counting(t->session) && syscalls_interrupted(t))
		syscalls_keep_count(t);
	return status;
}

int calls_write(struct task *t, const struct translation *superblock)
{
	int status = superblock->counted ? enter_counted(t, superblock)
					 : write_entry(t, superblock);

	return status < 0 || leave(t) < 0 ? -1 : 0;
}

/* ---- while a task waits ---- */

static bool is_inside(struct context *c)
{
	__atomic_store_n(&c->gate, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&c->inside, __ATOMIC_SEQ_CST);
}

/* Writes what the task has recorded up to the call, and the start of the call. */
static int write_up_to(struct task *t, struct translation *superblock)
{
	if (buffers_drain(t) < 0 || records_write_exit(t, superblock, superblock->n_exits - 1,
						       buffers_record(thread_of(t))) < 0)
		return -1;
	return write_entry(t, superblock);
}

/* Counts what the task has executed up to the call, which is executed as well. */
static int count_up_to(struct task *t, struct translation *superblock)
{
	const struct context *c = thread_of(t)->context;
	struct state s = translation_state(superblock,
					   (uint32_t)(c->call_return - superblock->code));

	thread_note_progress(t);
	quota_leave(t, (int)superblock->n_insns - s.counted, superblock->excluded);
	if (records_keep_exit_counters(t) < 0 || buffers_drain(t) < 0 ||
	    (t->session->intervals &&
	     records_count_exit(t, superblock, superblock->n_exits - 1, 1) < 0))
		return -1;
	return enter_counted(t, superblock);
}

bool calls_wait(struct task *t)
{
	struct thread *th = thread_of(t);
	struct translation *superblock;

	if (!th || th->mode != THREAD_IN_CACHE || th->expelled || !is_inside(th->context))
		return false;
	superblock = reconstruct_caller(th);
	th->mode = THREAD_CALLING;
	t->state = TASK_KERNEL;
	/* A failure is kept in session->error and is no reason to interrupt the call. */
	if (superblock->counted)
		count_up_to(t, superblock);
	else
		write_up_to(t, superblock);
	return true;
}

/* Makes the task's registers those of the program after the call. If the task stopped before the
 * call, makes it a call that the kernel begins again. */
static int come_back(struct task *t, const struct call_stub *stub, uint64_t pc)
{
	struct thread *th = thread_of(t);
	struct user_regs_struct *r = &t->regs;

	if (call_stub_has_saved(stub, pc)) {
		r->rax = th->context->saved_rax;
		r->rdx = th->context->saved_rdx;
	}
	if (call_stub_place(stub, pc) == CALL_BEFORE) {
		r->orig_rax = t->syscall.number;
		r->rax = -(uint64_t)ERESTARTNOINTR;
	}
	x87_pointers_leave(t, pc);
	r->rip = r->rcx = t->syscall.next_pc;
	r->gs_base = th->context->gs_base;
	th->mode = THREAD_SYNCHRONIZED;
	task_write_regs(t);
	buffers_empty(t);
	return leave(t);
}

int calls_stopped(struct task *t, int signal)
{
	const struct call_stub *stub = cache_call_stub(thread_of(t)->cache, t->regs.rip);
	siginfo_t info;
	bool held;
	int status;

	if (!stub)
		return task_fail(t, TF_E_DAMAGED, "the program has left the recorder's code");
	held = signal == SIGTRAP && call_stub_holds(stub, t->regs.rip - 1);
	status = come_back(t, stub, t->regs.rip - held);
	if (!signal)
		return status;
	if (held) {
		traps_raise(t, OWN_TRAP);
		/*
		 * An undelivered SIGTRAP that was sent and the trap's own were merged by the
		 * kernel.
		 */
		if (status < 0 || !task_read_info(t, &info) || raised_signals_has(t, &info))
			return status;
	}
	return signals_arrived(t, signal) < 0 ? -1 : status;
}

void calls_expel(struct task *t)
{
	for (struct task *other = t->next; other != t; other = other->next) {
		struct thread *th = thread_of(other);

		if (!th || other->process->space != t->process->space)
			continue;
		th->expelled = true;
		if (th->mode == THREAD_CALLING && other->state == TASK_KERNEL)
			other->state = TASK_RUNNING;
	}
}
