/* SPDX-License-Identifier: MIT */
/*
 * Tests counting variants against the processor, as test_translate_run.c tests superblocks that
 * record: wherever the child stands in them, registers, memory and live flags must be those of the
 * native run at the instruction that the counters and reconstruct_state() give. Threads exhaust
 * their quotas on the way.
 */
#include <check.h>
#include <stdio.h>

#include "recorder/translate/emit/special.h"
#include "recorder/translate/non_canonical.h"
#include "recorder/translate/thread/quota.h"
#include "recorder/translate/trap_dispatch.h"
#include "tests/unit/recorder/translated/box.h"
#include "tests/unit/run_suite.h"

enum { PROGRAMS = 300, QUOTA = 60 };

static unsigned counted; /* instructions, in quotas before the present one */
static long used_up, refused, held, called, bounded, inside, flags_lost;
static const struct translation *entered;

static unsigned uses(void)
{
	const struct thread *th = &box.thread;
	int64_t sum = 0;

	for (unsigned i = 0; i < CONTEXT_COUNTERS; i++)
		sum += (int64_t)th->quotas[i] - th->context->remaining[i];
	return (unsigned)sum;
}

/* Takes a quota. A bounded superblock gets none that could lead past its end. */
static void take_quota(void)
{
	struct thread *th = &box.thread;

	th->quota = 1;
	for (unsigned i = 0; i < CONTEXT_COUNTERS; i++) {
		th->quotas[i] = entered->bounded ? 0
				: pick(8)        ? pick(QUOTA)
					  : PLAN_INSNS; /* any superblock can be followed once */
		th->context->remaining[i] = (int64_t)th->quotas[i];
	}
}

static bool has_lost_flags(uint64_t pc)
{
	struct translation *t;

	return cache_where(box.thread.cache, pc, &t) == CACHE_SUPERBLOCK &&
	       translation_state(t, (uint32_t)(pc - t->code)).flags & STATE_FLAGS_LOST;
}

/* Checks the state at any place in the cache. Returns the program's registers, and keeps the
 * child's. */
static struct user_regs_struct check_state(int *uncounted)
{
	struct user_regs_struct saved = box.task.regs, found;
	unsigned executed;
	struct reconstruction p;

	ck_assert(reconstruct_state(&box.task, saved.rip, NULL, &p));
	box.nowhere = non_canonical_return(&box.task, NULL, NULL, &p);
	found = box.task.regs;
	found.gs_base = box.thread.context->gs_base;
	box.task.regs = saved;
	flags_lost += has_lost_flags(saved.rip);
	executed = counted + uses() + (unsigned)p.uncounted;
	*uncounted = p.uncounted;
	called += p.called;
	for (unsigned from = box.at;
	     box.native[box.at].executed != executed || !is_at(&found, &box.native[box.at]);
	     box.at++)
		if (box.at + 1 == box.n) {
			box.at = from;
			show_difference(&found, saved.rip);
			ck_abort_msg("program %lu: no such state, or not behind %u instructions, "
				     "%u before",
				     box.seed, executed, box.native[from].executed);
		}
	return found;
}

static void enter(const struct user_regs_struct *program)
{
	begin_requests();
	entered = pick(4) ? path_to(program->rip) : bounded_superblock_to(program->rip);
	bounded += entered->bounded;
	inside += entered->inside;
	box.task.regs = *program;
	box.task.regs.rip = entered->code;
	special_enter(box.thread.context, box.thread.context_at, program);
	box.task.regs.gs_base = box.thread.context_at;
	take_quota();
	box.thread.context->remaining[0] += entered->pending;
}

static void enter_again(const struct user_regs_struct *program, int uncounted)
{
	counted += uses() + (unsigned)uncounted;
	enter(program);
}

/* Serves a trap of the call stub. Returns false at the end. */
static bool serve_call(const struct user_regs_struct *program, int uncounted)
{
	uint64_t pc = box.task.regs.rip;
	const struct call_stub *stub = cache_call_stub(box.thread.cache, pc);
	struct context *c = box.thread.context;

	if (call_stub_holds(stub, pc)) {
		held++;
		c->gate = pick(2);
		enter_again(program, uncounted);
		return true;
	}
	ck_assert(call_stub_refuses(stub, pc));
	if (c->makes_calls)
		return false;
	refused++;
	c->makes_calls = 1; /* the call may be made after all */
	box.task.regs.rip = stub->pc;
	return true;
}

/* Serves a trap of the cache, if the child stands before one. Returns false at the end. */
static bool serve(const struct user_regs_struct *program, int uncounted)
{
	struct cache *c = box.thread.cache;
	uint64_t pc = box.task.regs.rip;
	struct translation *superblock, *at;
	int exit;

	if (box.thread.context->request != REQUEST_NONE && !block_at_pc(program->rip))
		return false;
	if (!trap_is_own(c, pc)) {
		answer_some(program->rip);
		return true;
	}
	if (!block_at_pc(program->rip))
		return false;
	if (quota_is_used_up(&box.thread)) {
		used_up++;
		enter_again(program, uncounted);
		return true;
	}
	if (cache_call_stub(c, pc))
		return serve_call(program, uncounted);
	exit = exit_at(pc, &superblock);
	if (cache_where(c, pc, &at) == CACHE_SUPERBLOCK && exit < 0) {
		box.task.regs.rip = pc + ASM_JUMP_BYTES; /* an open jump to the exit's request */
		return true;
	}
	if (at && exit >= 0 && superblock->exits[exit].syscall)
		return false;
	if (exit >= 0 && superblock->exits[exit].target && !superblock->n_entries && pick(3) == 0)
		extend(superblock, (unsigned)exit, superblock->exits[exit].target);
	else if (pick(4) == 0)
		extend_some();
	begin_requests();
	if (cache_at_miss(c, pc)) {
		superblock = path_to(program->rip);
		cache_link_indirect(c, superblock);
		ck_assert_uint_ne(superblock->prefix, 0);
		box.task.regs.rip = superblock->prefix;
		return true;
	}
	ck_assert_int_ge(exit, 0);
	box.task.regs.rip = path_to(program->rip)->code;
	return true;
}

/* Returns true in the superblock that was entered, or in its system call. */
static bool is_inside_entered(void)
{
	uint64_t pc = box.task.regs.rip;

	return pc - entered->code < entered->size || cache_call_stub(box.thread.cache, pc);
}

static bool is_at_end(void)
{
	/* Jumps at the end of a superblock have no boundary of their own. */
	return box.at + 1 + (box.n > STEPS ? BLOCKS : 0) >= box.n && !box.faulted;
}

static void run_counted(const struct random_code *code)
{
	struct user_regs_struct program;
	int uncounted;

	box_start(code);
	box.at = counted = 0;
	box.thread.context->makes_calls = pick(4) > 0;
	box.thread.context->gate = pick(3) == 0;
	program = box.task.regs;
	if (!block_at_pc(program.rip))
		return;
	enter(&program);
	for (;;) {
		ck_assert(!entered->bounded || is_inside_entered());
		program = check_state(&uncounted);
		count.nowhere += box.nowhere;
		if (is_at_end() || box.nowhere || !serve(&program, uncounted))
			break;
		if (trap_is_own(box.thread.cache, box.task.regs.rip))
			continue; /* a superblock that is only a jump */
		count.steps++;
		if (!box_step()) {
			check_state(&uncounted);
			ck_assert_msg(box.faulted && box.at + 1 == box.n,
				      "program %lu: a fault at "
				      "cache pc %#llx, boundary %u of %u",
				      box.seed, box.task.regs.rip, box.at, box.n);
			count.faults++;
			break;
		}
	}
	ck_assert(!box.nowhere || box.at + 1 == box.n);
	count.instructions += box.native[box.n - 1].executed;
}

static void run_program(uint64_t seed)
{
	struct random_code code;

	box_begin(&code, seed);
	box.counted = true;
	run_native(&code);
	run_counted(&code);
	box_end();
}

START_TEST(every_cache_pc_has_a_count)
{
	bool one = run_programs(PROGRAMS, run_program);

	printf("%ld programs, %ld steps, %ld instructions, %ld extended, %ld guards, %ld faults, "
	       "%ld jumps nowhere, %ld quotas used up, %ld system calls, %ld refused, %ld held, %ld brief, "
	       "%ld entries, %ld entered there, %ld states without flags, %ld answers\n",
	       count.programs, count.steps, count.instructions, count.extended, count.guards,
	       count.faults, count.nowhere, used_up, called, refused, held, bounded, count.entries,
	       inside, flags_lost, count.answers);
	if (!one) {
		ck_assert_int_gt(count.extended, 0);
		ck_assert_int_gt(count.guards, 0);
		ck_assert_int_gt(count.faults, 0);
		ck_assert_int_gt(count.nowhere, 0);
		ck_assert_int_gt(used_up, 0);
		ck_assert_int_gt(called, 0);
		ck_assert_int_gt(refused, 0);
		ck_assert_int_gt(held, 0);
		ck_assert_int_gt(bounded, 0);
		ck_assert_int_gt(inside, 0);
		ck_assert_int_gt(flags_lost, 0);
		ck_assert_int_gt(count.answers, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("counted code");
	TCase *tcase = tcase_create("run");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, every_cache_pc_has_a_count);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
