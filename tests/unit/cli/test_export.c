/* SPDX-License-Identifier: MIT */
/* Limits of the formats of trace-export that no recording reaches in the time of a test. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/export/bubbles.h"
#include "cli/export/formats.h"
#include "tests/unit/run_suite.h"

/* Ramulator 2 reads the number of instructions before a load into an int. */
START_TEST(most_bubbles)
{
	static const struct {
		uint64_t before, told;
	} cases[] = {
		{ 0, 0 },
		{ INT32_MAX, INT32_MAX },
		{ UINT64_C(1) << 31, INT32_MAX },
		{ UINT64_C(1) << 40, INT32_MAX },
	};
	static const struct tf_insn insn = { .length = 3, .n_operands = 1 };
	static const struct tf_operand operand = { .access = TF_LOAD, .size = 8 };
	static const uint64_t value = 4096;
	const struct tf_block block = { .insns = &insn, .operands = &operand, .n_insns = 1 };
	const struct linear_insn load = { .block = &block, .insn = &insn, .values = &value };
	const struct export_options options = { 0 };
	char folder[] = "/tmp/test_export.XXXXXX", path[64];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/o3", folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bubbles state = { .before = cases[i].before };
		struct export_run run = { .options = &options, .state = &state };
		char line[64], expected[64];
		FILE *file;

		run.out = pack_open(path);
		ck_assert_ptr_nonnull(run.out);
		ramulator2_o3.insn(&run, &load);
		ramulator2_o3.end(&run);
		ck_assert_int_eq(pack_end(run.out), EXIT_DONE);
		snprintf(expected, sizeof(expected), "%" PRIu64 " 4096\n", cases[i].told);
		file = fopen(path, "r");
		ck_assert_ptr_nonnull(file);
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
		fclose(file);
		unlink(path);
		ck_assert_str_eq(line, expected);
		ck_assert_uint_eq(run.lost[LOSS_BUBBLES], cases[i].before - cases[i].told);
	}
	rmdir(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("export");
	TCase *tests = tcase_create("export");

	tcase_add_test(tests, most_bubbles);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
