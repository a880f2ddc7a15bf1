/* SPDX-License-Identifier: MIT */
/* Tests address spaces without a process: mappings, and the state of the code in them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "recorder/elf/elf_file.h"
#include "recorder/program/modules.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/mappings.h"
#include "recorder/translate/cache/code_map.h"
#include "tests/unit/run_suite.h"

static void add(struct space *space, uint64_t start, uint64_t end, uint32_t protection,
		const char *name)
{
	struct mapping m = { .start = start,
			     .end = end,
			     .file_offset = 0x100000,
			     .protection = protection,
			     .name = (char *)name };

	ck_assert(space_add(space, &m));
}

/* Returns the mappings as text: "start-end protection name offset;" in hex. */
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
	ck_assert_uint_eq(space->count, 3); /* one user is left */
	space_release(space);
	space_release(copy);
}
END_TEST

enum {
	R = PROT_READ,
	RW = PROT_READ | PROT_WRITE,
	RX = PROT_READ | PROT_EXEC,
	RWX = PROT_READ | PROT_WRITE | PROT_EXEC
};

static void add_code(struct space *space, uint64_t start, uint64_t end, struct module *module,
		     uint64_t bias)
{
	struct mapping m = { .start = start,
			     .end = end,
			     .protection = RX,
			     .module = module,
			     .bias = bias,
			     .name = "code" };

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
	ck_assert_uint_eq(space->moved_end, 0x6000); /* the rest was no code */
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

	ck_assert(!code_map_has(&map, one)); /* an empty map has no code */
	add_code(one, 0x1000, 0x2000, &program, 0);
	add_code(one, 0x8000, 0xa000, &library, 0x8000);
	ck_assert(code_map_add(&map, one));
	ck_assert(code_map_add(&map, one));
	ck_assert_uint_eq(map.ranges.count, 2);

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

int main(void)
{
	Suite *suite = suite_create("space");
	TCase *space = tcase_create("space");

	tcase_add_test(space, mappings_replace_what_was_there);
	tcase_add_test(space, what_has_ended_takes_no_mappings_along);
	tcase_add_test(space, unmapping_cuts_and_splits);
	tcase_add_test(space, protection_of_a_part);
	tcase_add_test(space, code_that_changes_and_code_that_goes);
	tcase_add_test(space, code_map_knows_what_stands_where);
	tcase_add_test(space, bias_is_that_of_the_segment);
	suite_add_tcase(suite, space);
	return run_suite(suite);
}
