/* SPDX-License-Identifier: MIT */
/* Filtered traces keep the order of threads and the length of a warm-up. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "tests/unit/traces/trace_file.h"

enum { ROUNDS = 3 };

/* Writes rounds in which each of two threads executes nop; jmp, the second thread once more. */
static void write_rounds(struct synthetic *s)
{
	struct synthetic_code code;
	uint32_t process;

	synthetic_begin(s, NULL);
	process = synthetic_process(s, 100);
	synthetic_thread(s, process);
	synthetic_thread(s, process);
	code = synthetic_code(s, 0x401000, BYTES("\x90\xeb\xfd"));
	for (unsigned i = 0; i < ROUNDS; i++)
		for (uint32_t t = 0; t < 2; t++) {
			for (uint32_t k = 0; k <= t; k++)
				synthetic_exec(s, t, code.taken, NULL);
			synthetic_schedule(s, t, 2 * (1 + t));
		}
	synthetic_end(s);
}

static bool keep_first(void *opaque, const struct tf_block *block, unsigned insn)
{
	(void)opaque;
	(void)block;
	return insn == 0;
}

/* Filters the trace, and opens the new one, which has the first instruction of each execution. */
static struct tf_reader *filter(struct synthetic *s, struct tf_reader *from, int to)
{
	struct tf_filter filter = { .size = sizeof(filter),
				    .keep_insn = keep_first,
				    .accesses = TF_LOAD };
	struct tf_reader *reader;

	synthetic_ok(s, tf_filter(from, &filter, file_path(to), &s->error));
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	return reader;
}

START_TEST(order_of_threads)
{
	static const uint32_t round[] = { 0, 1, 1 };
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct synthetic s;
	struct tf_reader *from, *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	unsigned n = 0;
	int to = new_file();

	write_rounds(&s);
	synthetic_ok(&s, tf_open(s.path, &from, &s.error));
	reader = filter(&s, from, to);
	options.view = TF_VIEW_INSNS;
	synthetic_ok(&s, tf_cursor_open(reader, &options, &cursor, &s.error));
	while (tf_next(cursor, &item, &s.error) > 0)
		for (size_t i = 0; i < item.count; i++)
			ck_assert_uint_eq(item.thread, round[n++ % 3]);
	ck_assert_uint_eq(n, 3 * ROUNDS);
	tf_cursor_close(cursor);
	tf_close(reader);
	tf_close(from);
	close(to);
	synthetic_remove(&s);
}
END_TEST

/* Filters a slice whose warm-up is the first round and which has half of the second one. */
START_TEST(length_of_warmup)
{
	const struct tf_slice slice = {
		.size = sizeof(slice), .thread = TF_MERGED, .count = 10, .warmup = 6
	};
	struct synthetic s;
	struct tf_reader *from, *part, *reader;
	int to = new_file(), filtered = new_file();

	write_rounds(&s);
	synthetic_ok(&s, tf_open(s.path, &from, &s.error));
	synthetic_ok(&s, tf_cut(from, &slice, file_path(to), &s.error));
	part = open_file(to);
	ck_assert_str_eq(tf_meta(part, "slice.warmup"), "6");
	reader = filter(&s, part, filtered);
	ck_assert_str_eq(tf_meta(reader, "slice.warmup"), "3");
	tf_close(reader);
	tf_close(part);
	tf_close(from);
	close(filtered);
	close(to);
	synthetic_remove(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat filter");
	TCase *tests = tcase_create("filter");

	tcase_add_test(tests, order_of_threads);
	tcase_add_test(tests, length_of_warmup);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
