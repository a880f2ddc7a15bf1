/* SPDX-License-Identifier: MIT */
/* The heap of the recorder can consist of huge pages, and all threads use it. */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/launch/heap.h"
#include "tests/unit/run_suite.h"

/* Sanitizers have a malloc of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_own_malloc = true;
#else
static const bool has_own_malloc = false;
#endif

/* Returns true if the kernel makes huge pages of the memory at an address, if there are any. */
static bool is_to_be_huge(const void *address)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	uintptr_t start, end, at = (uintptr_t)address;
	bool inside = false, huge = false;
	char line[4096];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start <= at && at < end;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			huge = strstr(line, " hg");
	}
	fclose(file);
	return huge;
}

static void *allocate(void *unused)
{
	(void)unused;
	return malloc(1 << 20);
}

START_TEST(heap_of_all_threads_is_huge)
{
	void *mine, *theirs;
	pthread_t thread;

	if (has_own_malloc || access("/sys/kernel/mm/transparent_hugepage", F_OK) < 0)
		return;
	heap_use_huge_pages();
	mine = allocate(NULL);
	ck_assert(!pthread_create(&thread, NULL, allocate, NULL));
	ck_assert(!pthread_join(thread, &theirs));
	ck_assert(is_to_be_huge(mine));
	ck_assert(is_to_be_huge(theirs));
	free(mine);
	free(theirs);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("heap");
	TCase *tests = tcase_create("heap");

	tcase_add_test(tests, heap_of_all_threads_is_huge);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
