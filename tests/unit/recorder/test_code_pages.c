/* SPDX-License-Identifier: MIT */
/* Tests reading code by pages, from this process as if it were traced. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/program/code_pages.h"
#include "recorder/program/space.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096, GROUP = 1 << 16, N_PAGES = 130 * GROUP / PAGE, CODE = PROT_READ | PROT_EXEC };

static struct module file;
static struct process process;
static struct task task;
static uint8_t *code;

/* Fills page i with i + 1. */
static void set_up(void)
{
	code = mmap(NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	for (int i = 0; i < N_PAGES; i++)
		memset(code + i * PAGE, i + 1, PAGE);
	process.space = space_new();
	task = (struct task){ .process = &process, .tid = getpid() };
}

static void tear_down(void)
{
	space_release(process.space);
	munmap(code, N_PAGES * PAGE);
}

/* Sets the mapping that the recorder would know for some pages. */
static void map_pages(uint64_t offset, unsigned n_pages, uint32_t protection, struct module *module)
{
	uint64_t start = (uint64_t)code + offset;
	struct mapping m = { .start = start,
			     .end = start + n_pages * PAGE,
			     .module = module,
			     .protection = protection,
			     .name = (char *)"" };

	ck_assert(space_add(process.space, &m));
}

static void map_code(unsigned n_pages, uint32_t protection, struct module *module)
{
	map_pages(0, n_pages, protection, module);
}

static uint8_t byte_at(uint64_t offset)
{
	uint8_t byte = 0;

	ck_assert_uint_eq(code_pages_read(&task, (uint64_t)code + offset, &byte, 1), 1);
	return byte;
}

static const uint8_t *at(uint64_t offset, size_t *available)
{
	return code_pages_at(&task, (uint64_t)code + offset, available);
}

START_TEST(code_is_shown_to_the_end_of_its_mapping)
{
	const uint8_t *shown;
	size_t available;

	map_code(1, CODE, &file);
	shown = at(PAGE - 3, &available);
	ck_assert_uint_eq(available, 3);
	ck_assert_mem_eq(shown, code + PAGE - 3, 3);
	ck_assert_ptr_null(at(PAGE, &available));
}
END_TEST

START_TEST(stable_code_is_kept_until_it_changes)
{
	map_code(N_PAGES, CODE, &file);
	ck_assert_uint_eq(byte_at(5), 1);
	memset(code, 77, PAGE);
	ck_assert_uint_eq(byte_at(6), 1);
	process.space->code_changes++;
	ck_assert_uint_eq(byte_at(6), 77);
}
END_TEST

START_TEST(code_that_may_change_is_not_kept)
{
	map_code(N_PAGES, CODE, NULL);
	ck_assert_uint_eq(byte_at(5), 1);
	memset(code, 77, PAGE);
	ck_assert_uint_eq(byte_at(5), 77);
	map_code(N_PAGES, CODE | PROT_WRITE, &file);
	memset(code, 78, PAGE);
	ck_assert_uint_eq(byte_at(5), 78);
}
END_TEST

/* Different mappings share pages that would be read together: each mapping is read and kept
 * separately. */
START_TEST(mappings_among_the_same_pages)
{
	uint64_t first = -(uint64_t)code % GROUP;

	map_pages(first, 2, CODE, &file);
	map_pages(first + 3 * PAGE, 2, CODE, &file);
	for (int round = 0; round < 2; round++) {
		ck_assert_uint_eq(byte_at(first), (uint8_t)(first / PAGE + 1));
		ck_assert_uint_eq(byte_at(first + 4 * PAGE), (uint8_t)(first / PAGE + 5));
		memset(code + first, 77, 5 * PAGE);
	}
	ck_assert_uint_eq(byte_at(first + 2 * PAGE), 77);
}
END_TEST

/* There are more pages than are kept, so some replace others. */
START_TEST(pages_in_the_same_place)
{
	map_code(N_PAGES, CODE, &file);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < N_PAGES; i++)
			ck_assert_uint_eq(byte_at(i * PAGE), (uint8_t)(i + 1));
}
END_TEST

START_TEST(reads_go_over_pages_to_the_end_of_memory)
{
	uint8_t bytes[3 * PAGE];

	map_code(N_PAGES, CODE, &file);
	ck_assert_uint_eq(code_pages_read(&task, (uint64_t)code + 10, bytes, sizeof(bytes)),
			  sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		ck_assert_uint_eq(bytes[i], (i + 10) / PAGE + 1);
	ck_assert_int_eq(munmap(code + (N_PAGES - 1) * PAGE, PAGE), 0);
	ck_assert_uint_eq(code_pages_read(&task, (uint64_t)code + (N_PAGES - 2) * PAGE + 10, bytes,
					  sizeof(bytes)),
			  PAGE - 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_pages");
	TCase *pages = tcase_create("pages");

	tcase_add_checked_fixture(pages, set_up, tear_down);
	tcase_add_test(pages, code_is_shown_to_the_end_of_its_mapping);
	tcase_add_test(pages, stable_code_is_kept_until_it_changes);
	tcase_add_test(pages, code_that_may_change_is_not_kept);
	tcase_add_test(pages, mappings_among_the_same_pages);
	tcase_add_test(pages, pages_in_the_same_place);
	tcase_add_test(pages, reads_go_over_pages_to_the_end_of_memory);
	suite_add_tcase(suite, pages);
	return run_suite(suite);
}
