/* SPDX-License-Identifier: MIT */
/*
 * Tests plans of hand-written code: slots, recipes, captures, exits, and the room that they take.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/translate/emit/translation.h"
#include "tests/unit/recorder/all_facts.h"
#include "tests/unit/run_suite.h"

enum { PC = 0x401000, CODE_PC = 0x10000000 };
static struct plan plan;
static struct pool pool;           /* of translations */
static struct code_block *planned; /* the only block of a plan */

static struct code_block *block(uint64_t pc, const void *bytes, size_t size)
{
	struct code_source source = {
		.pc = pc, .code = bytes, .available = size, .facts = all_facts()
	};
	struct code_block *b;

	ck_assert_int_eq(code_block_build(&source, &b), CODE_BLOCK);
	return b;
}

static void plan_one(const char *bytes, size_t size, bool no_addresses)
{
	planned = block(PC, bytes, size);
	ck_assert_uint_eq(planned->trace.code_size, size);
	ck_assert(plan_can_have(planned));
	plan_begin(&plan, PC,
		   &(struct plan_options){ .no_addresses = no_addresses, .function = TF_NONE });
	plan_add(&plan, planned);
	plan_end(&plan);
}
#define PLAN(bytes) plan_one(bytes, sizeof(bytes) - 1, false)

static void check_recipe(unsigned n, unsigned base, unsigned slot, int64_t displacement)
{
	ck_assert_uint_eq(plan.recipes[n].base, base);
	if (base == TF_BASE_SLOT)
		ck_assert_uint_eq(plan.recipes[n].slot, slot);
	ck_assert_int_eq(plan.recipes[n].displacement, displacement);
}

START_TEST(slots_are_shared)
{
	/* mov rax,[rbx+8]; add rbx,16; mov rcx,[rbx]; lea rdx,[rbx-4]; mov [rdx],al;
	 * mov rbx,[rbx]; mov rdx,[rbx] */
	PLAN("\x48\x8b\x43\x08"
	     "\x48\x83\xc3\x10"
	     "\x48\x8b\x0b"
	     "\x48\x8d\x53\xfc"
	     "\x88\x02"
	     "\x48\x8b\x1b"
	     "\x48\x8b\x13");
	ck_assert_uint_eq(plan.numbering.n_slots, 2);
	ck_assert_uint_eq(plan.n_values, 5);
	check_recipe(0, TF_BASE_SLOT, 0, 8);
	check_recipe(1, TF_BASE_SLOT, 0, 16);
	check_recipe(2, TF_BASE_SLOT, 0, 12);
	check_recipe(3, TF_BASE_SLOT, 0, 16);
	check_recipe(4, TF_BASE_SLOT, 1, 0);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_rule, TF_RSP_DELTA);
	ck_assert_int_eq(plan.exits[0].trace.rsp_value, 0);
}
END_TEST

START_TEST(the_stack_needs_no_slot)
{
	/* push rbp; mov rbp,rsp; sub rsp,32; mov [rbp-8],rdi; mov rax,[rsp+rcx*4+1]; leave; ret */
	PLAN("\x55"
	     "\x48\x89\xe5"
	     "\x48\x83\xec\x20"
	     "\x48\x89\x7d\xf8"
	     "\x48\x8b\x44\x8c\x01"
	     "\xc9"
	     "\xc3");
	ck_assert_uint_eq(plan.numbering.n_slots, 1); /* rcx */
	check_recipe(0, TF_BASE_RSP, 0, -8);
	check_recipe(1, TF_BASE_RSP, 0, -16);
	check_recipe(2, TF_BASE_RSP, 0, -39);
	ck_assert_uint_eq(plan.recipes[2].scale, 4);
	check_recipe(3, TF_BASE_RSP, 0, -8);
	check_recipe(4, TF_BASE_RSP, 0, 0);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_rule, TF_RSP_DELTA);
	ck_assert_int_eq(plan.exits[0].trace.rsp_value, 8);
}
END_TEST

START_TEST(rsp_realigned)
{
	/* and rsp,-16; rep movsb: rsp takes a slot after those of the rep instruction */
	PLAN("\x48\x83\xe4\xf0"
	     "\xf3\xa4");
	ck_assert_uint_eq(plan.numbering.n_slots, 6);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_rule, TF_RSP_SLOT);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_slot, 5);
	ck_assert_uint_eq(plan.n_insn_slots, 5);
	ck_assert_uint_eq(plan.insns[1].n_before, 3);
	ck_assert_uint_eq(plan.insns[1].n_after, 3);
	/* and rsp,-16; push rax; sub rsp,8: the push's slot suffices */
	PLAN("\x48\x83\xe4\xf0"
	     "\x50"
	     "\x48\x83\xec\x08");
	ck_assert_uint_eq(plan.numbering.n_slots, 1);
	check_recipe(0, TF_BASE_SLOT, 0, -8);
	ck_assert_uint_eq(plan.exits[0].trace.rsp_slot, 0);
	ck_assert_int_eq(plan.exits[0].trace.rsp_value, -16);
}
END_TEST

START_TEST(without_addresses)
{
	plan_one("\x48\x83\xe4\xf0"
		 "\xf3\xa4",
		 6, true);
	ck_assert_uint_eq(plan.numbering.n_slots, 3);
	check_recipe(0, TF_BASE_UNKNOWN, 0, 0);
	check_recipe(1, TF_BASE_UNKNOWN, 0, 0);
	check_recipe(2, TF_BASE_SLOT, 0, 0);
}
END_TEST

START_TEST(masked_and_sized)
{
	uint64_t slots[4] = { 0, 7, UINT64_MAX, 1 };

	/* vmovdqu32 [rax]{k3}, zmm1; vmovdqu32 [rax]{k3}, xmm1; xsavec [rax] */
	PLAN("\x62\xf1\x7e\x4b\x7f\x08"
	     "\x62\xf1\x7e\x0b\x7f\x08"
	     "\x0f\xc7\x20");
	ck_assert_uint_eq(plan.numbering.n_slots, 4);
	ck_assert_uint_eq(plan.n_corrections, 2);
	ck_assert_uint_eq(plan.numbering.captures[1].kind, CAPTURE_MASK);
	ck_assert_uint_eq(plan.numbering.captures[1].base, 3);
	ck_assert_uint_eq(plan.numbering.captures[1].size, 16);
	ck_assert_uint_eq(plan.numbering.captures[3].kind, CAPTURE_COMPONENTS);
	plan_correct(plan.corrections, plan.n_corrections, 7, slots, 4);
	ck_assert_uint_eq(slots[1], 7);
	ck_assert_uint_eq(slots[2], 0xf);
	ck_assert_uint_ge(slots[3], 576);
}
END_TEST

/* Checks captures[n]. */
static void check_capture(unsigned n, enum capture_kind kind, unsigned base, unsigned n_places)
{
	const struct capture *c = &plan.numbering.captures[n];

	ck_assert_uint_lt(n, plan.numbering.n_captures);
	ck_assert_uint_eq(c->kind, kind);
	ck_assert_uint_eq(c->base, base);
	ck_assert_uint_eq(c->n_places, n_places);
}

START_TEST(bits_and_tables)
{
	/* bts [rsp+rbx],rcx; bt [rsp+8],cx; bt [rip],edx: rsp is known, but not with an index */
	PLAN("\x48\x0f\xab\x0c\x1c"
	     "\x66\x0f\xa3\x4c\x24\x08"
	     "\x0f\xa3\x15\x10\0\0\0");
	ck_assert_uint_eq(plan.n_values, 3);
	ck_assert_uint_eq(plan.numbering.n_slots, 4);
	check_recipe(0, TF_BASE_SLOT, 0, 0);
	check_recipe(1, TF_BASE_RSP, 0, 8);
	check_recipe(2, TF_BASE_CONSTANT, 0, PC + 18 + 0x10);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(plan.recipes[i].index_slot, i + 1);
	ck_assert_uint_eq(plan.recipes[0].bit_string, 64);
	ck_assert_uint_eq(plan.recipes[1].bit_string, 16);
	ck_assert_uint_eq(plan.recipes[2].bit_string, 32);
	check_capture(2, CAPTURE_PART, ISA_RCX, 1);
	ck_assert_uint_eq(plan.numbering.captures[2].size, 16);
	/* add rbx,4; xlat; xlat */
	PLAN("\x48\x83\xc3\x04"
	     "\xd7"
	     "\xd7");
	ck_assert_uint_eq(plan.numbering.n_slots, 3);
	check_recipe(0, TF_BASE_SLOT, 0, 0);
	check_recipe(1, TF_BASE_SLOT, 0, 0);
	ck_assert_uint_eq(plan.recipes[1].scale, 1);
	ck_assert_uint_eq(plan.recipes[1].index_slot, 2);
}
END_TEST

START_TEST(lanes)
{
	uint64_t slots[9] = { 0, UINT64_MAX, 0, 0, 0, 0, 3, UINT64_MAX, UINT64_MAX };

	if (!__builtin_cpu_supports("avx"))
		return;
	/* vgatherqps xmm1, [rax+ymm2*4], xmm3; vmaskmovpd [rax], xmm4, xmm5;
	 * vpcompressd [rax]{k2}, zmm1 */
	PLAN("\xc4\xe2\x65\x93\x0c\x90"
	     "\xc4\xe2\x59\x2f\x28"
	     "\x62\xf2\x7d\x4a\x8b\x08");
	ck_assert_uint_eq(plan.n_values, 10);
	ck_assert_uint_eq(plan.numbering.n_slots, 8); /* rax, 1 + 4, 1, 1 */
	check_capture(1, CAPTURE_SIGNS, 3, 1);
	check_capture(2, CAPTURE_VECTOR, 2, 4);
	check_capture(3, CAPTURE_SIGNS, 4, 1);
	check_capture(4, CAPTURE_MASK, 2, 1);
	for (unsigned i = 0; i < 7; i++)
		check_recipe(i + 3, TF_BASE_SLOT, i + 1, 0);
	ck_assert_uint_eq(plan.n_corrections, 1); /* the size */
	plan_correct(plan.corrections, plan.n_corrections, 7, slots, 9);
	ck_assert_uint_eq(slots[6], 3);
	ck_assert_uint_eq(slots[7], 64);
	ck_assert_uint_eq(slots[8], UINT64_MAX);
	/* vgatherqps xmm1, [rax+xmm2*4], xmm3: two lanes of a register of four */
	PLAN("\xc4\xe2\x61\x93\x0c\x90");
	ck_assert_uint_eq(plan.n_corrections, 1);
	plan_correct(plan.corrections, plan.n_corrections, 7, slots, 2);
	ck_assert_uint_eq(slots[1], 3);
	plan_one("\xc4\xe2\x65\x93\x0c\x90", 6, true);
	ck_assert_uint_eq(plan.numbering.n_slots, 1);
	check_recipe(2, TF_BASE_UNKNOWN, 0, 0);
}
END_TEST

START_TEST(control_words_are_hidden)
{
	/* mov rcx,[rbx]; fxrstor [rbx] */
	PLAN("\x48\x8b\x0b"
	     "\x0f\xae\x0b");
	ck_assert_uint_eq(plan.numbering.n_slots, 1);
	ck_assert_uint_eq(plan.numbering.n_places, 3);
	ck_assert_uint_eq(plan.control_words, ISA_X87_CONTROL | ISA_MXCSR);
	ck_assert_uint_eq(plan.control_place, 1);
	ck_assert_uint_eq(plan.exits[0].n_places, 3);
	ck_assert_uint_eq(plan.exits[0].trace.n_slots, 1);
	ck_assert_uint_eq(plan_next(&plan), 0); /* the event stands between two superblocks */
	ck_assert(!plan_leads_to(plan.blocks[0], PC + 6));
}
END_TEST

START_TEST(what_is_stepped)
{
	static const struct {
		const char *code;
		size_t size;
	} not [] = {
		{ "\x65\xf3\xa4", 3 }, /* rep movsb from gs */
		{ "\x65\xff\x20", 3 }, /* jmp gs:[rax] */
		{ "\xff\x18", 2 },     /* call far [rax] */
		{ "\xcb", 1 },         /* retf */
		{ "\xcc", 1 },         /* int3 */
		{ "\xcf", 1 },         /* iret */
	};

	for (size_t i = 0; i < sizeof(not ) / sizeof(*not ); i++) {
		struct code_block *b = block(PC, not [i].code, not [i].size);

		ck_assert_msg(!plan_can_have(b), "number %zu", i);
	}
}
END_TEST

START_TEST(branches_and_exits)
{
	/* 401000: test eax,eax; je 401010   401004: call 401020   401020: push rax; ret */
	struct code_block *a = block(PC, "\x85\xc0\x74\x0c", 4);
	struct code_block *b = block(PC + 4, "\xe8\x17\0\0\0", 5);
	struct code_block *c = block(PC + 0x20, "\x50\xc3", 2);

	plan_begin(&plan, PC, &(struct plan_options){ .function = TF_NONE });
	plan_add(&plan, a);
	ck_assert_uint_eq(plan_next(&plan), PC + 4);
	ck_assert(plan_leads_to(plan.blocks[0], PC + 4) &&
		  plan_leads_to(plan.blocks[0], PC + 0x10));
	ck_assert(!plan_leads_to(plan.blocks[0], PC + 0x20));
	plan_go_on(&plan, PC + 4);
	plan_add(&plan, b);
	ck_assert_uint_eq(plan_next(&plan), PC + 0x20);
	plan_go_on(&plan, PC + 0x20);
	plan_add(&plan, c);
	ck_assert_uint_eq(plan_next(&plan), 0);
	plan_end(&plan);
	ck_assert_uint_eq(plan.n_exits, 2);
	ck_assert_uint_eq(plan.exits[0].target, PC + 0x10);
	ck_assert_uint_eq(plan.exits[0].trace.outcome, TF_TAKEN);
	ck_assert_uint_eq(plan.exits[0].n_insns, 2);
	ck_assert_uint_eq(plan.exits[1].target, 0);
	ck_assert_uint_eq(plan.exits[1].n_insns, 5);
	ck_assert_uint_eq(plan.exits[1].trace.n_blocks, 3);
	ck_assert_int_eq(plan.exits[1].trace.rsp_value, -8);
}
END_TEST

START_TEST(room_and_reach)
{
	struct code_block *b = block(PC,
				     "\x48\x8b\x05\0\0\0\0"
				     "\xc3",
				     8);
	static uint8_t out[4096];
	struct translation *t;
	unsigned far = 99;
	size_t room = 0;

	plan_begin(&plan, PC, &(struct plan_options){ .function = TF_NONE });
	plan_add(&plan, b);
	plan_end(&plan);
	while (translate(&plan, out, room, CODE_PC, 0, &pool, &t, &far) == TRANSLATE_FULL)
		room++;
	ck_assert_uint_eq(room, t->size);
	ck_assert_int_eq(translate(&plan, out, sizeof(out), UINT64_C(1) << 40, 0, &pool, &t, &far),
			 TRANSLATE_FAR);
	ck_assert_uint_eq(far, 0);
}
END_TEST

/* Where a superblock is left, there is an instruction of at least five bytes, for a jump to an
 * extension. Nothing jumps into the middle of that instruction. */
START_TEST(room_for_extensions)
{
	static uint8_t out[4096];
	static const char *const ends[] = { "\xe2\x05", "\xe3\x05", "\xe1\xf0", "\x74\x10",
					    "\xeb\x10" };

	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct translation *t;
		unsigned far;

		plan_one(ends[i], 2, false);
		ck_assert_int_eq(translate(&plan, out, sizeof(out), CODE_PC, 0, &pool, &t, &far),
				 TRANSLATED);
		for (unsigned exit = 0; exit < t->n_exits; exit++) {
			struct isa_insn first;
			uint64_t pc = t->exits[exit].side_exit.pc;

			ck_assert_int_eq(isa_decode(out + (pc - CODE_PC), TF_MAX_INSN_BYTES, pc,
						    ISA_INTEL, &first),
					 0);
			ck_assert_uint_ge(first.length, 5);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *tests = tcase_create("plans");

	tcase_add_test(tests, slots_are_shared);
	tcase_add_test(tests, the_stack_needs_no_slot);
	tcase_add_test(tests, rsp_realigned);
	tcase_add_test(tests, without_addresses);
	tcase_add_test(tests, masked_and_sized);
	tcase_add_test(tests, bits_and_tables);
	tcase_add_test(tests, lanes);
	tcase_add_test(tests, control_words_are_hidden);
	tcase_add_test(tests, what_is_stepped);
	tcase_add_test(tests, branches_and_exits);
	tcase_add_test(tests, room_and_reach);
	tcase_add_test(tests, room_for_extensions);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
