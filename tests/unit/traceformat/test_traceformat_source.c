/* SPDX-License-Identifier: MIT */
/* Traces whose bytes come from a function: pieces of any length, reads that fail; statuses. */
#include <errno.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

/* A file that is read in short pieces, up to the read that fails. */
struct pieces {
	int fd;
	unsigned reads, fails_at, closed; /* fails_at 0: none fails */
};

static int64_t read_piece(void *opaque, void *to, size_t size, uint64_t offset,
			  struct tf_error *error)
{
	struct pieces *p = opaque;

	if (++p->reads == p->fails_at) {
		if (error) {
			error->status = TF_E_IO;
			snprintf(error->text, sizeof(error->text), "read %u fails", p->reads);
		}
		return -1;
	}
	return pread(p->fd, to, size > 1000 ? 1000 : size, (off_t)offset);
}

static void close_pieces(void *opaque)
{
	((struct pieces *)opaque)->closed++;
}

static struct tf_source source_of(struct pieces *p)
{
	return (struct tf_source){ p, read_piece, close_pieces, file_size(p->fd) };
}

static uint64_t count_items(struct tf_reader *reader)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t n = 0;

	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0)
		n += item.count;
	tf_cursor_close(cursor);
	return n;
}

START_TEST(pieces)
{
	struct random_options options = small_options((uint64_t)_i + 1);
	struct open_trace t = open_random_trace(&options);
	struct pieces p = { .fd = t.fd };
	struct tf_source source = source_of(&p);
	struct tf_reader *reader;
	struct tf_info info, other;

	ck_assert_int_eq(tf_open_source(&source, "pieces", &reader, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_int_eq(tf_get_info(t.reader, &other, NULL), 0);
	ck_assert_uint_eq(info.file_size, other.file_size);
	ck_assert(info.complete);
	ck_assert_uint_eq(info.totals.instructions, other.totals.instructions);
	ck_assert_uint_eq(count_items(reader), count_items(t.reader));
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	ck_assert_uint_eq(p.closed, 0);
	tf_close(reader);
	ck_assert_uint_eq(p.closed, 1);
	close_random_trace(&t);
}
END_TEST

/* Each read can fail; the error is the source's, and the source is closed once. */
START_TEST(failures)
{
	struct random_options options = small_options(3);
	struct open_trace t = open_random_trace(&options);
	unsigned failed = 0;

	for (unsigned at = 1; at < 12; at++) {
		struct pieces p = { .fd = t.fd, .fails_at = at };
		struct tf_source source = source_of(&p);
		struct tf_error error = { .text = "" };
		struct tf_reader *reader = NULL;

		if (tf_open_source(&source, "pieces", &reader, &error) < 0 ||
		    tf_load(reader, &error) < 0) {
			failed++;
			ck_assert_int_eq(error.status, TF_E_IO);
			ck_assert_ptr_nonnull(strstr(error.text, " fails"));
		}
		tf_close(reader);
		ck_assert_uint_eq(p.closed, 1);
	}
	ck_assert_uint_gt(failed, 3);
	close_random_trace(&t);
}
END_TEST

START_TEST(each_status_has_a_word_of_its_own)
{
	static const enum tf_status statuses[] = { TF_OK,          TF_E_IO,      TF_E_MEMORY,
						   TF_E_FOREIGN,   TF_E_VERSION, TF_E_DAMAGED,
						   TF_E_TRUNCATED, TF_E_ARGUMENT };
	enum { N_STATUSES = sizeof(statuses) / sizeof(*statuses) };

	ck_assert_str_eq(tf_status_name(TF_E_DAMAGED), "damaged");
	for (unsigned i = 0; i < N_STATUSES; i++) {
		ck_assert_str_ne(tf_status_name(statuses[i]), "unknown");
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(tf_status_name(statuses[i]), tf_status_name(statuses[k]));
	}
	ck_assert_str_eq(tf_status_name((enum tf_status)1), "unknown");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source");
	TCase *tcase = tcase_create("source");

	tcase_add_loop_test(tcase, pieces, 0, 5);
	tcase_add_test(tcase, failures);
	tcase_add_test(tcase, each_status_has_a_word_of_its_own);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
