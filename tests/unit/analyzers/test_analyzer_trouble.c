/* SPDX-License-Identifier: MIT */
/* Analyzers that read incomplete or damaged traces, that fail, or that cannot write. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "tests/unit/analyzers/analyzer_run.h"
#include "tests/unit/analyzers/probe.h"
#include "tests/unit/run_suite.h"

START_TEST(a_trace_without_addresses)
{
	make_trace(&(struct tf_writer_options){ sizeof(struct tf_writer_options),
						.no_addresses = true });
	ck_assert_int_eq(analyze(&probe_ordered, NULL), EXIT_UNSUITABLE);
	assert_has(messages, "record it again without --no-addresses");
	ck_assert_int_eq(analyze(&probe_stepping, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
}
END_TEST

/* An analyzer that counts accesses reports how many instructions lack them; others do not. */
START_TEST(opaque_instructions)
{
	struct synthetic_code vmcall;

	begin_trace(NULL);
	turn(0, 0);
	vmcall = synthetic_code(&trace, 0x5000, BYTES("\x0f\x01\xc1"));
	for (int i = 0; i < 3; i++)
		synthetic_exec(&trace, 0, vmcall.not_taken, NULL);
	synthetic_end(&trace);
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), 0);
	assert_has(messages, ": the data accesses of 3 of 7 instructions are not known");
	assert_has(output, "\"opaque_in_trace\": 3,");
	ck_assert_int_eq(analyze(&probe_ordered, "--format=csv", NULL), 0);
	assert_has(messages, ": the data accesses of 3 of 7 instructions are not known");
	assert_has_not(output, "opaque");
	ck_assert_int_eq(analyze(&probe_stepping, "--format=json", NULL), 0);
	assert_has_not(messages, "not known");
	assert_has_not(output, "opaque");
}
END_TEST

START_TEST(no_opaque_instructions)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), 0);
	assert_has_not(messages, "not known");
	assert_has_not(output, "opaque");
}
END_TEST

/* Changes a byte in the middle of the chunk that begins at the ordinal. */
static void damage_chunk(uint32_t thread, uint64_t first_ordinal)
{
	struct tf_section_info section;
	struct tf_reader *reader;
	int fd = open(trace.path, O_RDWR);
	uint8_t byte;

	synthetic_ok(&trace, tf_open(trace.path, &reader, &trace.error));
	for (uint32_t i = 0; tf_section(reader, i, &section); i++)
		if (!strcmp(tf_section_kind_name(section.kind), "CHUNK") &&
		    section.thread == thread && section.first_ordinal == first_ordinal)
			break;
	ck_assert_uint_eq(section.first_ordinal, first_ordinal);
	tf_close(reader);
	off_t at = section.offset + 100 + section.stored_size / 2;

	ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

START_TEST(a_damaged_chunk)
{
	static const char *const jobs[] = { "-j1", "-j4" };

	make_trace(NULL);
	damage_chunk(0, 400);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(analyze(&probe_unordered, jobs[i], "--format=json", NULL),
				 EXIT_FAILED);
		assert_has(output, "\"instructions\": 1400,");
		assert_has(output, "\"complete\": false");
		assert_has(messages, "warning: ");
	}
	ck_assert_int_eq(analyze(&probe_unordered, "--threads=each", "--format=csv", NULL),
			 EXIT_FAILED);
	assert_has(output, "0,0,1000,1000\n1,0,400,400\n");
	assert_has(output, "complete,false,");
}
END_TEST

START_TEST(a_trace_that_was_not_closed)
{
	struct stat file;

	make_trace(NULL);
	ck_assert_int_eq(stat(trace.path, &file), 0);
	ck_assert_int_eq(truncate(trace.path, file.st_size - 40), 0);
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
	assert_has(output, "\"complete\": false");
	assert_has(messages, "trace was not closed");
}
END_TEST

/* Returns the offset of the first chunk in the file. */
static off_t first_chunk(void)
{
	struct tf_section_info section;
	struct tf_reader *reader;
	uint64_t first = UINT64_MAX;

	synthetic_ok(&trace, tf_open(trace.path, &reader, &trace.error));
	for (uint32_t i = 0; tf_section(reader, i, &section); i++)
		if (!strcmp(tf_section_kind_name(section.kind), "CHUNK") && section.offset < first)
			first = section.offset;
	tf_close(reader);
	return (off_t)first;
}

START_TEST(a_trace_that_was_cut_short)
{
	off_t chunk;

	make_trace(NULL);
	chunk = first_chunk();
	ck_assert_int_eq(truncate(trace.path, chunk + 20), 0);
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), EXIT_FAILED);
	assert_has(output, "\"instructions\": 0,");
	assert_has(output, "\"complete\": false");
	assert_has(messages, "not one instruction can be read");
	ck_assert_int_eq(truncate(trace.path, chunk), 0); /* nothing of the file is lost */
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), EXIT_FAILED);
	assert_has(messages, "nothing was recorded");
}
END_TEST

START_TEST(an_empty_trace)
{
	synthetic_begin(&trace, NULL);
	synthetic_end(&trace);
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), EXIT_FAILED);
	ck_assert_str_eq(output, "");
	assert_has(messages, "nothing was recorded");
	ck_assert_int_eq(analyze(&probe_unordered, "-j2", "--threads=each", "--format=csv", NULL),
			 EXIT_FAILED);
	ck_assert_str_eq(output, "");
}
END_TEST

/* ---- hooks that fail, results that cannot be written -------------------------------------- */

static int fail_blocks(void *self, const struct tf_item *item)
{
	(void)self;
	return item->ordinal >= 200 ? EXIT_UNSUITABLE : 0;
}

START_TEST(a_failed_analysis_leaves_the_output_alone)
{
	struct analyzer failing = probe_unordered;
	FILE *out = fopen(output_path, "w");

	fputs("yesterday's result\n", out);
	fclose(out);
	make_trace(NULL);
	failing.blocks = fail_blocks;
	ck_assert_int_eq(analyze(&failing, NULL), EXIT_UNSUITABLE);
	ck_assert_str_eq(output, "yesterday's result\n");
	ck_assert_int_eq(analyze(&failing, "-j3", NULL), EXIT_UNSUITABLE);
	ck_assert_str_eq(output, "yesterday's result\n");
	ck_assert_int_eq(analyze(&probe_unordered, "--thread=2", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "name,value,unit\ninstructions,0,\nhash,0,\nfirst_address,0,\n"
				 "last_address,0,\nevents,0,\nswitches,0,\n");
}
END_TEST

START_TEST(outputs_that_cannot_be)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_ordered, "-o", "/nonexistent/x", NULL), EXIT_FAILED);
	assert_has(messages, "/nonexistent/x: No such file");
	ck_assert_int_eq(analyze(&probe_ordered, "-o", "/dev/full", NULL), EXIT_FAILED);
	assert_has(messages, "/dev/full: No space left");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analyzer-trouble");
	TCase *tests = tcase_create("runs");

	tcase_add_checked_fixture(tests, analyzer_run_begin, analyzer_run_end);
	tcase_add_test(tests, a_trace_without_addresses);
	tcase_add_test(tests, opaque_instructions);
	tcase_add_test(tests, no_opaque_instructions);
	tcase_add_test(tests, a_damaged_chunk);
	tcase_add_test(tests, a_trace_that_was_not_closed);
	tcase_add_test(tests, a_trace_that_was_cut_short);
	tcase_add_test(tests, an_empty_trace);
	tcase_add_test(tests, a_failed_analysis_leaves_the_output_alone);
	tcase_add_test(tests, outputs_that_cannot_be);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
