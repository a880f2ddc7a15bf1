/* SPDX-License-Identifier: MIT */
/* Tests the blocks made from code, and the tables that find blocks and superblocks again. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/program/code_block.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/modules.h"
#include "recorder/translate/plan/plan.h"
#include "recorder/translate/records/path_ids.h"
#include "tests/unit/recorder/all_facts.h"
#include "tests/unit/run_suite.h"

/* ---- blocks ---- */

static struct code_source source_of(const uint8_t *code, size_t size)
{
	return (struct code_source){
		.pc = 0x401000, .code = code, .available = size, .facts = all_facts()
	};
}

static struct code_block *build(const uint8_t *code, size_t size)
{
	struct code_source source = source_of(code, size);
	struct code_block *block = NULL;

	ck_assert_int_eq(code_block_build(&source, &block), CODE_BLOCK);
	return block;
}

START_TEST(block_ends_at_transfers)
{
	static const struct {
		uint8_t code[8];
		unsigned end, n_insns;
		uint64_t target;
	} cases[] = {
		{ { 0x90, 0x74, 0x02, 0x90 }, TF_END_CONDITIONAL, 2, 0x401005 },
		{ { 0xeb, 0xfe, 0x90 }, TF_END_JUMP, 1, 0x401000 },
		{ { 0xff, 0xe0, 0x90 }, TF_END_INDIRECT_JUMP, 1, 0 },
		{ { 0xe8, 1, 0, 0, 0, 0x90 }, TF_END_CALL, 1, 0x401006 },
		{ { 0xff, 0xd0, 0x90 }, TF_END_INDIRECT_CALL, 1, 0 },
		{ { 0x90, 0x90, 0xc3, 0x90 }, TF_END_RETURN, 3, 0 },
		{ { 0x0f, 0x05, 0x90 }, TF_END_SYSCALL, 1, 0 },
		{ { 0xcc, 0x90 }, TF_END_TRAP, 1, 0 },
		/* the event of a control word or segment base follows the block */
		{ { 0xd9, 0x28, 0x90 }, TF_END_NONE, 1, 0 },                   /* fldcw (%rax) */
		{ { 0xf3, 0x48, 0x0f, 0xae, 0xd0, 0x90 }, TF_END_NONE, 1, 0 }, /* wrfsbase %rax */
		/* 06 is no instruction; 48 at the end is cut off */
		{ { 0x90, 0x06, 0x90 }, TF_END_NONE, 1, 0 },
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x48 }, TF_END_NONE, 7, 0 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct code_block *b = build(cases[i].code, sizeof(cases[i].code));

		ck_assert_uint_eq(b->trace.end, cases[i].end);
		ck_assert_uint_eq(b->trace.n_insns, cases[i].n_insns);
		ck_assert_uint_eq(b->trace.target, cases[i].target);
	}
}
END_TEST

START_TEST(block_has_a_length_limit)
{
	uint8_t code[CODE_BLOCK_INSNS + 10];
	struct code_block *b;

	memset(code, 0x90, sizeof(code));
	b = build(code, sizeof(code));
	ck_assert_uint_eq(b->trace.n_insns, CODE_BLOCK_INSNS);
	ck_assert_uint_eq(b->trace.end, TF_END_NONE);
}
END_TEST

START_TEST(block_ends_before_a_watched_address)
{
	static const uint8_t code[] = { 0x90, 0x90, 0x90, 0xc3 };
	struct watch watch = { .value = 0x2002, .function = 7, .any = true };
	struct module m = { .index = 3, .watches = &watch, .n_watches = 1 };
	struct code_source source = source_of(code, sizeof(code));
	struct code_block *b;

	source.module = &m;
	source.module_offset = 0x2000;
	ck_assert_int_eq(code_block_build(&source, &b), CODE_BLOCK);
	ck_assert_uint_eq(b->trace.n_insns, 2);
	ck_assert_uint_eq(b->trace.module, 3);
	ck_assert(!b->watch.any);
	source.code += 2;
	source.available -= 2;
	source.module_offset += 2;
	ck_assert_int_eq(code_block_build(&source, &b), CODE_BLOCK);
	ck_assert_uint_eq(b->trace.n_insns, 2);
	ck_assert_uint_eq(b->watch.function, 7);
}
END_TEST

START_TEST(extras_follow_the_addresses)
{
	/* push (%rax); rep movsb; push %rax; ret */
	static const uint8_t code[] = { 0xff, 0x30, 0xf3, 0xa4, 0x50, 0xc3 };
	struct code_block *b = build(code, sizeof(code));
	const struct tf_block *t = &b->trace;

	ck_assert_uint_eq(t->n_operands, 6);
	ck_assert_uint_eq(t->n_values, 6 + 3);
	ck_assert_uint_eq(t->insns[1].first_operand, 2);
	ck_assert_uint_eq(t->insns[1].n_operands, 2);
	ck_assert_uint_eq(b->extras[1], 6);
	ck_assert_uint_eq(t->operands[2].extra, 6); /* shared by source and target */
	ck_assert_uint_eq(t->operands[3].extra, 6);
	ck_assert_uint_eq(t->operands[3].insn, 1);
	ck_assert_uint_eq(t->operands[5].insn, 3);
}
END_TEST

START_TEST(undecodable_is_said)
{
	static const uint8_t code[] = { 0x06, 0x90 };
	struct code_source source = source_of(code, sizeof(code));
	struct code_block *b = NULL;

	ck_assert_int_eq(code_block_build(&source, &b), CODE_UNDECODABLE);
	ck_assert_ptr_null(b);
	b = code_block_opaque(&source, 2);
	ck_assert_uint_eq(b->trace.end, TF_END_OPAQUE);
	ck_assert_uint_eq(b->trace.insns[0].length, 2);
	ck_assert_uint_eq(b->trace.insns[0].flags, TF_INSN_OPAQUE);
}
END_TEST

/* Stepped instructions: traps, far and 16-bit transfers, transactions. */
START_TEST(stepped_instructions_are_blocks_of_their_own)
{
	static const uint8_t cases[][8] = {
		{ 0x90, 0xcc },                         /* int3 */
		{ 0x90, 0x0f, 0x0b },                   /* ud2 */
		{ 0x90, 0x48, 0xcf },                   /* iretq */
		{ 0x90, 0x48, 0xcb },                   /* lretq */
		{ 0x90, 0xff, 0x28 },                   /* ljmp *(%rax) */
		{ 0x90, 0xc7, 0xf8, 0, 0, 0, 0, 0x90 }, /* xbegin */
		{ 0x90, 0x0f, 0x01, 0xc1 },             /* vmcall, opaque */
		{ 0x90, 0x66, 0x74, 0x02 },             /* data16 je */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct code_block *before = build(cases[i], 8), *b = build(cases[i] + 1, 7);

		ck_assert_uint_eq(before->trace.n_insns, 1);
		ck_assert_uint_eq(before->trace.end, TF_END_NONE);
		ck_assert(plan_can_have(before));
		ck_assert_uint_eq(b->trace.n_insns, 1);
		ck_assert(!plan_can_have(b));
	}
}
END_TEST

/* A tile access has many values and is stepped, which the code around it is not. */
START_TEST(tile_accesses_are_blocks_of_their_own)
{
	/* nop; tileloadd (%rax,%rbx,1),%tmm1; tdpbssd; ret */
	static const uint8_t code[] = { 0x90, 0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x18,
					0xc4, 0xe2, 0x6b, 0x5e, 0xc1, 0xc3 };
	struct code_block *before = build(code, sizeof(code));
	struct code_block *b = build(code + 1, sizeof(code) - 1);
	struct code_block *behind = build(code + 7, sizeof(code) - 7);

	ck_assert_uint_eq(before->trace.n_insns, 1);
	ck_assert_uint_eq(before->trace.end, TF_END_NONE);
	ck_assert_uint_eq(b->trace.n_insns, 1);
	ck_assert_uint_eq(b->trace.end, TF_END_NONE);
	ck_assert_uint_eq(b->trace.insns[0].flags, 0);
	ck_assert_uint_eq(b->trace.n_operands, 7);
	ck_assert_uint_eq(b->trace.n_values, ISA_MAX_VALUES);
	ck_assert_uint_eq(behind->trace.n_insns, 2);
	ck_assert(plan_can_have(before) && plan_can_have(behind));
	ck_assert(!plan_can_have(b));
}
END_TEST

/* ---- dictionary ---- */

/* A copy of an instruction elsewhere has the same facts, except for a branch, as its target
 * differs. */
START_TEST(facts_are_kept_once)
{
	static const uint8_t code[] = { 0x8b, 0x47, 0x08, 0x75, 0x10 }; /* mov 8(%rdi), %eax; jne */
	struct code_source there = source_of(code, sizeof(code));
	struct code_block *a = build(code, sizeof(code)), *b;

	there.pc += 0x100;
	ck_assert_int_eq(code_block_build(&there, &b), CODE_BLOCK);
	ck_assert_ptr_eq(a->facts[0], b->facts[0]);
	ck_assert_int_eq(a->facts[0]->n_operands, 1);
	ck_assert_int_eq(a->facts[0]->operands[0].address.displacement, 8);
	ck_assert_ptr_ne(a->facts[1], b->facts[1]);
	ck_assert_uint_eq(b->facts[1]->target, there.pc + sizeof(code) + 0x10);
}
END_TEST

START_TEST(facts_grow)
{
	enum { MANY = 20000 };
	static const struct isa_insn *kept[MANY];
	struct facts *f = facts_new();
	struct isa_insn insn = { .length = 5 };

	for (unsigned round = 0; round < 2; round++)
		for (insn.target = 0; insn.target < MANY; insn.target++) {
			const struct isa_insn *k = facts_keep(f, &insn);

			ck_assert_uint_eq(k->target, insn.target);
			ck_assert(round == 0 || k == kept[insn.target]);
			kept[insn.target] = k;
		}
	facts_free(f);
}
END_TEST

START_TEST(dictionary_keeps_versions)
{
	static const uint8_t first[] = { 0x90, 0xc3, 0x06 }, second[] = { 0x90, 0x90, 0xc3 };
	struct dictionary *d = dictionary_new(false, false, false);
	struct code_block *a = build(first, sizeof(first)), *b = build(second, sizeof(second)), *o;
	struct code_source source = source_of(first, sizeof(first));
	struct module m = { .index = 1 };

	ck_assert_ptr_null(dictionary_find(d, &source));
	ck_assert(dictionary_insert(d, a) && dictionary_insert(d, b));
	ck_assert_ptr_eq(dictionary_find(d, &source), a);
	source.code = second;
	ck_assert_ptr_eq(dictionary_find(d, &source), b);
	source.available = 2; /* too few bytes */
	ck_assert_ptr_null(dictionary_find(d, &source));
	source = source_of(first, sizeof(first));
	source.module = &m;
	ck_assert_ptr_null(dictionary_find(d, &source));

	/* an undecoded block is found only by its length */
	source = source_of(first, sizeof(first));
	o = code_block_opaque(&source, 1);
	ck_assert(dictionary_insert(d, o));
	ck_assert_ptr_eq(dictionary_find_undecoded(d, &source, 1), o);
	ck_assert_ptr_null(dictionary_find_undecoded(d, &source, 2));
	ck_assert_ptr_eq(dictionary_find(d, &source), a);
	ck_assert_uint_eq(dictionary_count(d), 3);
	dictionary_free(d);
}
END_TEST

/* The block of an opaque instruction is found again. */
START_TEST(dictionary_finds_what_is_opaque)
{
	static const uint8_t vmcall[] = { 0x0f, 0x01, 0xc1, 0x90 };
	struct dictionary *d = dictionary_new(false, false, false);
	struct code_block *b = build(vmcall, sizeof(vmcall));
	struct code_source source = source_of(vmcall, sizeof(vmcall));

	ck_assert_int_eq(b->trace.end, TF_END_OPAQUE);
	ck_assert(dictionary_insert(d, b));
	ck_assert_ptr_eq(dictionary_find(d, &source), b);
	dictionary_free(d);
}
END_TEST

START_TEST(dictionary_grows)
{
	enum { MANY = 20000 };
	static const uint8_t code[] = { 0xc3 };
	struct dictionary *d = dictionary_new(false, false, false);
	struct code_source source = source_of(code, sizeof(code));

	for (unsigned i = 0; i < MANY; i++) {
		struct code_block *b;

		source.pc = 0x400000 + 16 * i;
		ck_assert_int_eq(code_block_build(&source, &b), CODE_BLOCK);
		ck_assert(dictionary_insert(d, b));
	}
	for (unsigned i = 0; i < MANY; i++) {
		source.pc = 0x400000 + 16 * i;
		ck_assert_uint_eq(dictionary_find(d, &source)->trace.pc, source.pc);
	}
	dictionary_free(d);
}
END_TEST

START_TEST(slots_without_addresses_are_counts)
{
	/* push (%rax); rep movsb; ret */
	static const uint8_t code[] = { 0xff, 0x30, 0xf3, 0xa4, 0xc3 };
	struct code_block *b = build(code, sizeof(code));
	uint64_t values[] = { 100, 101, 102, 103, 104, 7, 5, TF_REP_DOWN };
	uint64_t same[8];
	struct dictionary *with = dictionary_new(false, false, false),
			  *without = dictionary_new(true, true, false);

	memcpy(same, values, sizeof(same));
	ck_assert_uint_eq(dictionary_slots(with, b, values, 0x7000), 8);
	ck_assert_mem_eq(values, same, sizeof(same));
	ck_assert_uint_eq(dictionary_slots(without, b, values, 0x7000), 3);
	ck_assert_mem_eq(values, &same[5], 3 * sizeof(*values));
	dictionary_free(with);
	dictionary_free(without);
}
END_TEST

START_TEST(last_slot_tells_rsp)
{
	static const uint8_t code[] = { 0xff, 0x30, 0xc3 }; /* push (%rax); ret */
	struct code_block *b = build(code, sizeof(code));
	uint64_t values[] = { 100, 101, 102, 0 };
	struct dictionary *d = dictionary_new(false, true, false);

	ck_assert_uint_eq(dictionary_slots(d, b, values, 0x7000), 4);
	ck_assert_mem_eq(values, ((uint64_t[]){ 100, 101, 102, 0x7000 }), sizeof(values));
	dictionary_free(d);
}
END_TEST

/* ---- superblocks ---- */

/* Makes superblocks of 1 to 5 blocks that all differ. */
static unsigned numbered_path(unsigned number, uint32_t blocks[5])
{
	unsigned n = 1 + number % 5;

	for (unsigned i = 0; i < n; i++)
		blocks[i] = number * (i + 1);
	return n;
}

START_TEST(paths_are_known_by_their_blocks)
{
	enum { PATHS = 10000 }; /* enough for the table to grow */
	struct path_ids *ids = path_ids_new();
	struct path_id id;
	uint32_t blocks[5];

	for (unsigned number = 0; number < PATHS; number++) {
		unsigned n = numbered_path(number, blocks);

		ck_assert(!path_ids_find(ids, blocks, n, &id));
		path_ids_add(ids, blocks, n, (struct path_id){ number, 3 * number });
	}
	for (unsigned number = 0; number < PATHS; number++) {
		unsigned n = numbered_path(number, blocks);

		ck_assert(path_ids_find(ids, blocks, n, &id));
		ck_assert_uint_eq(id.path, number);
		ck_assert_uint_eq(id.first_exit, 3 * number);
		blocks[n - 1] += PATHS * 5;
		ck_assert(!path_ids_find(ids, blocks, n, &id));
	}
	path_ids_free(ids);
	path_ids_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("blocks");
	TCase *block = tcase_create("block"), *dictionary = tcase_create("dictionary");
	TCase *paths = tcase_create("paths");

	tcase_add_test(block, block_ends_at_transfers);
	tcase_add_test(block, block_has_a_length_limit);
	tcase_add_test(block, block_ends_before_a_watched_address);
	tcase_add_test(block, extras_follow_the_addresses);
	tcase_add_test(block, undecodable_is_said);
	tcase_add_test(block, stepped_instructions_are_blocks_of_their_own);
	tcase_add_test(block, tile_accesses_are_blocks_of_their_own);
	suite_add_tcase(suite, block);
	tcase_add_test(dictionary, facts_are_kept_once);
	tcase_add_test(dictionary, facts_grow);
	tcase_add_test(dictionary, dictionary_keeps_versions);
	tcase_add_test(dictionary, dictionary_finds_what_is_opaque);
	tcase_add_test(dictionary, dictionary_grows);
	tcase_add_test(dictionary, slots_without_addresses_are_counts);
	tcase_add_test(dictionary, last_slot_tells_rsp);
	suite_add_tcase(suite, dictionary);
	tcase_add_test(paths, paths_are_known_by_their_blocks);
	suite_add_tcase(suite, paths);
	return run_suite(suite);
}
