/* SPDX-License-Identifier: MIT */
/*
 * A task stops in the cache by a trap instruction of the recorder, by a fault that the recorder
 * expects, or by a signal of the program. Where the pc is tells which: each trap stands at a known
 * place (at_trap), and an expected fault is at a guard page, at a read of code that is compared, at
 * rdtsc, or in memory of the recorder that the program has unmapped (faulted). Most stops ask for a
 * translation and go on in it. All others synchronize the task first.
 *
 * The kernel merges a signal that is sent to the program with one of the same number that the
 * recorder's code raises at that time. The siginfo is then that of the sent signal, so the program
 * still gets it.
 */
#include "recorder/translate/trap_dispatch.h"

#include <sys/ptrace.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/traps.h"
#include "recorder/translate/cache/versions.h"
#include "recorder/translate/cache_consistency.h"
#include "recorder/translate/calls.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/requests.h"
#include "recorder/translate/superblocks/superblocks.h"
#include "recorder/translate/synchronize.h"
#include "recorder/translate/thread/quota.h"
#include "recorder/translate/thread/state_reconstruction.h"
#include "recorder/translate/x87_pointers.h"

/* Returns the index of the exit whose trap is at pc, or -1. */
static int exit_at(const struct translation *superblock, uint64_t pc)
{
	for (unsigned i = 0; i < superblock->n_exits; i++)
		if (superblock->exits[i].jump == pc)
			return (int)i;
	return -1;
}

/* Returns true if pc is at the trap of a counting variant for an exhausted quota. Such a trap has a
 * state of its own. */
static bool is_count_trap(const struct cache *c, const struct translation *superblock, uint64_t pc)
{
	uint32_t offset = (uint32_t)(pc - superblock->code);

	return superblock->counted && translation_state(superblock, offset).offset == offset &&
	       asm_is_trap(cache_local(c, pc));
}

static bool is_request_trap(const struct cache *c, uint64_t pc)
{
	const struct request_stub *stub = cache_request_stub(c, pc);

	return cache_at_miss(c, pc) || (stub && request_stub_traps(stub, pc));
}

static bool is_call_trap(const struct cache *c, uint64_t pc)
{
	const struct call_stub *stub = cache_call_stub(c, pc);

	return stub && (call_stub_refuses(stub, pc) || call_stub_holds(stub, pc));
}

/* Returns true at the entry of a superblock where the task is to stop, see loop_heads.h. */
static bool is_armed(const struct translation *superblock, uint64_t pc)
{
	return superblock->armed && superblock->code == pc;
}

bool trap_is_own(const struct cache *c, uint64_t pc)
{
	struct translation *superblock;

	return is_request_trap(c, pc) || is_call_trap(c, pc) || cache_at_x87_store(c, pc) ||
	       (cache_where(c, pc, &superblock) == CACHE_SUPERBLOCK &&
		(superblock->call_trap == pc || is_armed(superblock, pc) ||
		 exit_at(superblock, pc) >= 0 || is_count_trap(c, superblock, pc)));
}

/* Lets the task continue at a cache pc. */
static int go_on(struct task *t, uint64_t code)
{
	t->regs.rip = code;
	task_write_regs(t);
	return 0;
}

/* Continues as go_on() does, and prepares for another stop soon. */
static int help_on(struct task *t, uint64_t code)
{
	schedule_help(t);
	calls_allow(t);
	return go_on(t, code);
}

/* Takes the task out of the cache after a superblock could not be made. */
static int fail_at(struct task *t, uint64_t pc)
{
	synchronize_at(t, pc);
	return -1;
}

static int at_miss(struct task *t, uint64_t pc)
{
	struct translation *superblock;

	t->session->stats.indirect++;
	if (superblock_jumped_to(t, reconstruct_target(t), &superblock) < 0)
		return fail_at(t, pc);
	if (!superblock || buffers_lack_room(t, superblock))
		return synchronize_at(t, pc);
	cache_link_indirect(thread_of(t)->cache, superblock);
	if (superblock->prefix)
		return help_on(t, superblock->prefix);
	return synchronize_at(t, pc); /* no room for a prefix */
}

/* Handles a call of a watched function from a new place. */
static int at_call(struct task *t, const struct translation *superblock)
{
	struct thread *th = thread_of(t);
	const uint64_t *slots = (const uint64_t *)(buffers_record(th) - superblock->event_bytes +
						   RECORD_HEADER);
	uint64_t return_pc = slots[1];
	int status;

	t->session->stats.calls++;
	if (consistency_hides_return(th->cache, return_pc)) {
		if (synchronize_at(t, superblock->call_trap) < 0)
			return -1;
		status = consistency_flush(t);
		if (status == 0 && th->cache) /* else consistency_follow() flushes later */
			cache_watch_return(th->cache, return_pc);
		else if (status > 0)
			th->step_next = true; /* in the cache it would come back here */
		return status < 0 ? -1 : 0;
	}
	cache_watch_return(th->cache, return_pc);
	return help_on(t, superblock->call_trap + ASM_JUMP_BYTES);
}

static int at_exit(struct task *t, struct translation *from, unsigned exit, uint64_t pc)
{
	struct translation *superblock;

	if (from->exits[exit].syscall)
		return synchronize_before_syscall(t, from, pc);
	t->session->stats.exits++;
	if (superblock_behind(t, from, exit, &superblock) < 0)
		return fail_at(t, pc);
	if (!superblock || buffers_lack_room(t, superblock))
		return synchronize_at(t, pc);
	return help_on(t, superblock->code);
}

/* Handles a request that the recorder has not answered while the task waited. */
static int at_request(struct task *t, uint64_t pc)
{
	const struct thread *th = thread_of(t);
	struct cache_exit left;

	requests_trapped(t);
	if (t->session->synchronizing)
		return synchronize_at(t, pc);
	if (cache_at_miss(th->cache, pc))
		return at_miss(t, pc);
	if (th->context->request_exit >= cache_exits(th->cache))
		return synchronize_at(t, pc); /* synchronize_at() reports the damage */
	left = cache_exit(th->cache, (uint32_t)th->context->request_exit);
	t->regs.rcx = th->context->saved_rcx;
	return at_exit(t, left.translation, left.exit, pc);
}

/* Returns true if the call may be made in the cache once the task has its own CPUs again. */
static bool may_call_again(struct task *t)
{
	if (t->session->synchronizing || !schedule_is_confined(t))
		return false;
	schedule_stop_sharing(t);
	calls_allow(t);
	return thread_of(t)->context->makes_calls;
}

/* Handles a trap of the call stub: the call must not be made there, or it has been made and must be
 * examined. */
static int at_call_stub(struct task *t, uint64_t pc)
{
	struct thread *th = thread_of(t);
	const struct call_stub *stub = cache_call_stub(th->cache, pc);

	if (t->session->synchronizing || call_stub_holds(stub, pc))
		return synchronize_at(t, pc);
	if (may_call_again(t))
		return go_on(t, stub->pc);
	return synchronize_before_syscall(t, reconstruct_caller(th), pc);
}

/* Corrects stored x87 pointers and skips the trap, which is one byte. */
static int at_x87_store(struct task *t, uint64_t pc)
{
	if (t->session->synchronizing)
		return synchronize_at(t, pc);
	x87_pointers_stored(t, pc);
	return go_on(t, pc + 1);
}

/* Handles changed or unreadable code of a superblock: the task leaves before that code. */
static int at_changed(struct task *t, struct translation *superblock, uint64_t pc)
{
	versions_retire(thread_of(t)->cache, superblock);
	return synchronize_at(t, pc);
}

/* Handles the entry of a retired superblock. */
static int at_retired(struct task *t, const struct translation *old)
{
	struct translation *superblock;

	if (superblock_at(t, old->pc, &superblock) < 0)
		return fail_at(t, old->code);
	if (!superblock)
		return synchronize_at(t, old->code);
	versions_lead(thread_of(t)->cache, superblock);
	return help_on(t, superblock->code);
}

static bool is_retired(const struct translation *superblock, uint64_t pc)
{
	return superblock->checked && superblock->code == pc;
}

static bool is_at_check(const struct translation *superblock, uint64_t pc)
{
	return translation_state(superblock, (uint32_t)(pc - superblock->code)).place == AT_CHECK;
}

static bool is_to_step(const struct cache *c, const struct translation *superblock, uint64_t pc)
{
	return translation_state(superblock, (uint32_t)(pc - superblock->code)).place == AT_STEP &&
	       asm_is_trap(cache_local(c, pc));
}

/* Handles an instruction that cannot execute in the cache with its present operands. */
static int at_step(struct task *t, uint64_t pc)
{
	int status = synchronize_at(t, pc);

	thread_of(t)->step_next = true;
	return status;
}

/* Corrects the instruction's address in the siginfo of a fault that reports it. */
static void correct_fault_address(const struct task *t, uint64_t cache_pc)
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
	int status = synchronize_at(t, pc);

	if (signal == SIGILL || signal == SIGFPE)
		correct_fault_address(t, pc);
	return signals_arrived(t, signal) < 0 ? -1 : status;
}

/* Handles an exhausted quota. The task may get another quota; with serial threads, the next task
 * has its turn. If the first superblock needs more than the quota allows, an instruction is
 * stepped. */
static int used_up(struct task *t, uint64_t pc)
{
	uint64_t executed = t->trace.skipped;
	int status;

	schedule_end_turn(t->session);
	status = synchronize_at(t, pc);
	thread_of(t)->step_next |= t->trace.skipped == executed;
	return status;
}

/*
 * Handles the recorder's trap at the task's pc. Sets *own to false if the recorder has none there.
 */
static int at_trap(struct task *t, bool *own)
{
	const struct session *s = t->session;
	struct thread *th = thread_of(t);
	struct translation *superblock;
	uint64_t pc = t->regs.rip - 1;
	int exit;

	*own = true;
	if (quota_is_used_up(th) && trap_is_own(th->cache, pc) &&
	    !cache_at_x87_store(th->cache, pc))
		return used_up(t, pc);
	if (is_request_trap(th->cache, pc))
		return at_request(t, pc);
	if (is_call_trap(th->cache, pc))
		return at_call_stub(t, pc);
	if (cache_where(th->cache, pc, &superblock) == CACHE_SUPERBLOCK) {
		exit = exit_at(superblock, pc);
		if (is_armed(superblock, pc))
			return synchronize_at(t, pc);
		if (is_at_check(superblock, pc))
			return at_changed(t, superblock, pc);
		if (is_to_step(th->cache, superblock, pc))
			return at_step(t, pc);
		if (s->synchronizing &&
		    (exit >= 0 || superblock->call_trap == pc || is_retired(superblock, pc)))
			return synchronize_at(t, pc);
		if (is_retired(superblock, pc))
			return at_retired(t, superblock);
		if (superblock->call_trap == pc)
			return at_call(t, superblock);
		if (exit >= 0)
			return at_exit(t, superblock, (unsigned)exit, pc);
		if (cache_at_x87_store(th->cache, pc))
			return at_x87_store(t, pc);
	}
	*own = false;
	return 0;
}

static int trapped(struct task *t)
{
	siginfo_t info;
	bool own;
	int status = at_trap(t, &own);

	if (!own)
		return other_signal(t, SIGTRAP);
	traps_raise(t, OWN_TRAP);
	/* An undelivered SIGTRAP that was sent and the trap's own were merged by the kernel. */
	if (status < 0 || !task_read_info(t, &info) || raised_signals_has(t, &info))
		return status;
	status = synchronize_task(t);
	return signals_arrived(t, SIGTRAP) < 0 ? -1 : status;
}

/* Uses up a part of the task's turn, and returns true if the turn is over. */
static bool turn_is_over(struct session *s)
{
	enum { PART = SCHEDULE_QUANTUM / 4 };

	if (!s->schedule.serial || s->tasks.count == 1)
		return false;
	return schedule_use_turn(s, PART);
}

/* Leaves the cache at a full buffer. If the buffer lacks room even for the first instruction's part
 * of a record, that instruction is stepped. */
static int leave_full(struct task *t)
{
	struct thread *th = thread_of(t);
	bool empty = buffers_record(th) == buffers_first(th);
	int status = synchronize_at(t, t->regs.rip);

	th->step_next |= empty && t->regs.rip == th->entered;
	return status;
}

/* Handles a store of the recorder past the end of the buffer: provides room so that the store can
 * be repeated, or takes the task out of the cache. */
static int buffer_full(struct task *t)
{
	struct session *s = t->session;
	struct thread *th = thread_of(t);
	struct translation *superblock;
	enum cache_place place = cache_where(th->cache, t->regs.rip, &superblock);

	if (place != CACHE_SUPERBLOCK && place != CACHE_CALL)
		return other_signal(t, SIGSEGV);
	traps_raise(t, OWN_FAULT);
	s->stats.buffers++;
	if (buffers_are_limited(s) || buffers_reach_the_end(t) || !s->translate.encoder ||
	    s->synchronizing || turn_is_over(s))
		return leave_full(t);
	if (buffers_hand_over(t, superblock ? reconstruct_undo(superblock, t->regs.rip) : 0) < 0 ||
	    consistency_extend(t, t->regs.rip) < 0)
		return -1;
	if (superblock)
		reconstruct_set_record(&t->regs, superblock, th->context->record);
	else
		calls_set_record(t);
	task_write_regs(t);
	return 0;
}

/* Handles code that can no longer be read for comparison. The program is stepped there, and either
 * faults itself or continues. */
static int unreadable(struct task *t, struct translation *superblock)
{
	int status = at_changed(t, superblock, t->regs.rip);

	traps_raise(t, OWN_FAULT);
	thread_of(t)->step_next = true;
	return status;
}

static bool is_at_time(const struct task *t)
{
	const struct call_stub *stub = cache_call_stub(thread_of(t)->cache, t->regs.rip);

	return stub && call_stub_reads_time(stub, t->regs.rip);
}

/* Handles a thread that may not read the time stamp counter: from now on the recorder enters its
 * system calls. */
static int time_is_forbidden(struct task *t)
{
	traps_raise(t, OWN_FAULT);
	t->limits.no_rdtsc = true;
	if (t->session->synchronizing)
		return synchronize_at(t, t->regs.rip);
	return synchronize_before_syscall(t, reconstruct_caller(thread_of(t)), t->regs.rip);
}

/* Handles protection keys that deny access to the recorder's memory. The task is stepped until they
 * allow it. */
static int denied(struct task *t)
{
	thread_of(t)->denied = true;
	traps_raise(t, OWN_FAULT);
	return synchronize_at(t, t->regs.rip);
}

/* Handles a fault of the alignment check. Either the program's instruction faulted or the
 * recorder's code beside it; only the program's instruction faults again when it is stepped. */
static int misaligned(struct task *t)
{
	int status = synchronize_at(t, t->regs.rip);

	traps_raise(t, OWN_ALIGNMENT);
	thread_of(t)->step_next = true;
	return status;
}

/* A program may send itself the same signal, but only with the flag does the processor raise it. */
static bool is_misaligned(const struct task *t)
{
	enum { AC = 1 << 18 };
	siginfo_t info;

	return t->regs.eflags & AC && task_read_info(t, &info) && info.si_code == BUS_ADRALN &&
	       raised_signals_has(t, &info);
}

static int look_for_own(struct task *t, const struct mapping *m, void *opaque)
{
	const struct mapping *own = space_find(t->process->space, m->start);
	bool *there = opaque;

	*there = own && space_is_own(m) && (m->protection & own->protection) == own->protection;
	return 0;
}

/* Returns true if the address is in the thread's area or in the cache's code. */
static bool is_of_cache(const struct task *t, uint64_t address)
{
	const struct thread *th = thread_of(t);
	struct translation *superblock;

	return address - th->area->memory.remote < th->area->memory.size ||
	       cache_where(th->cache, address, &superblock) != CACHE_ELSEWHERE;
}

/* Returns true if the fault is at an address where the program has unmapped the recorder's memory,
 * of which the program does not know. */
static bool is_lost(struct task *t, uint64_t address)
{
	const struct mapping *own = space_find(t->process->space, address);
	bool there = false;

	/* The call that unmapped it may have been reported already. */
	if (t->process->space->own_lost && is_of_cache(t, address))
		return true;
	if (!own || !space_is_own(own))
		return false;
	if (space_read_maps(t, address, address + 1, look_for_own, &there) < 0)
		return false;
	return !there;
}

/* Takes the task out of the cache. All threads get new memory before one of them continues
 * (space_cache_is_stale()). */
static int leave_lost(struct task *t)
{
	int status = synchronize_at(t, t->regs.rip);

	t->process->space->own_lost = true;
	traps_raise(t, OWN_FAULT);
	return status;
}

static int faulted(struct task *t)
{
	struct translation *superblock;
	siginfo_t info;
	bool own = task_read_info(t, &info) && raised_signals_has(t, &info);

	if (own && buffers_fault(thread_of(t), &info))
		return buffer_full(t);
	if (own && buffers_are_denied(thread_of(t), &info))
		return denied(t);
	if (own && is_at_time(t))
		return time_is_forbidden(t);
	if (own && cache_where(thread_of(t)->cache, t->regs.rip, &superblock) == CACHE_SUPERBLOCK &&
	    is_at_check(superblock, t->regs.rip))
		return unreadable(t, superblock);
	if (own && is_lost(t, (uint64_t)(uintptr_t)info.si_addr))
		return leave_lost(t);
	/* The fault may have been merged with a signal that was sent, as in trapped(). */
	if (buffers_are_nearly_full(thread_of(t)))
		traps_raise(t, OWN_FAULT);
	return other_signal(t, SIGSEGV);
}

int trap_dispatch(struct task *t, int signal)
{
	thread_note_progress(t);
	if (signal == SIGTRAP)
		return trapped(t);
	if (signal == SIGBUS && is_misaligned(t))
		return misaligned(t);
	return signal == SIGSEGV ? faulted(t) : other_signal(t, signal);
}
