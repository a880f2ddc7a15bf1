/* SPDX-License-Identifier: MIT */
/* The time and the order of joined traces. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "tests/unit/traces/trace_file.h"

/* Joins two traces into a file. */
static struct tf_reader *join(struct tf_reader *parts[2], int to)
{
	struct tf_join how = { .size = sizeof(how) };
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;

	ck_assert_msg(tf_join(parts, 2, &how, file_path(to), &error) == 0, "%s", error.text);
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	return reader;
}

/* Writes a trace of one thread that executes nop; jmp four times, and opens it. */
static struct tf_reader *write_trace(struct synthetic *s, uint32_t pid, uint64_t created,
				     bool exact)
{
	const struct tf_writer_options options = { .size = sizeof(options),
						   .created_ns = created,
						   .order_exact = exact };
	struct synthetic_code code;
	struct tf_reader *reader;

	synthetic_begin(s, &options);
	synthetic_thread(s, synthetic_process(s, pid));
	code = synthetic_code(s, 0x401000, BYTES("\x90\xeb\xfd"));
	for (unsigned i = 0; i < 4; i++)
		synthetic_exec(s, 0, code.taken, NULL);
	synthetic_end(s);
	synthetic_ok(s, tf_open(s->path, &reader, &s->error));
	return reader;
}

/* The joined trace began when the first one of its parts began, if that is known. */
START_TEST(earliest_time)
{
	static const uint64_t times[][3] = { { 1000, 2000, 1000 },
					     { 2000, 1000, 1000 },
					     { UINT64_MAX, 2000, 2000 },
					     { UINT64_MAX, UINT64_MAX, 0 } };
	int to = new_file();

	for (unsigned i = 0; i < 4; i++) {
		struct synthetic s[2];
		struct tf_reader *parts[2], *reader;
		struct tf_info info;

		for (unsigned k = 0; k < 2; k++)
			parts[k] = write_trace(&s[k], 100 + k, times[i][k], false);
		reader = join(parts, to);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert_uint_eq(info.created_ns, times[i][2]);
		tf_close(reader);
		for (unsigned k = 0; k < 2; k++) {
			tf_close(parts[k]);
			synthetic_remove(&s[k]);
		}
	}
	close(to);
}
END_TEST

/* Slices have an exact order together if the whole trace had one. */
START_TEST(order_of_slices)
{
	for (unsigned exact = 0; exact < 2; exact++) {
		struct tf_slice slice = { .size = sizeof(slice), .thread = TF_MERGED, .count = 4 };
		int files[] = { new_file(), new_file(), new_file() };
		struct synthetic s;
		struct tf_reader *whole = write_trace(&s, 100, 1000, exact), *parts[2], *reader;
		struct tf_info info;

		for (unsigned k = 0; k < 2; k++) {
			slice.first = 4 * k;
			synthetic_ok(&s, tf_cut(whole, &slice, file_path(files[k]), &s.error));
			parts[k] = open_file(files[k]);
		}
		reader = join(parts, files[2]);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert_int_eq(info.order_exact, exact);
		ck_assert_uint_eq(info.totals.instructions, 8);
		tf_close(reader);
		tf_close(parts[0]);
		tf_close(parts[1]);
		tf_close(whole);
		for (unsigned k = 0; k < 3; k++)
			close(files[k]);
		synthetic_remove(&s);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat join");
	TCase *tests = tcase_create("join");

	tcase_add_test(tests, earliest_time);
	tcase_add_test(tests, order_of_slices);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
