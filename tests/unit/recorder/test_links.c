/* SPDX-License-Identifier: MIT */
/* Tests the links from exits to translations of their target: to the first one, to a newer one, and
 * to one whose code may change; and which links stay as they are. */
#include <check.h>
#include <string.h>

#include "tests/unit/recorder/translated/box.h"
#include "tests/unit/run_suite.h"

/* Two places with some nops and a jmp rel8 to the other one. Code at a multiple of 7 may change
 * (native.c). */
enum { FROM = 1, TO = 65, NOPS = 8, CHANGING = 70 - CODE % 7 };

static void write_jump(unsigned at, unsigned target)
{
	uint8_t *code = (uint8_t *)(uintptr_t)(CODE + at);

	memset(code, 0x90, NOPS);
	code[NOPS] = 0xeb;
	code[NOPS + 1] = (uint8_t)(target - at - NOPS - 2);
}

static struct translation *add(unsigned at)
{
	static struct plan p;
	struct translation *t;
	unsigned insn;

	plan_begin(&p, CODE + at, &(struct plan_options){ .function = TF_NONE });
	plan_add(&p, block_at_pc(CODE + at));
	plan_end(&p);
	ck_assert_int_eq(cache_add(box.thread.cache, &box.task, &p, &t, &insn), CACHE_ADDED);
	return t;
}

/* Returns the target of the superblock's exit jump, or 0 if it is a trap. */
static uint64_t leads_to(const struct translation *t)
{
	uint64_t jump = t->exits[0].jump;
	const uint8_t *code = cache_local(box.thread.cache, jump);
	int32_t distance;

	ck_assert_uint_ne(jump, 0);
	if (asm_is_open(code))
		return 0;
	ck_assert_uint_eq(*code, 0xe9);
	memcpy(&distance, code + 1, sizeof(distance));
	return jump + ASM_JUMP_BYTES + (uint64_t)(int64_t)distance;
}

static void begin(unsigned to)
{
	struct random_code code;

	box_open();
	box_begin(&code, 1);
	write_jump(FROM, to);
	write_jump(to, FROM);
}

static void end(void)
{
	box_end();
	box_close();
}

START_TEST(exits_lead_to_the_newest)
{
	struct translation *from, *to;

	begin(TO);
	from = add(FROM);
	ck_assert_uint_eq(leads_to(from), 0);
	to = add(TO);
	ck_assert_uint_eq(leads_to(from), to->code);
	ck_assert_uint_eq(leads_to(to), from->code);
	to = add(TO);
	ck_assert_uint_eq(leads_to(from), to->code);
	end();
}
END_TEST

/* Threads may be on their way to an older version, so exits that are linked to it stay linked. */
START_TEST(traps_alone_lead_to_code_that_may_change)
{
	struct translation *from, *first, *second, *later;

	begin(CHANGING);
	from = add(FROM);
	first = add(CHANGING);
	ck_assert(first->checked && !from->checked);
	ck_assert_uint_eq(leads_to(from), first->code);
	second = add(CHANGING);
	ck_assert_ptr_eq(cache_find(box.thread.cache, CODE + CHANGING, false), second);
	ck_assert_uint_eq(leads_to(from), first->code);
	later = add(FROM);
	ck_assert_uint_eq(leads_to(later), second->code);
	end();
}
END_TEST

/* Only the trap is changed, because other threads may execute any code after it. */
START_TEST(a_trap_becomes_a_jump_alone)
{
	struct translation *old, *live;
	uint8_t *at, before[2 * ASM_JUMP_BYTES];
	int32_t distance;

	begin(TO);
	live = add(TO);
	for (unsigned byte = 0; byte < 256; byte += 5) {
		old = add(FROM);
		at = cache_local(box.thread.cache, old->code);
		memset(at, (int)byte, sizeof(before));
		memset(before, (int)byte, sizeof(before));
		asm_make_trap(at);
		cache_link_at(box.thread.cache, old->code, live);
		ck_assert_uint_eq(*at, 0xe9);
		memcpy(&distance, at + 1, sizeof(distance));
		ck_assert_uint_eq(old->code + ASM_JUMP_BYTES + (uint64_t)(int64_t)distance,
				  live->code);
		ck_assert_mem_eq(at + ASM_JUMP_BYTES, before + ASM_JUMP_BYTES, ASM_JUMP_BYTES);
	}
	end();
}
END_TEST

/* A task may stand right after the bytes that become a jump, but not inside them. */
START_TEST(nothing_is_replaced_under_a_task)
{
	struct translation *old, *with;

	begin(TO);
	for (unsigned inside = 0; inside < ASM_JUMP_BYTES; inside++) {
		old = add(TO);
		with = add(TO);
		ck_assert(!cache_replace(box.thread.cache, old, with, old->code + inside));
		ck_assert(cache_replace(box.thread.cache, old, with, old->code + ASM_JUMP_BYTES));
	}
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("links");
	TCase *tcase = tcase_create("exits");

	tcase_add_test(tcase, exits_lead_to_the_newest);
	tcase_add_test(tcase, traps_alone_lead_to_code_that_may_change);
	tcase_add_test(tcase, a_trap_becomes_a_jump_alone);
	tcase_add_test(tcase, nothing_is_replaced_under_a_task);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
