/* SPDX-License-Identifier: MIT */
/* Basic block vectors are read as written; the writer and the reader check their counts. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/loose_file.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/reader/reader.h"
#include "traceformat/tracesamples.h"

enum { LENGTH = 3 }; /* instructions of the path */

static struct synthetic s;
static struct synthetic_code loop;
static uint32_t thread;

static void begin(void)
{
	synthetic_begin(&s, NULL);
	thread = synthetic_thread(&s, synthetic_process(&s, 100));
	/* dec %ecx; inc %edx; jnz */
	loop = synthetic_code(&s, 0x401000, BYTES("\xff\xc9\xff\xc2\x75\xfa"));
	ck_assert_uint_eq(loop.n_insns, LENGTH);
}

static void end(void)
{
	synthetic_remove(&s);
}

static uint32_t partial_exit(void)
{
	return loop.taken + 1;
}

static int add(uint64_t interval, uint64_t instructions, const struct tf_vector_count *counts,
	       size_t n)
{
	struct tf_vector vector = { .interval = interval,
				    .thread = thread,
				    .instructions = instructions,
				    .n_counts = n,
				    .counts = counts };

	return tf_writer_add_vector(s.writer, &vector, &s.error);
}

/* Opens the finished trace. */
static struct tf_reader *opened(void)
{
	struct tf_reader *reader;

	synthetic_end(&s);
	ck_assert_int_eq(tf_open(s.path, &reader, NULL), 0);
	return reader;
}

START_TEST(read_as_written)
{
	const struct tf_vector_count counts[] = { { loop.not_taken, LENGTH, 1 },
						  { loop.taken, LENGTH, UINT64_C(1) << 40 },
						  { partial_exit(), 1, 7 },
						  { partial_exit(), 2, 5 } };
	const uint64_t sum = LENGTH + LENGTH * (UINT64_C(1) << 40) + 7 + 10;
	struct tf_vectors *vectors;
	struct tf_reader *reader;
	struct tf_vector vector;
	struct tf_info info;

	ck_assert_int_eq(add(0, sum, counts, 4), 0);
	ck_assert_int_eq(add(5, 7, counts + 2, 1), 0);
	reader = opened();
	ck_assert_int_eq(tf_verify(reader, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.n_vectors, 2);
	ck_assert_int_eq(tf_vectors_open(reader, &vectors, NULL), 0);
	ck_assert_int_eq(tf_vectors_next(vectors, &vector, NULL), 1);
	ck_assert_uint_eq(vector.interval, 0);
	ck_assert_uint_eq(vector.thread, thread);
	ck_assert_uint_eq(vector.instructions, sum);
	ck_assert_uint_eq(vector.n_counts, 4);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(vector.counts[i].exit, counts[i].exit);
		ck_assert_uint_eq(vector.counts[i].executed, counts[i].executed);
		ck_assert_uint_eq(vector.counts[i].times, counts[i].times);
	}
	ck_assert_int_eq(tf_vectors_next(vectors, &vector, NULL), 1);
	ck_assert_uint_eq(vector.interval, 5);
	ck_assert_uint_eq(vector.n_counts, 1);
	ck_assert_int_eq(tf_vectors_next(vectors, &vector, NULL), 0);
	tf_vectors_close(vectors);
	tf_close(reader);
}
END_TEST

START_TEST(vectors_are_passed_over)
{
	const struct tf_vector_count counts[] = { { partial_exit(), 1, 7 },
						  { partial_exit(), 2, 5 } };
	struct tf_vectors *vectors;
	struct tf_reader *reader;
	struct tf_vector vector;

	ck_assert_int_eq(add(0, 17, counts, 2), 0);
	ck_assert_int_eq(add(3, 7, counts, 1), 0);
	ck_assert_int_eq(add(5, 10, counts + 1, 1), 0);
	reader = opened();
	ck_assert_int_eq(tf_vectors_open(reader, &vectors, NULL), 0);
	ck_assert_int_eq(tf_vectors_head(vectors, &vector, NULL), 1);
	ck_assert_uint_eq(vector.instructions, 17);
	ck_assert_uint_eq(vector.n_counts, 2);
	ck_assert_int_eq(tf_vectors_head(vectors, &vector, NULL), 1);
	ck_assert_uint_eq(vector.interval, 3);
	ck_assert_int_eq(tf_vectors_head(vectors, &vector, NULL), 1);
	ck_assert_uint_eq(vector.interval, 5);
	ck_assert_ptr_null(vector.counts);
	ck_assert_int_eq(tf_vectors_counts(vectors, &vector, NULL), 1);
	ck_assert_uint_eq(vector.counts[0].executed, 2);
	ck_assert_uint_eq(vector.counts[0].times, 5);
	ck_assert_int_eq(tf_vectors_head(vectors, &vector, NULL), 0);
	tf_vectors_close(vectors);
	tf_close(reader);
}
END_TEST

/* Appends a line for each status of reading, with the counts of the vectors of even intervals. */
static void read_all(struct tf_reader *reader, unsigned n_threads, bool counts, FILE *out)
{
	struct tf_vectors *vectors;
	struct tf_vector vector;
	struct tf_error error;
	int status;

	ck_assert_int_eq(tf_vectors_open(reader, &vectors, NULL), 0);
	tf_vectors_read_ahead(vectors, n_threads, counts);
	while ((status = tf_vectors_head(vectors, &vector, &error)) != 0) {
		if (status > 0 && vector.interval % 2 == 0)
			status = tf_vectors_counts(vectors, &vector, &error);
		if (status < 0) {
			fprintf(out, "%s\n", error.text);
			continue;
		}
		fprintf(out, "%d %zu:", (int)vector.interval, vector.n_counts);
		for (size_t i = 0; vector.counts && i < vector.n_counts; i++)
			fprintf(out, " %u %u %d", vector.counts[i].exit, vector.counts[i].executed,
				(int)vector.counts[i].times);
		fputc('\n', out);
	}
	tf_vectors_close(vectors);
}

static char *all_read(struct tf_reader *reader, unsigned n_threads, bool counts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	read_all(reader, n_threads, counts, out);
	fclose(out);
	return text;
}

/* Changes a byte of the payload of a section of vectors in the file. */
static void damage_section(const char *path, unsigned number)
{
	struct tf_reader *reader;
	FILE *file = fopen(path, "r+b");

	ck_assert_int_eq(tf_open(path, &reader, NULL), 0);
	for (size_t i = 0; i < reader->sections.count; i++)
		if (reader->sections.at[i].kind == SECTION_VECTORS && number-- == 0) {
			fseek(file, (long)reader->sections.at[i].offset + SECTION_HEADER_SIZE,
			      SEEK_SET);
			fputc(0x55, file);
		}
	fclose(file);
	tf_close(reader);
}

/* Sections of vectors, of which some are damaged in several ways, are the same with threads. */
START_TEST(threads_read_ahead)
{
	enum { SECTIONS = 40, EACH = 6, DAMAGED = 17 };
	struct tf_vectors *vectors;
	struct tf_reader *reader;
	char *expected;

	for (unsigned i = 0; i < SECTIONS * EACH; i++) {
		struct tf_vector_count counts[] = { { loop.taken, LENGTH, i + 1 },
						    { partial_exit(), 1, 7 },
						    { partial_exit(), 2, 5 } };
		bool wrong = i % 50 == 8 || i % 50 == 31; /* an interval that is read, or not */

		ck_assert_int_eq(add(i, LENGTH * (i + 1) + 17 + wrong, counts, 3), 0);
		if (i % EACH == EACH - 1)
			ck_assert_int_eq(tf_writer_flush(s.writer, NULL), 0);
	}
	synthetic_end(&s);
	damage_section(s.path, DAMAGED);
	ck_assert_int_eq(tf_open(s.path, &reader, NULL), 0);
	expected = all_read(reader, 0, false);
	ck_assert_ptr_nonnull(strstr(expected, "do not add up"));
	ck_assert_ptr_nonnull(strstr(expected, "\n238 3: "));
	ck_assert_ptr_nonnull(strstr(expected, "\n239 3:\n"));
	ck_assert_ptr_null(strstr(expected, "\n102 3:"));
	for (unsigned n = 1; n < 40; n += 1 + n / 3)
		for (unsigned counts = 0; counts < 2; counts++) {
			char *text = all_read(reader, n, counts);

			ck_assert_str_eq(text, expected);
			free(text);
		}
	ck_assert_int_eq(tf_vectors_open(reader, &vectors, NULL), 0);
	tf_vectors_read_ahead(vectors, 3, true);
	tf_vectors_close(vectors);
	free(expected);
	tf_close(reader);
}
END_TEST

START_TEST(writer_refuses)
{
	const struct {
		const char *why;
		struct tf_vector_count counts[2];
		size_t n;
	} wrong[] = {
		{ "no such exit", { { partial_exit() + 1, 1, 1 } }, 1 },
		{ "never executed", { { loop.taken, LENGTH, 0 } }, 1 },
		{ "fewer instructions than the exit's", { { loop.taken, 1, 1 } }, 1 },
		{ "more instructions than the path's", { { partial_exit(), LENGTH + 1, 1 } }, 1 },
		{ "no instruction", { { partial_exit(), 0, 1 } }, 1 },
		{ "descending", { { loop.taken, LENGTH, 1 }, { loop.not_taken, LENGTH, 1 } }, 2 },
		{ "twice", { { partial_exit(), 2, 1 }, { partial_exit(), 2, 1 } }, 2 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(add(0, 1, wrong[i].counts, wrong[i].n) == TF_E_ARGUMENT, "%s",
			      wrong[i].why);
	thread++;
	ck_assert_int_eq(add(0, 1, wrong[0].counts, 0), TF_E_ARGUMENT);
	synthetic_end(&s);
}
END_TEST

static void count_fault(void *faults, const struct tf_error *error)
{
	ck_assert_int_eq(error->status, TF_E_DAMAGED);
	++*(int *)faults;
}

/* The sums of counts that are too large wrap around to the instructions that the record claims. */
START_TEST(reader_refuses)
{
	const struct tf_vector_count too_few[] = { { loop.taken, LENGTH, 2 } };
	const struct tf_vector_count wraps[] = { { loop.taken, LENGTH, UINT64_MAX / LENGTH + 1 } };
	const uint64_t claims[] = { 5, LENGTH * (UINT64_MAX / LENGTH + 1) };
	const struct tf_vector_count *const counts[] = { too_few, wraps };
	struct tf_vectors *vectors;
	struct tf_reader *reader;
	struct tf_vector vector;
	struct tf_error error;
	int faults = 0;

	ck_assert_int_eq(add(0, claims[_i], counts[_i], 1), 0);
	reader = opened();
	ck_assert_int_eq(tf_vectors_open(reader, &vectors, NULL), 0);
	ck_assert_int_eq(tf_vectors_next(vectors, &vector, &error), TF_E_DAMAGED);
	ck_assert_msg(strstr(error.text, "do not add up"), "%s", error.text);
	ck_assert_int_eq(tf_vectors_next(vectors, &vector, &error), 0);
	tf_vectors_close(vectors);
	ck_assert_int_eq(tf_verify(reader, count_fault, &faults, NULL), 1);
	ck_assert_int_eq(faults, 1);
	tf_close(reader);
}
END_TEST

/* Writes a vector of one execution of an instruction and five of two, and takes the file apart. */
static void take_one(struct loose_trace *t)
{
	const struct tf_vector_count counts[] = { { partial_exit(), 1, 1 },
						  { partial_exit(), 2, 5 } };
	int fd = dup(s.fd);

	ck_assert_int_eq(add(0, 11, counts, 2), 0);
	synthetic_end(&s);
	take_apart(t, fd);
	close(fd);
}

/* Where the numbers of the record are. The exit of the second count is a distance. */
enum { INSTRUCTIONS = 3, EXIT = 5, TIMES, EXECUTED, NEXT_EXIT, NEXT_TIMES, NEXT_EXECUTED };

/* The sums are right in each case, except in that of no exit. */
START_TEST(reader_refuses_counts)
{
	static const struct {
		const char *what;
		uint64_t executed, times, next_executed, next_times;
		bool no_exit, good;
	} cases[] = {
		{ "as written", 1, 1, 2, 5, false, true },
		{ "more of the first", 1, 9, 2, 5, false, true },
		{ "no such exit", 1, 1, 2, 5, true, false },
		{ "never executed", 1, 0, 2, 5, false, false },
		{ "no instruction", 0, 1, 2, 5, false, false },
		{ "more than the path has", 1, 1, LENGTH + 1, 5, false, false },
		{ "the same twice", 2, 1, 2, 5, false, false },
		{ "descending", 2, 1, 1, 5, false, false },
	};
	struct loose_trace t = { 0 };
	struct buffer file = { 0 };
	struct loose_part *part;
	struct tf_reader *reader;
	int fd = new_file(), faults;

	take_one(&t);
	part = loose_vector_records(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t instructions = cases[i].executed * cases[i].times +
					cases[i].next_executed * cases[i].next_times;

		loose_part_set_varint(part, 0, INSTRUCTIONS, instructions);
		loose_part_set_varint(part, 0, EXIT, partial_exit() + cases[i].no_exit);
		loose_part_set_varint(part, 0, TIMES, cases[i].times);
		loose_part_set_varint(part, 0, EXECUTED, cases[i].executed);
		loose_part_set_varint(part, 0, NEXT_TIMES, cases[i].next_times);
		loose_part_set_varint(part, 0, NEXT_EXECUTED, cases[i].next_executed);
		file.size = 0;
		loose_trace_put(&t, &file);
		write_at(fd, file.data, file.size, 0);
		reader = open_file(fd);
		faults = tf_verify(reader, ignore_fault, NULL, NULL);
		ck_assert_msg(faults == !cases[i].good, "%s: %d", cases[i].what, faults);
		tf_close(reader);
	}
	close(fd);
	buffer_free(&file);
	loose_trace_free(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vectors");
	TCase *tests = tcase_create("vectors");

	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, read_as_written);
	tcase_add_test(tests, vectors_are_passed_over);
	tcase_add_test(tests, threads_read_ahead);
	tcase_add_test(tests, writer_refuses);
	tcase_add_loop_test(tests, reader_refuses, 0, 2);
	tcase_add_test(tests, reader_refuses_counts);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
