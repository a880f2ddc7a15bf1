/* SPDX-License-Identifier: MIT */
/*
 * Tests translated code against the processor. Random programs run in a child by single steps,
 * first natively, then in the code cache. Wherever the child stands in the cache,
 * reconstruct_state() must give the registers, flags and memory that it had at some instruction
 * boundary of the first run, never an earlier one than before; and the records must contain every
 * instruction with every value. Superblocks are chosen at random, so that guards fail and side
 * exits are taken. On the way, exits and indirect jumps are linked, superblocks replaced and
 * extended, calls and returns recorded, code compared, and the cache flushed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "recorder/translate/emit/special.h"
#include "recorder/translate/non_canonical.h"
#include "recorder/translate/plan/used_registers.h"
#include "recorder/translate/thread/origin.h"
#include "tests/unit/recorder/translated/box.h"
#include "tests/unit/run_suite.h"

enum {
	PROGRAMS = 300,
	TRAP_BYTES = 5,
};

/* Checks what a sampler would get for the place: the instruction at the boundary, or the one
 * before. */
static void check_origin(uint64_t pc)
{
	struct program_place place = origin_in(box.thread.cache, box.session.processor.vendor, pc);
	const struct boundary *at = &box.native[box.at];

	if (!place.is_overhead)
		ck_assert_uint_eq(place.pc, at->regs.rip);
	else if (place.is_known)
		ck_assert(place.pc == at->regs.rip || (box.at && place.pc == at[-1].regs.rip));
	count.copies += !place.is_overhead;
}

/* Checks the state at any place in the cache. Keeps the child's registers. */
static struct user_regs_struct check_state(void)
{
	struct context *c = box.thread.context;
	uint64_t pc = box.task.regs.rip, record = c->record;
	struct user_regs_struct saved = box.task.regs, found;
	uint64_t copy[NUMBERING_PLACES + 1], room[NUMBERING_SLOTS], *slots;
	struct reconstruction p;
	unsigned executed = 0, n_slots;

	memcpy(copy, local_record(record), sizeof(copy));
	ck_assert(reconstruct_state(&box.task, pc, (uint8_t *)copy, &p));
	box.nowhere = non_canonical_return(&box.task, (uint8_t *)local_record(box.read_to),
					   (uint8_t *)local_record(record), &p);
	if (box.nowhere)
		memcpy(copy, local_record(record - p.undo), sizeof(copy));
	found = box.task.regs;
	found.gs_base = box.thread.context->gs_base;
	box.task.regs = saved;
	for (unsigned from = box.at; !is_at(&found, &box.native[box.at]); box.at++)
		if (box.at + 1 == box.n) {
			box.at = from;
			show_difference(&found, pc);
			ck_abort_msg("program %lu: no such state", box.seed);
		}
	check_records(record - p.undo);
	if (p.superblock) {
		executed = p.exit == INSIDE_SUPERBLOCK ? p.executed
						       : p.superblock->exits[p.exit].n_insns;
		n_slots = p.exit == INSIDE_SUPERBLOCK
				  ? translation_slots_before(p.superblock, executed)
				  : p.superblock->exits[p.exit].trace.n_slots;
		slots = translation_slots(p.superblock, copy + 1, n_slots, room);
		plan_correct(p.superblock->corrections, p.superblock->n_corrections, 0, slots,
			     n_slots);
		check_values(p.superblock, executed, slots, n_slots);
		box.task.trace.fs_base = box.native[box.before[box.recorded]].regs.fs_base;
		box.task.trace.gs_base = box.native[box.before[box.recorded]].regs.gs_base;
		if (box.options.self_check)
			ck_assert_msg(self_check_insns(box.thread.check, &box.task, p.superblock,
						       executed, copy + 1, slots) == 0,
				      "%s", box.session.error.first.text);
		count.partial++;
	}
	/* A loop may have passed the same state before. */
	while (box.native[box.at].executed < box.recorded + executed && box.at + 1 < box.n)
		box.at++;
	ck_assert(is_at(&found, &box.native[box.at]));
	ck_assert_msg(box.recorded + executed == box.native[box.at].executed,
		      "program %lu: %u instructions, not %u", box.seed, box.recorded + executed,
		      box.native[box.at].executed);
	check_origin(pc);
	return found;
}

static void enter(const struct user_regs_struct *program)
{
	begin_requests();
	box.task.regs = *program;
	self_check_enter(box.thread.check, &box.task);
	box.task.regs.rip = path_to(program->rip)->code;
	special_enter(box.thread.context, box.thread.context_at, program);
	box.task.regs.gs_base = box.thread.context_at;
}

static void replace_some(uint64_t stopped)
{
	struct translation *old = cache_find(box.thread.cache, box.native[pick(box.n)].regs.rip,
					     false);

	if (old && cache_replace(box.thread.cache, old, add_superblock(old->pc), stopped))
		count.replaced++;
}

/* Serves a trap of the cache, if the child stands before one. Returns false at the end. */
static bool serve(const struct user_regs_struct *program)
{
	struct cache *c = box.thread.cache;
	uint64_t pc = box.task.regs.rip;
	enum { MISS = -2, CALL = -3 };
	const struct call_stub *call = cache_call_stub(c, pc);
	struct translation *t, *superblock;
	int exit = exit_at(pc, &superblock);

	if (cache_at_miss(c, pc))
		exit = MISS;
	else if (cache_where(c, pc, &t) == CACHE_SUPERBLOCK && t->call_trap == pc)
		exit = CALL;
	if (call && call_stub_refuses(call, pc))
		return false;
	if (box.thread.context->request != REQUEST_NONE && !block_at_pc(program->rip))
		return false;
	if (exit == -1) {
		answer_some(program->rip);
		return true;
	}
	if (exit == CALL) {
		uint64_t return_pc = box.native[box.at].top;

		if (!cache_has_guard(c, return_pc))
			cache_watch_return(c, return_pc);
		box.task.regs.rip = pc + TRAP_BYTES;
		return true;
	}
	if (!block_at_pc(program->rip))
		return false;
	if (pick(60) == 0) {
		cache_flush(c);
		count.flushes++;
		box.expect_return = false; /* recorded from where the child stands */
		enter(program);
		return true;
	}
	if (pick(6) == 0)
		replace_some(pc);
	if (exit >= 0 && pick(3) == 0)
		extend(superblock, (unsigned)exit, superblock->exits[exit].target);
	else if (pick(2) == 0)
		extend_some();
	begin_requests();
	t = path_to(program->rip);
	if (exit == MISS) {
		cache_link_indirect(c, t);
		ck_assert_uint_ne(t->prefix, 0);
		box.task.regs.rip = t->prefix;
	} else {
		box.task.regs.rip = t->code;
	}
	return true;
}

static void run_translated(const struct random_code *code)
{
	struct user_regs_struct program;
	struct thread *th = &box.thread;

	box_start(code);
	box.at = box.recorded = 0;
	th->context->makes_calls = 1;
	box.expect_return = false;
	box.read_to = th->context->record = th->context_at + area_buffer(0);
	program = box.task.regs;
	if (!block_at_pc(program.rip))
		return;
	enter(&program);
	for (;;) {
		program = check_state();
		if (box.at + 1 + (box.n > STEPS ? BLOCKS : 0) >= box.n && !box.faulted)
			break; /* jumps at the end of a superblock have no boundary of their own */
		if (box.nowhere) {
			ck_assert(box.faulted || !__builtin_cpu_is("intel"));
			ck_assert_uint_eq(box.at + 1, box.n);
			count.nowhere++;
			break;
		}
		if (!serve(&program))
			break;
		count.steps++;
		if (!box_step()) {
			check_state();
			ck_assert_msg(box.faulted && box.at + 1 == box.n,
				      "program %lu: a fault at "
				      "cache pc %#llx, boundary %u of %u",
				      box.seed, box.task.regs.rip, box.at, box.n);
			count.faults++;
			break;
		}
	}
	count.instructions += box.native[box.n - 1].executed;
}

static void run_program(uint64_t seed)
{
	struct random_code code;

	box_begin(&code, seed);
	box.options.no_addresses = pick(8) == 0;
	box.options.self_check = pick(3) == 0;
	run_native(&code);
	run_translated(&code);
	box_end();
}

START_TEST(every_cache_pc_has_a_state)
{
	bool one = run_programs(PROGRAMS, run_program);

	printf("%ld programs, %ld steps, %ld instructions, %ld values, %ld partial states, "
	       "%ld records, %ld slots, %ld calls, %ld returns, %ld flushes, %ld replaced, "
	       "%ld extended, %ld guards, %ld faults, %ld jumps nowhere, %ld control words, "
	       "%ld wrong recipes, %ld copies, %ld system calls, %ld answers, %ld bases\n",
	       count.programs, count.steps, count.instructions, count.values, count.partial,
	       count.records, count.slots, count.calls, count.returns, count.flushes,
	       count.replaced, count.extended, count.guards, count.faults, count.nowhere,
	       count.control_words, count.wrong, count.copies, count.syscalls, count.answers,
	       count.bases);
	if (!one) {
		ck_assert_int_gt(count.calls, 0);
		ck_assert_int_gt(count.returns, 0);
		ck_assert_int_gt(count.flushes, 0);
		ck_assert_int_gt(count.replaced, 0);
		ck_assert_int_gt(count.extended, 0);
		ck_assert_int_gt(count.guards, 0);
		ck_assert_int_gt(count.faults, 0);
		ck_assert_int_gt(count.nowhere, 0);
		ck_assert_int_gt(count.control_words, 0);
		ck_assert_int_gt(count.wrong, 0);
		ck_assert_int_gt(count.syscalls, 0);
		ck_assert_int_gt(count.answers, 0);
		if (used_registers_have_bases())
			ck_assert_int_gt(count.bases, 0);
		ck_assert_int_gt(count.copies, count.instructions / 5 * 4);
		ck_assert_int_le(count.copies, count.instructions + count.programs);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("translated code");
	TCase *tcase = tcase_create("run");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, every_cache_pc_has_a_state);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
