/* SPDX-License-Identifier: MIT */
/* The recorder's parts that need no live process: address spaces, blocks, the dictionary. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/program/code_block.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/elf_file.h"
#include "recorder/tracee/mappings.h"
#include "recorder/program/modules.h"
#include "recorder/recorder.h"
#include "recorder/tracee/space.h"
#include "recorder/translate/cache/code_map.h"
#include "recorder/translate/records/path_ids.h"
#include "tests/unit/recorder/all_facts.h"
#include "tests/unit/run_suite.h"

/* ---- address spaces ---- */

static void add(struct space *space, uint64_t start, uint64_t end, uint32_t protection,
		const char *name)
{
	struct mapping m = { .start = start, .end = end, .file_offset = 0x100000,
			     .protection = protection, .name = (char *)name };

	ck_assert(space_add(space, &m));
}

/* The mappings as text: "start-end protection name offset;" in hex. */
static const char *listing(const struct space *space)
{
	static char text[1024];
	char *to = text;

	*to = 0;
	for (size_t i = 0; i < space->count; i++) {
		const struct mapping *m = &space->mappings[i];

		to += sprintf(to, "%lx-%lx %u %s %lx;", (unsigned long)m->start,
			      (unsigned long)m->end, m->protection, m->name,
			      (unsigned long)m->file_offset);
	}
	return text;
}

START_TEST(mappings_replace_what_was_there)
{
	struct space *space = space_new();

	add(space, 0x1000, 0x5000, 1, "a");
	add(space, 0x8000, 0x9000, 1, "b");
	add(space, 0x2000, 0x3000, 3, "c");
	ck_assert_str_eq(listing(space), "1000-2000 1 a 100000;2000-3000 3 c 100000;"
					 "3000-5000 1 a 102000;8000-9000 1 b 100000;");
	add(space, 0x1000, 0xa000, 2, "d");
	ck_assert_str_eq(listing(space), "1000-a000 2 d 100000;");
	space_release(space);
}
END_TEST

START_TEST(what_has_ended_takes_no_mappings_along)
{
	struct session session = { 0 };
	struct process process = { .session = &session, .space = space_new() };
	struct task task = { .session = &session, .process = &process, .tid = fork() };

	if (task.tid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(task.tid, NULL, 0), task.tid);
	add(process.space, 0x1000, 0x5000, 1, "a");
	ck_assert_int_eq(mappings_sync(&task), 0);
	ck_assert_str_eq(listing(process.space), "1000-5000 1 a 100000;");
	space_release(process.space);
}
END_TEST

START_TEST(unmapping_cuts_and_splits)
{
	struct space *space = space_new();

	ck_assert(space_remove(space, 0, UINT64_MAX));
	add(space, 0x1000, 0x9000, 1, "a");
	ck_assert(space_remove(space, 0x3000, 0x4000));
	ck_assert(space_remove(space, 0x8000, 0x20000));
	ck_assert(space_remove(space, 0x5000, 0x5000));
	ck_assert_str_eq(listing(space), "1000-3000 1 a 100000;4000-8000 1 a 103000;");
	ck_assert_ptr_null(space_find(space, 0xfff));
	ck_assert_uint_eq(space_find(space, 0x1000)->start, 0x1000);
	ck_assert_ptr_null(space_find(space, 0x3000));
	ck_assert_uint_eq(space_find(space, 0x7fff)->start, 0x4000);
	ck_assert_ptr_null(space_find(space, 0x8000));
	space_release(space);
}
END_TEST

START_TEST(protection_of_a_part)
{
	struct space *space = space_new(), *copy;

	add(space, 0x1000, 0x4000, 1, "a");
	copy = space_copy(space);
	ck_assert(space_protect(space, 0x2000, 0x3000, 5));
	ck_assert_str_eq(listing(space), "1000-2000 1 a 100000;2000-3000 5 a 101000;"
					 "3000-4000 1 a 102000;");
	ck_assert_str_eq(listing(copy), "1000-4000 1 a 100000;");
	ck_assert_ptr_eq(space_share(space), space);
	space_release(space);
	ck_assert_uint_eq(space->count, 3);	/* still shared by one */
	space_release(space);
	space_release(copy);
}
END_TEST

enum { R = PROT_READ, RW = PROT_READ | PROT_WRITE, RX = PROT_READ | PROT_EXEC,
       RWX = PROT_READ | PROT_WRITE | PROT_EXEC };

static void add_code(struct space *space, uint64_t start, uint64_t end, struct module *module,
		     uint64_t bias)
{
	struct mapping m = { .start = start, .end = end, .protection = RX, .module = module,
			     .bias = bias, .name = "code" };

	ck_assert(space_add(space, &m));
}

START_TEST(code_that_changes_and_code_that_goes)
{
	struct space *space = space_new();
	struct module file = { .path = "file" };

	add_code(space, 0x1000, 0x3000, &file, 0);
	add(space, 0x5000, 0x7000, RW, "");
	ck_assert_uint_eq(space->code_changes, 0);
	ck_assert_uint_eq(space->moved_end, 0);
	ck_assert(space_protect(space, 0x5000, 0x6000, RX));
	ck_assert_uint_eq(space->moved_start, 0x5000);
	ck_assert_uint_eq(space->moved_end, 0x6000);
	ck_assert(space_allows(space, 0x5000, 0x6000, PROT_EXEC));
	ck_assert(!space_allows(space, 0x5000, 0x6001, PROT_EXEC));
	ck_assert(space_allows(space, 0x5000, 0x7000, R));
	ck_assert(!space_allows(space, 0x4fff, 0x5001, R));

	space->moved_end = 0;
	ck_assert(space_remove(space, 0x5800, 0x7000));
	ck_assert_uint_eq(space->moved_start, 0x5800);
	ck_assert_uint_eq(space->moved_end, 0x6000);	/* the rest was no code */
	ck_assert_uint_eq(space->code_changes, 0);
	ck_assert(space_protect(space, 0x2000, 0x3000, RWX));
	ck_assert_uint_eq(space->code_changes, 1);
	ck_assert(!space_is_stable(space_find(space, 0x2000)));
	ck_assert(space_is_stable(space_find(space, 0x1000)));
	ck_assert(space_remove(space, 0x1000, 0x2000));
	ck_assert_uint_eq(space->code_changes, 2);
	space_release(space);
}
END_TEST

START_TEST(code_map_knows_what_stands_where)
{
	struct space *one = space_new(), *two = space_new(), *other = space_new();
	struct module program = { .path = "program" }, library = { .path = "library" };
	struct code_map map = { 0 };

	ck_assert(!code_map_has(&map, one));	/* nothing is nowhere */
	add_code(one, 0x1000, 0x2000, &program, 0);
	add_code(one, 0x8000, 0xa000, &library, 0x8000);
	ck_assert(code_map_add(&map, one));
	ck_assert(code_map_add(&map, one));
	ck_assert_uint_eq(map.count, 2);

	add_code(two, 0x1000, 0x2000, &program, 0);
	ck_assert(code_map_has(&map, two));
	add_code(two, 0x9000, 0xa000, &library, 0x8000);
	add(two, 0xb000, 0xc000, RWX, "");
	ck_assert(code_map_has(&map, two));
	add_code(two, 0xd000, 0xe000, &library, 0xd000);
	ck_assert(!code_map_has(&map, two));
	ck_assert(code_map_add(&map, two));
	ck_assert(code_map_has(&map, two));

	add_code(other, 0x1000, 0x2000, &program, 0x1000);
	ck_assert(!code_map_has(&map, other));
	ck_assert(!code_map_add(&map, other));
	add_code(other, 0x1000, 0x2000, &library, 0);
	ck_assert(!code_map_add(&map, other));
	code_map_clear(&map);
	ck_assert(code_map_add(&map, other));
	code_map_clear(&map);
	space_release(one);
	space_release(two);
	space_release(other);
}
END_TEST

/* Paths of 1 to 5 blocks, all different. */
static unsigned numbered_path(unsigned number, uint32_t blocks[5])
{
	unsigned n = 1 + number % 5;

	for (unsigned i = 0; i < n; i++)
		blocks[i] = number * (i + 1);
	return n;
}

START_TEST(paths_are_known_by_their_blocks)
{
	enum { PATHS = 10000 };		/* the table grows */
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

START_TEST(bias_is_that_of_the_segment)
{
	struct segment segments[] = {
		{ 0x400000, 0, 0x1800, PROT_READ | PROT_EXEC },
		{ 0x602800, 0x1800, 0x400, PROT_READ | PROT_WRITE },
	};
	struct module m = { .segments = segments, .n_segments = 2 };

	ck_assert_uint_eq(module_bias(&m, 0x400000, 0, PROT_READ | PROT_EXEC), 0);
	ck_assert_uint_eq(module_bias(&m, 0x7000000, 0x1000, PROT_READ | PROT_EXEC),
			  0x7000000 - 0x401000);
	/* the page at 0x1000 of the file is in both segments */
	ck_assert_uint_eq(module_bias(&m, 0x7000000, 0x1000, PROT_READ | PROT_WRITE),
			  0x7000000 - 0x602000);
}
END_TEST

/* ---- blocks ---- */

static struct code_source source_of(const uint8_t *code, size_t size)
{
	return (struct code_source){ .pc = 0x401000, .code = code, .available = size,
				     .facts = all_facts() };
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
	static const struct { uint8_t code[8]; unsigned end, n_insns; uint64_t target; } cases[] = {
		{ { 0x90, 0x74, 0x02, 0x90 }, TF_END_CONDITIONAL, 2, 0x401005 },
		{ { 0xeb, 0xfe, 0x90 }, TF_END_JUMP, 1, 0x401000 },
		{ { 0xff, 0xe0, 0x90 }, TF_END_INDIRECT_JUMP, 1, 0 },
		{ { 0xe8, 1, 0, 0, 0, 0x90 }, TF_END_CALL, 1, 0x401006 },
		{ { 0xff, 0xd0, 0x90 }, TF_END_INDIRECT_CALL, 1, 0 },
		{ { 0x90, 0x90, 0xc3, 0x90 }, TF_END_RETURN, 3, 0 },
		{ { 0x0f, 0x05, 0x90 }, TF_END_SYSCALL, 1, 0 },
		{ { 0x90, 0xcc, 0x90 }, TF_END_TRAP, 2, 0 },
		/* the event of a control word or segment base has its place behind the block */
		{ { 0xd9, 0x28, 0x90 }, TF_END_NONE, 1, 0 },	/* fldcw (%rax) */
		{ { 0xf3, 0x48, 0x0f, 0xae, 0xd0, 0x90 }, TF_END_NONE, 1, 0 },	/* wrfsbase %rax */
		/* 06 is no instruction, 48 alone is cut off */
		{ { 0x90, 0x06, 0x90 }, TF_END_NONE, 1, 0 },
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x48 }, TF_END_NONE, 7, 0 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct code_block *b = build(cases[i].code, sizeof(cases[i].code));

		ck_assert_uint_eq(b->trace.end, cases[i].end);
		ck_assert_uint_eq(b->trace.n_insns, cases[i].n_insns);
		ck_assert_uint_eq(b->trace.target, cases[i].target);
		free(b);
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
	free(b);
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
	free(b);
	source.code += 2;
	source.available -= 2;
	source.module_offset += 2;
	ck_assert_int_eq(code_block_build(&source, &b), CODE_BLOCK);
	ck_assert_uint_eq(b->trace.n_insns, 2);
	ck_assert_uint_eq(b->watch.function, 7);
	free(b);
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
	ck_assert_uint_eq(t->operands[2].extra, 6);	/* shared by source and target */
	ck_assert_uint_eq(t->operands[3].extra, 6);
	ck_assert_uint_eq(t->operands[3].insn, 1);
	ck_assert_uint_eq(t->operands[5].insn, 3);
	free(b);
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
	free(b);
}
END_TEST

/* ---- dictionary ---- */

/* The same instruction elsewhere is known already; its target makes another one of a branch. */
START_TEST(facts_are_kept_once)
{
	static const uint8_t code[] = { 0x8b, 0x47, 0x08, 0x75, 0x10 };	/* mov 8(%rdi), %eax; jne */
	struct code_source there = source_of(code, sizeof(code));
	struct code_block *a = build(code, sizeof(code)), *b;

	there.pc += 0x100;
	ck_assert_int_eq(code_block_build(&there, &b), CODE_BLOCK);
	ck_assert_ptr_eq(a->facts[0], b->facts[0]);
	ck_assert_int_eq(a->facts[0]->n_operands, 1);
	ck_assert_int_eq(a->facts[0]->operands[0].address.displacement, 8);
	ck_assert_ptr_ne(a->facts[1], b->facts[1]);
	ck_assert_uint_eq(b->facts[1]->target, there.pc + sizeof(code) + 0x10);
	free(a);
	free(b);
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
	struct dictionary *d = dictionary_new(false);
	struct code_block *a = build(first, sizeof(first)), *b = build(second, sizeof(second)), *o;
	struct code_source source = source_of(first, sizeof(first));
	struct module m = { .index = 1 };

	ck_assert_ptr_null(dictionary_find(d, &source));
	ck_assert(dictionary_insert(d, a) && dictionary_insert(d, b));
	ck_assert_uint_eq(dictionary_code_size(d, 0x401000), 3);
	ck_assert_uint_eq(dictionary_code_size(d, 0x401001), 0);
	ck_assert_ptr_eq(dictionary_find(d, &source), a);
	source.code = second;
	ck_assert_ptr_eq(dictionary_find(d, &source), b);
	source.available = 2;	/* not enough of it */
	ck_assert_ptr_null(dictionary_find(d, &source));
	source = source_of(first, sizeof(first));
	source.module = &m;
	ck_assert_ptr_null(dictionary_find(d, &source));

	/* an opaque block is found by its length alone */
	source = source_of(first, sizeof(first));
	o = code_block_opaque(&source, 1);
	ck_assert(dictionary_insert(d, o));
	ck_assert_ptr_eq(dictionary_find_opaque(d, &source, 1), o);
	ck_assert_ptr_null(dictionary_find_opaque(d, &source, 2));
	ck_assert_ptr_eq(dictionary_find(d, &source), a);
	ck_assert_uint_eq(dictionary_count(d), 3);
	dictionary_free(d);
}
END_TEST

START_TEST(dictionary_grows)
{
	enum { MANY = 20000 };
	static const uint8_t code[] = { 0xc3 };
	struct dictionary *d = dictionary_new(false);
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
	struct dictionary *with = dictionary_new(false), *without = dictionary_new(true);

	memcpy(same, values, sizeof(same));
	ck_assert_uint_eq(dictionary_slots(with, b, values), 8);
	ck_assert_mem_eq(values, same, sizeof(same));
	ck_assert_uint_eq(dictionary_slots(without, b, values), 3);
	ck_assert_mem_eq(values, &same[5], 3 * sizeof(*values));
	dictionary_free(with);
	dictionary_free(without);
	free(b);
}
END_TEST

/* ---- options ---- */

START_TEST(failures_before_the_program_runs)
{
	static char *const missing[] = { "/nonexistent/program", NULL };
	static char *const folder[] = { "/", NULL };
	static char *const fine[] = { "/bin/true", NULL };
	const struct { char *const *argv; const char *output, *backend; int status; } cases[] = {
		{ missing, "/dev/null", NULL, 127 },
		{ folder, "/dev/null", NULL, 126 },
		{ fine, "/nonexistent/x.trace", NULL, 125 },
		{ fine, "/dev/null", "no-such-backend", 125 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct record_options o = { .size = sizeof(o), .argv = cases[i].argv,
					    .output = cases[i].output,
					    .backend = cases[i].backend };
		struct record_result result;
		struct tf_error error;

		ck_assert_int_lt(record_run(&o, &result, &error), 0);
		ck_assert_int_eq(result.exit_status, cases[i].status);
		ck_assert_str_ne(error.text, "");
	}
}
END_TEST

START_TEST(recorded_through_the_header_alone)
{
	static char *const argv[] = { "/bin/sh", "-c", "exit 3", NULL };
	struct record_options o = { .size = sizeof(o), .argv = argv, .output = "/dev/null",
				    .count = 1000 };
	struct record_result result;

	ck_assert_int_eq(record_run(&o, &result, NULL), 0);
	ck_assert_int_eq(result.exit_status, 3);
	ck_assert_uint_eq(result.instructions, 1000);
	ck_assert_uint_eq(result.threads, 1);
	ck_assert_str_eq(result.stop_reason, "count");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recorder");
	TCase *space = tcase_create("space"), *block = tcase_create("block");
	TCase *dictionary = tcase_create("dictionary"), *run = tcase_create("run");

	tcase_add_test(space, mappings_replace_what_was_there);
	tcase_add_test(space, what_has_ended_takes_no_mappings_along);
	tcase_add_test(space, unmapping_cuts_and_splits);
	tcase_add_test(space, protection_of_a_part);
	tcase_add_test(space, code_that_changes_and_code_that_goes);
	tcase_add_test(space, code_map_knows_what_stands_where);
	tcase_add_test(space, paths_are_known_by_their_blocks);
	tcase_add_test(space, bias_is_that_of_the_segment);
	suite_add_tcase(suite, space);
	tcase_add_test(block, block_ends_at_transfers);
	tcase_add_test(block, block_has_a_length_limit);
	tcase_add_test(block, block_ends_before_a_watched_address);
	tcase_add_test(block, extras_follow_the_addresses);
	tcase_add_test(block, undecodable_is_said);
	suite_add_tcase(suite, block);
	tcase_add_test(dictionary, facts_are_kept_once);
	tcase_add_test(dictionary, facts_grow);
	tcase_add_test(dictionary, dictionary_keeps_versions);
	tcase_add_test(dictionary, dictionary_grows);
	tcase_add_test(dictionary, slots_without_addresses_are_counts);
	suite_add_tcase(suite, dictionary);
	tcase_add_test(run, failures_before_the_program_runs);
	tcase_add_test(run, recorded_through_the_header_alone);
	suite_add_tcase(suite, run);
	return run_suite(suite);
}
