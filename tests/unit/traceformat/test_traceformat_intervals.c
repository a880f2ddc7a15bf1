/* SPDX-License-Identifier: MIT */
/* Ends of intervals are read as written, and markers are counted; writer and reader check them. */
#include <fcntl.h>
#include <math.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/loose_file.h"
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

/*
 * Writes three intervals: both threads execute the loop, whose second instruction is the marker.
 * more: instructions that only the second interval claims to have.
 */
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
				  .instructions = 32 + 15 + 2 + 14 + 2000,
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
	int faults = 0, status;

	ck_assert_int_eq(tf_intervals_open(reader, true, &intervals, NULL), 0);
	for (unsigned i = 0; i < failing; i++)
		ck_assert_int_eq(tf_intervals_next(intervals, &v, NULL), 1);
	ck_assert_int_eq(tf_intervals_next(intervals, &v, &error), TF_E_DAMAGED);
	ck_assert_msg(strstr(error.text, text), "%s", error.text);
	while ((status = tf_intervals_next(intervals, &v, &error)) != 0)
		ck_assert_int_eq(status, TF_E_DAMAGED);
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

static void expect_rules(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	ck_assert_msg(strstr(error->text, "breaks the format's rules"), "%s", error->text);
}

/* None of an interval's number and instructions can be less than those of the interval before. */
START_TEST(reader_refuses_order)
{
	static const struct tf_interval nexts[] = {
		{ .number = 1, .instructions = 3, .filtered = 2 },
		{ .number = 2, .instructions = 2, .filtered = 2 },
		{ .number = 2, .instructions = 3, .filtered = 1 },
	};
	struct tf_interval v = { .number = 1, .instructions = 3, .filtered = 2 };
	struct tf_reader *reader;

	v.marker.block = TF_NONE;
	ck_assert_int_eq(add(&v), 0);
	v = nexts[_i];
	v.marker.block = TF_NONE;
	ck_assert_int_eq(add(&v), 0);
	reader = opened();
	ck_assert_int_eq(tf_verify(reader, expect_rules, NULL, NULL), 1);
	tf_close(reader);
}
END_TEST

/* Finishes the trace, and takes the file apart. */
static void take(struct loose_trace *t)
{
	int fd = dup(s.fd);

	synthetic_end(&s);
	take_apart(t, fd);
	close(fd);
}

/* Writes the trace that the parts make to the file, opens the trace, and frees the parts. */
static struct tf_reader *put_together(struct loose_trace *t)
{
	struct buffer file = { 0 };
	struct tf_reader *reader;
	int fd = open(s.path, O_WRONLY | O_TRUNC);

	loose_trace_put(t, &file);
	write_at(fd, file.data, file.size, 0);
	close(fd);
	ck_assert_int_eq(tf_open(s.path, &reader, NULL), 0);
	buffer_free(&file);
	loose_trace_free(t);
	return reader;
}

static struct loose_part *first_part(struct loose_trace *t, unsigned kind)
{
	return t->sections[loose_trace_find(t, kind, 0)].parts;
}

/* Writes an interval without filtered instructions. */
static void write_one(void)
{
	const struct tf_vector_count count = { loop.taken, LENGTH, 1 };
	const struct tf_excluded excluded[] = { { loop.block, 1 }, { tail.block, 1 } };
	struct tf_interval v = { .instructions = LENGTH, .excluded = excluded, .n_excluded = 2 };

	v.marker = (struct tf_marker){ .block = tail.block, .insn = 1, .thread = other };
	ck_assert_int_eq(add_vector(0, thread, &count, 1), 0);
	ck_assert_int_eq(add(&v), 0);
}

/* Sets the last bytes of a record. */
static void set_end(struct loose_part *part, const char *bytes, size_t size)
{
	memcpy(part->bytes.data + part->bytes.size - size, bytes, size);
}

/* Changes one number of a record, such that the record breaks a rule; or none (0). */
static void change(struct loose_part *part, int i)
{
	/* places of varints */
	enum { FILTERED = 3, MARKER_BLOCK = 4, MARKER_INSN = 5, MARKER_THREAD = 6 };

	switch (i) {
	case 1: ck_assert(loose_part_set_varint(part, 0, MARKER_BLOCK, tail.block + 2)); break;
	case 2: ck_assert(loose_part_set_varint(part, 0, MARKER_INSN, tail.n_insns)); break;
	case 3: ck_assert(loose_part_set_varint(part, 0, MARKER_THREAD, other + 1)); break;
	case 4: set_end(part, BYTES("\0\1")); break; /* a block twice */
	case 5: set_end(part, BYTES("\2\1")); break; /* no such block */
	case 6: ck_assert(loose_part_set_varint(part, 0, FILTERED, LENGTH + 1)); break;
	}
}

START_TEST(reader_refuses_records)
{
	struct loose_trace t = { 0 };
	struct tf_reader *reader;

	write_one();
	take(&t);
	change(first_part(&t, SECTION_INTERVALS), _i);
	reader = put_together(&t);
	ck_assert_int_eq(tf_verify(reader, expect_rules, NULL, NULL), _i > 0);
	tf_close(reader);
}
END_TEST

/* A vector of interval 0 stands behind one of interval 1. */
START_TEST(reader_refuses_order_of_vectors)
{
	enum { SECOND_INTERVAL = 8 }; /* place of the varint */
	const struct tf_vector_count count = { loop.taken, LENGTH, 1 };
	struct tf_interval v = { .marker.block = TF_NONE };
	struct loose_trace t = { 0 };

	ck_assert_int_eq(add(&v), 0);
	ck_assert_int_eq(add_vector(1, thread, &count, 1), 0);
	ck_assert_int_eq(add_vector(1, other, &count, 1), 0);
	v.number = 1;
	v.instructions = v.filtered = 2 * LENGTH;
	ck_assert_int_eq(add(&v), 0);
	take(&t);
	ck_assert(loose_part_set_varint(loose_vector_records(&t), 0, SECOND_INTERVAL, 0));
	fails_at(put_together(&t), 1, "interval 1: vectors before it have no interval");
}
END_TEST

START_TEST(writer_refuses)
{
	const struct tf_excluded twice[] = { { loop.block, 1 }, { loop.block, 1 } };
	const struct tf_excluded unknown = { tail.block + 1, 1 };
	const struct tf_interval good = { .instructions = 5,
					  .filtered = 5,
					  .marker.block = loop.block };
	struct tf_interval v[6] = { good, good, good, good, good, good };

	v[0].filtered = 6;
	v[1].marker.block = tail.block + 1;
	v[2].marker.insn = LENGTH;
	v[3].marker.thread = other + 1;
	v[4].excluded = twice;
	v[4].n_excluded = 2;
	v[5].excluded = &unknown;
	v[5].n_excluded = 1;
	for (unsigned i = 0; i < 6; i++)
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
	tcase_add_loop_test(tests, reader_refuses_order, 0, 3);
	tcase_add_loop_test(tests, reader_refuses_records, 0, 7);
	tcase_add_test(tests, reader_refuses_order_of_vectors);
	tcase_add_test(tests, writer_refuses);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
