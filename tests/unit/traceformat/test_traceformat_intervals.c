/* SPDX-License-Identifier: MIT */
/* Ends of intervals are read as written, and markers are counted; writer and reader check them. */
#include <math.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/tracesamples.h"

enum { LENGTH = 3 }; /* instructions of the path */

static struct synthetic s;
static struct synthetic_code loop, tail;
static uint32_t thread, other;

static void begin(void)
{
	uint32_t process;

	synthetic_begin(&s, NULL);
	process = synthetic_process(&s, 100);
	thread = synthetic_thread(&s, process);
	other = synthetic_thread(&s, process);
	/* dec %ecx; inc %edx; jnz; and the same code without its first instruction */
	loop = synthetic_code(&s, 0x401000, BYTES("\xff\xc9\xff\xc2\x75\xfa"));
	tail = synthetic_code(&s, 0x401002, BYTES("\xff\xc2\x75\xfa"));
	ck_assert_uint_eq(loop.n_insns, LENGTH);
}

static void end(void)
{
	synthetic_remove(&s);
}

static int add_vector(uint64_t interval, uint32_t of, const struct tf_vector_count *counts,
		      size_t n)
{
	struct tf_vector v = {
		.interval = interval, .thread = of, .n_counts = n, .counts = counts
	};

	for (size_t i = 0; i < n; i++)
		v.instructions += counts[i].executed * counts[i].times;
	return tf_writer_add_vector(s.writer, &v, &s.error);
}

static int add(const struct tf_interval *interval)
{
	return tf_writer_add_interval(s.writer, interval, &s.error);
}

/* Opens the finished trace. */
static struct tf_reader *opened(void)
{
	struct tf_reader *reader;

	synthetic_end(&s);
	ck_assert_int_eq(tf_open(s.path, &reader, NULL), 0);
	return reader;
}

/* Writes three intervals: both threads execute the loop, whose second instruction is the marker. */
static void write_three(uint64_t more)
{
	const struct tf_vector_count first[] = { { loop.taken, LENGTH, 10 },
						 { loop.taken + 1, 1, 2 } };
	const struct tf_vector_count second[] = { { loop.taken, LENGTH, 5 },
						  { loop.taken + 1, 2, 1 },
						  { tail.taken, 2, 7 } };
	const struct tf_vector_count third[] = { { tail.taken, 2, 1000 } };
	const struct tf_excluded excluded[] = { { tail.block, TF_EXCLUDED_SPIN } };
	struct tf_interval v = { .number = 0, .instructions = 32, .filtered = 32 };

	ck_assert_int_eq(add_vector(0, thread, first, 2), 0);
	v.marker = (struct tf_marker){ .block = loop.block, .insn = 1, .thread = other, .tier = 2 };
	memset(v.hash, 0xa5, sizeof(v.hash));
	v.sketch[0] = 1.5F;
	v.sketch[TF_SKETCH - 1] = -3e30F;
	ck_assert_int_eq(add(&v), 0);
	ck_assert_int_eq(add_vector(1, thread, second, 1), 0);
	ck_assert_int_eq(add_vector(1, other, second + 1, 2), 0);
	v = (struct tf_interval){ .number = 1,
				  .instructions = 32 + 15 + 2 + 14 + more,
				  .filtered = 32 + 15 + 2,
				  .excluded = excluded,
				  .n_excluded = 1 };
	v.marker = (struct tf_marker){ .block = tail.block, .thread = thread };
	ck_assert_int_eq(add(&v), 0);
	ck_assert_int_eq(add_vector(2, other, third, 1), 0);
	v = (struct tf_interval){ .number = 2,
				  .instructions = 32 + 15 + 2 + 14 + 2000 + more,
				  .filtered = 32 + 15 + 2,
				  .marker.block = TF_NONE };
	ck_assert_int_eq(add(&v), 0);
}

START_TEST(read_as_written)
{
	struct tf_intervals *intervals;
	struct tf_reader *reader;
	struct tf_interval v;
	struct tf_info info;
	bool counted = _i;

	write_three(0);
	reader = opened();
	ck_assert_int_eq(tf_verify(reader, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.n_intervals, 3);
	ck_assert_int_eq(tf_intervals_open(reader, counted, &intervals, NULL), 0);
	ck_assert_int_eq(tf_intervals_next(intervals, &v, NULL), 1);
	ck_assert_uint_eq(v.number, 0);
	ck_assert_uint_eq(v.instructions, 32);
	ck_assert_uint_eq(v.filtered, 32);
	ck_assert_uint_eq(v.marker.block, loop.block);
	ck_assert_uint_eq(v.marker.insn, 1);
	ck_assert_uint_eq(v.marker.thread, other);
	ck_assert_uint_eq(v.marker.tier, 2);
	/* two partial executions ended before it */
	ck_assert_uint_eq(v.marker.count, counted ? 10 + 1 : 0);
	for (unsigned i = 0; i < TF_INTERVAL_HASH; i++)
		ck_assert_uint_eq(v.hash[i], 0xa5);
	ck_assert(v.sketch[0] == 1.5F && v.sketch[TF_SKETCH - 1] == -3e30F);
	ck_assert_uint_eq(v.n_excluded, 0);

	ck_assert_int_eq(tf_intervals_next(intervals, &v, NULL), 1);
	ck_assert_uint_eq(v.filtered, 49);
	/* both threads and both blocks */
	ck_assert_uint_eq(v.marker.count, counted ? 10 + 5 + 1 + 7 + 1 : 0);
	ck_assert_uint_eq(v.n_excluded, 1);
	ck_assert_uint_eq(v.excluded[0].block, tail.block);
	ck_assert_uint_eq(v.excluded[0].reason, TF_EXCLUDED_SPIN);

	ck_assert_int_eq(tf_intervals_next(intervals, &v, NULL), 1);
	ck_assert_uint_eq(v.marker.block, TF_NONE);
	ck_assert_uint_eq(v.marker.count, 0);
	ck_assert_int_eq(tf_intervals_next(intervals, &v, NULL), 0);
	tf_intervals_close(intervals);
	tf_close(reader);
}
END_TEST

static void count_fault(void *faults, const struct tf_error *error)
{
	ck_assert_int_eq(error->status, TF_E_DAMAGED);
	++*(int *)faults;
}

/* Expects that the intervals before `failing` are counted, and none from there on. */
static void fails_at(struct tf_reader *reader, unsigned failing, const char *text)
{
	struct tf_intervals *intervals;
	struct tf_interval v;
	struct tf_error error;
	int faults = 0;

	ck_assert_int_eq(tf_intervals_open(reader, true, &intervals, NULL), 0);
	for (unsigned i = 0; i < failing; i++)
		ck_assert_int_eq(tf_intervals_next(intervals, &v, NULL), 1);
	ck_assert_int_eq(tf_intervals_next(intervals, &v, &error), TF_E_DAMAGED);
	ck_assert_msg(strstr(error.text, text), "%s", error.text);
	tf_intervals_close(intervals);
	ck_assert_int_eq(tf_verify(reader, count_fault, &faults, NULL), 1);
	ck_assert_int_eq(faults, 1);
	tf_close(reader);
}

START_TEST(reader_compares_with_vectors)
{
	write_three(1);
	fails_at(opened(), 1, "interval 1: the vectors so far do not add up");
}
END_TEST

START_TEST(reader_misses_intervals)
{
	const struct tf_vector_count count = { loop.taken, LENGTH, 1 };
	struct tf_interval v = { .instructions = 3, .filtered = 3, .marker.block = TF_NONE };

	ck_assert_int_eq(add_vector(0, thread, &count, 1), 0);
	ck_assert_int_eq(add(&v), 0);
	ck_assert_int_eq(add_vector(1, thread, &count, 1), 0);
	ck_assert_int_eq(add_vector(2, thread, &count, 1), 0);
	v = (struct tf_interval){
		.number = 2, .instructions = 9, .filtered = 9, .marker.block = TF_NONE
	};
	ck_assert_int_eq(add(&v), 0);
	fails_at(opened(), 1, "interval 2: intervals or vectors before it are missing");
}
END_TEST

START_TEST(reader_misses_last_interval)
{
	const struct tf_vector_count count = { loop.taken, LENGTH, 1 };
	struct tf_interval v = { .instructions = 3, .filtered = 3, .marker.block = TF_NONE };

	ck_assert_int_eq(add_vector(0, thread, &count, 1), 0);
	ck_assert_int_eq(add(&v), 0);
	ck_assert_int_eq(add_vector(1, thread, &count, 1), 0);
	fails_at(opened(), 1, "the vectors of interval 1 have no end");
}
END_TEST

START_TEST(reader_refuses_order)
{
	struct tf_interval v = { .number = 1, .instructions = 3, .marker.block = TF_NONE };
	struct tf_reader *reader;
	int faults = 0;

	ck_assert_int_eq(add(&v), 0);
	v.instructions = 2;
	v.number += (unsigned)_i;
	ck_assert_int_eq(add(&v), 0);
	reader = opened();
	tf_verify(reader, count_fault, &faults, NULL);
	ck_assert_int_eq(faults, 1);
	tf_close(reader);
}
END_TEST

START_TEST(writer_refuses)
{
	const struct tf_excluded twice[] = { { loop.block, 1 }, { loop.block, 1 } };
	const struct tf_excluded unknown = { tail.block + 1, 1 };
	const struct tf_interval good = { .instructions = 5,
					  .filtered = 5,
					  .marker.block = loop.block };
	struct tf_interval v[7] = { good, good, good, good, good, good, good };

	v[0].filtered = 6;
	v[1].marker.block = tail.block + 1;
	v[2].marker.insn = LENGTH;
	v[3].marker.thread = other + 1;
	v[4].excluded = twice;
	v[4].n_excluded = 2;
	v[5].excluded = &unknown;
	v[5].n_excluded = 1;
	v[6].sketch[5] = INFINITY;
	for (unsigned i = 0; i < 7; i++)
		ck_assert_msg(add(&v[i]) == TF_E_ARGUMENT, "case %u", i);
	ck_assert_int_eq(add(&good), 0);
	synthetic_end(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("intervals");
	TCase *tests = tcase_create("intervals");

	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_loop_test(tests, read_as_written, 0, 2);
	tcase_add_test(tests, reader_compares_with_vectors);
	tcase_add_test(tests, reader_misses_intervals);
	tcase_add_test(tests, reader_misses_last_interval);
	tcase_add_loop_test(tests, reader_refuses_order, 0, 2);
	tcase_add_test(tests, writer_refuses);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
