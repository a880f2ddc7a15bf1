/* SPDX-License-Identifier: MIT */
/* gem5's LoopPoint files: counts that gem5 can reach, and those that it cannot. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzers/simpoint/looppoint_json.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "tests/scratch.h"
#include "tests/unit/run_suite.h"

/* Returns a region from one execution of 0x401000 to another. */
static struct region region_between(uint64_t first, uint64_t last)
{
	return (struct region){
		.id = 1,
		.start.marker = { .found = true, .pc = 0x401000, .count = first },
		.end.marker = { .found = true, .pc = 0x401000, .count = last, .before = first - 1 },
		.multiplier = 2.5,
	};
}

/* Writes the file of one region. Returns an exit code. */
static int write_region(const char *path, struct region region)
{
	struct simpoint point = { .cluster = 0 };
	struct selection selection = { .at = &point, .n = 1 };

	return looppoint_json_write(path, &selection, &region);
}

static void expect(uint64_t first, uint64_t last, uint64_t warmup, int status)
{
	struct region region = region_between(first, last);
	char *path, *single;
	scratch_path folder;

	scratch_folder(folder, "looppoint");
	path = text_format("%s/regions.json", folder);
	single = text_format("%s/regions.1.json", folder);
	if (warmup) {
		region.warmup_intervals = 1;
		region.warmup.marker = (struct place){ .found = true, .count = warmup };
	}
	ck_assert_int_eq(write_region(path, region), status);
	ck_assert_int_eq(unlink(path), status == EXIT_DONE ? 0 : -1);
	ck_assert_int_eq(unlink(single), status == EXIT_DONE ? 0 : -1);
	ck_assert_int_eq(rmdir(folder), 0);
	free(path);
	free(single);
}

START_TEST(counts_of_an_int_are_written)
{
	expect(1, INT_MAX, 0, EXIT_DONE);
	expect(INT_MAX, INT_MAX, INT_MAX, EXIT_DONE);
}
END_TEST

START_TEST(greater_counts_are_refused)
{
	expect(1, INT_MAX + UINT64_C(1), 0, EXIT_FAILED);
	expect(INT_MAX + UINT64_C(1), INT_MAX, 0, EXIT_FAILED);
	expect(1, 2, INT_MAX + UINT64_C(1), EXIT_FAILED);
	expect(1, UINT64_MAX, 0, EXIT_FAILED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("looppoint_json");
	TCase *cases = tcase_create("looppoint_json");

	tcase_add_test(cases, counts_of_an_int_are_written);
	tcase_add_test(cases, greater_counts_are_refused);
	suite_add_tcase(suite, cases);
	return run_suite(suite);
}
