/* SPDX-License-Identifier: MIT */
/* Files that are not traces, and headers and sections that a later version may write. */
#include <xxhash.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traceformat/later.h"

static void check_whole(struct later *f)
{
	char why[1024] = "";

	ck_assert_msg(later_reads_whole(f, why, sizeof(why)), "%s", why);
}

/* ---- no traces ----------------------------------------------------------------------------- */

static void check_open(const char *path, enum tf_status expected, const char *words)
{
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;

	ck_assert_int_eq(tf_open(path, &reader, &error), expected);
	ck_assert_int_eq(error.status, expected);
	ck_assert_ptr_nonnull(strstr(error.text, path));
	ck_assert_ptr_nonnull(strstr(error.text, words));
}

START_TEST(no_traces)
{
	static const char text[] =
		"#!/bin/sh\nexec true # and more, so that it is as long as a header is\n";
	int fd = new_file(), ends[2];
	struct tf_reader *reader;

	check_open("/nowhere", TF_E_IO, "No such file");
	check_open("/tmp", TF_E_IO, "not a regular file");
	check_open("/dev/null", TF_E_IO, "not a regular file");
	check_open("/proc/self/exe", TF_E_FOREIGN, "not a trace");
	check_open(file_path(fd), TF_E_TRUNCATED, "is empty, not a trace");
	write_at(fd, "\x89TRC", 4, 0);
	check_open(file_path(fd), TF_E_TRUNCATED, "ends inside the file header");
	write_at(fd, text, sizeof(text), 0);
	check_open(file_path(fd), TF_E_FOREIGN, "not a trace");
	write_at(fd, "\x89TRC\n\x1a\n\n", 8, 0); /* as a text transfer leaves it */
	check_open(file_path(fd), TF_E_FOREIGN, "not a trace");
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(tf_open_fd(ends[0], "pipe", &reader, NULL), TF_E_IO);
	ck_assert_int_eq(tf_open_fd(-1, "none", &reader, NULL), TF_E_IO);
	close(fd);
}
END_TEST

/* ---- the file header ----------------------------------------------------------------------- */

static struct tf_error refusal; /* of the file opened last */

/* Opens the trace with a changed header whose hash is right. */
static int open_changed(struct later *f, const uint8_t *header, struct tf_info *info)
{
	uint8_t bytes[64];
	struct tf_reader *reader;
	int status;

	memcpy(bytes, header, 64);
	put64(bytes + 56, XXH3_64bits(bytes, 56));
	write_at(f->fd, bytes, 64, 0);
	status = tf_open_fd(f->fd, "changed", &reader, &refusal);
	if (status < 0) {
		ck_assert_ptr_nonnull(strstr(refusal.text, "changed"));
		return status;
	}
	ck_assert_int_eq(tf_get_info(reader, info, NULL), 0);
	tf_close(reader);
	return 0;
}

START_TEST(header_versions)
{
	struct later f = later_begin();
	struct tf_info info;
	uint8_t h[64];

	read_at(f.fd, h, 64, 0);
	put16(h + 10, 7);
	ck_assert_int_eq(open_changed(&f, h, &info), 0); /* written by 1.7 */
	ck_assert(info.major == 1 && info.minor == 7);
	put16(h + 8, 2);
	ck_assert_int_eq(open_changed(&f, h, &info), 0); /* by 2.7, for readers of 1.1 */
	put16(h + 14, 0);
	ck_assert_int_eq(open_changed(&f, h, &info), 0);
	put16(h + 14, TF_FORMAT_MINOR + 1);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_VERSION);
	put16(h + 12, 2);
	put16(h + 14, 0);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_VERSION);
	ck_assert_ptr_nonnull(strstr(refusal.text, "needs a reader of format 2.0, "));
	put16(h + 12, 1);
	put32(h + 28, 0x80000002); /* an unknown compatible feature */
	ck_assert_int_eq(open_changed(&f, h, &info), 0);
	ck_assert(info.order_exact && info.has_addresses);
	put32(h + 24, 4);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_VERSION);
	put32(h + 24, 0);
	put32(h + 20, 0x0d0c0b0a);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_DAMAGED);
	put32(h + 20, 0x0a0b0c0d);
	put32(h + 16, 128);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_DAMAGED);
	later_end(&f);
}
END_TEST

/* ---- sections ------------------------------------------------------------------------------ */

START_TEST(skipped_sections)
{
	static const struct section skipped[] = {
		{ UNKNOWN_KIND, 0, 0, TF_NONE, 0, 0, 1 },
		{ UNKNOWN_KIND, 3, SAFE_TO_COPY, TF_NONE, 0, 0, 1 },
		{ UNKNOWN_KIND, 0, 0, 0, 9, 5, 5 }, /* a codec of its own */
		{ 40, 0, 0, TF_NONE, 0, 0, 1 },
		{ MAPPINGS, 1, 0, TF_NONE, 0, 3, 1 }, /* a later version of its payload */
		{ MAPPINGS, 0, 4, TF_NONE, 0, 3, 1 }, /* a flag */
	};
	struct later f = later_begin();
	struct tf_reader *reader;
	struct tf_info info;

	later_append(&f, &skipped[_i], (const uint8_t *)"not for you", 11, 11);
	check_whole(&f);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 1); /* unfinished */
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.n_sections, f.n_sections);
	ck_assert_uint_eq(info.n_sections_lost, 0);
	tf_close(reader);
	later_end(&f);
}
END_TEST

/* Text in META that is no valid line is skipped. */
START_TEST(meta_lines)
{
	static const struct section meta = { 1, 0, SAFE_TO_COPY, TF_NONE, 0, 0, 6 };
	static const char text[] =
		"no colon\nbad key: 1\n: 2\n\xc3\xa4: 3\nenv.Good_Key-1: 4\ncut: of";
	struct later f = later_begin();
	struct tf_reader *reader = open_file(f.fd);
	const char *key, *value;
	size_t before = 0;

	while (tf_meta_at(reader, before, &value))
		before++;
	tf_close(reader);
	later_append(&f, &meta, (const uint8_t *)text, sizeof(text) - 1, sizeof(text) - 1);
	check_whole(&f);
	reader = open_file(f.fd);
	key = tf_meta_at(reader, before, &value);
	ck_assert_str_eq(key, "env.Good_Key-1");
	ck_assert_str_eq(value, "4");
	ck_assert_ptr_null(tf_meta_at(reader, before + 1, &value));
	tf_close(reader);
	later_end(&f);
}
END_TEST

START_TEST(refused_sections)
{
	static const struct section refused[] = {
		{ UNKNOWN_KIND, 0, CRITICAL, TF_NONE, 0, 0, 1 },
		{ THREADS, 1, CRITICAL, TF_NONE, 0, 1, 1 },
		{ CHUNK, 1, CRITICAL, 0, 2, 0, 1 },
	};
	struct later f = later_begin();
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;
	struct tf_cursor *cursor;

	later_append(&f, &refused[_i], (const uint8_t *)"must know", 9, 9);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_load(reader, &error), TF_E_VERSION);
	ck_assert_uint_eq(error.section, f.n_sections - 1);
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, &error), TF_E_VERSION);
	ck_assert_ptr_nonnull(strstr(error.text, "newer"));
	tf_close(reader);
	later_end(&f);
}
END_TEST

/* Files are created also where standard input is closed, so that their descriptor is 0. */
START_TEST(repair_without_standard_input)
{
	struct later f = later_begin();
	int to = new_file();
	struct tf_error error = { .text = "" };
	struct tf_reader *reader = open_file(f.fd);

	close(STDIN_FILENO);
	ck_assert_msg(tf_repair(reader, file_path(to), &error) == 0, "%s", error.text);
	tf_close(reader);
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	tf_close(reader);
	later_end(&f);
}
END_TEST

/* A rewriting program copies unknown sections that are safe to copy, and drops others. */
START_TEST(repair_of_unknown)
{
	struct section s = { UNKNOWN_KIND, 0, SAFE_TO_COPY, TF_NONE, 0, 0, 1 };
	struct later f = later_begin();
	int to = new_file();
	struct tf_section_info info;
	struct tf_reader *reader;
	unsigned copied = 0;

	later_append(&f, &s, (const uint8_t *)"take me along", 13, 13);
	s.flags = 0;
	later_append(&f, &s, (const uint8_t *)"leave me here", 13, 13);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_repair(reader, file_path(to), NULL), 1);
	tf_close(reader);
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	for (uint32_t i = 0; tf_section(reader, i, &info); i++)
		if (info.kind == UNKNOWN_KIND) {
			char text[14] = "";

			read_at(to, text, 13, info.offset + 80);
			ck_assert_str_eq(text, "take me along");
			copied++;
		}
	ck_assert_uint_eq(copied, 1);
	tf_close(reader);
	close(to);
	later_end(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat versions");
	TCase *tests = tcase_create("versions");

	tcase_add_test(tests, no_traces);
	tcase_add_test(tests, header_versions);
	tcase_add_loop_test(tests, skipped_sections, 0, 6);
	tcase_add_test(tests, meta_lines);
	tcase_add_loop_test(tests, refused_sections, 0, 3);
	tcase_add_test(tests, repair_without_standard_input);
	tcase_add_test(tests, repair_of_unknown);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
