/* SPDX-License-Identifier: MIT */
/*
 * A trace's instructions are decoded as on the processor that executed them, whatever processor
 * reads the trace. A call of four bytes, for example, is valid on AMD's but not on Intel's.
 */
#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzers/mica/code.h"
#include "analyzers/mix/mix.h"
#include "cli/common/trace_meta.h"
#include "tests/scratch.h"
#include "tests/unit/run_suite.h"
#include "traceformat/tracewriter.h"

static const uint8_t call[] = { 0x66, 0xe8, 0x10, 0x20 };

static void write_call(struct tf_writer *w, struct tf_error *error)
{
	static const struct tf_operand operand = {
		.access = TF_STORE,
		.flags = TF_IMPLICIT,
		.size = 2,
	};
	static const struct tf_insn insn = { .length = sizeof(call), .n_operands = 1 };
	struct tf_block block = {
		.module = TF_NONE,
		.pc = 0x401000,
		.target = 0x3014,
		.end = TF_END_CALL,
		.n_insns = 1,
		.n_operands = 1,
		.code_size = sizeof(call),
		.code = call,
		.insns = &insn,
		.operands = &operand,
	};

	ck_assert_int_eq(tf_writer_add_block(w, &block, NULL, error), 0);
}

/* Writes a trace of one block and opens it. vendor NULL: the trace names no vendor. */
static struct tf_reader *open_trace(const char *vendor)
{
	scratch_path path;
	int fd = scratch_file(path, "isa");
	struct tf_reader *reader;
	struct tf_error error;
	struct tf_writer *w;

	ck_assert_int_eq(tf_writer_create_fd(fd, path, NULL, &w, &error), 0);
	if (vendor)
		ck_assert_int_eq(tf_writer_meta(w, "host.cpu.vendor", vendor, &error), 0);
	write_call(w, &error);
	ck_assert_int_eq(tf_writer_finish(w, 0, "exit", &error), 0);
	tf_writer_free(w);
	ck_assert_int_eq(tf_open(path, &reader, &error), 0);
	ck_assert_int_eq(tf_load(reader, &error), 0);
	unlink(path);
	close(fd);
	return reader;
}

static const struct {
	const char *vendor;
	enum isa_vendor is;
	const char *iclass;
	enum isa_class class;
} cases[] = {
	{ "AuthenticAMD", ISA_AMD, "CALL_NEAR", ISA_CLASS_CALL },
	{ "GenuineIntel", ISA_INTEL, "INVALID", ISA_CLASS_OPAQUE },
	{ NULL, ISA_INTEL, "INVALID", ISA_CLASS_OPAQUE },
};

START_TEST(test_call)
{
	struct tf_reader *reader = open_trace(cases[_i].vendor);
	struct mica_code mica;
	struct mix_code mix;

	ck_assert_int_eq(recorded_vendor(reader), cases[_i].is);
	ck_assert(mix_code_init(&mix, reader));
	ck_assert_int_eq(mix.classes[0], cases[_i].class);
	mica_code_init(&mica, reader, 0);
	ck_assert_str_eq(mica.insns[0].facts.iclass, cases[_i].iclass);
	mica_code_free(&mica);
	mix_code_free(&mix);
	tf_close(reader);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-traces");
	TCase *tests = tcase_create("traces");

	tcase_add_loop_test(tests, test_call, 0, sizeof(cases) / sizeof(cases[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
