/* SPDX-License-Identifier: MIT */
/* trace-verify --decode: blocks whose facts are not those of their code bytes. */
#include <check.h>
#include <string.h>

#include "cli/verify/decode_check.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

/* mov (%rsi),%rax; add $8,%rsi; jne to the first one */
static const uint8_t code[] = { 0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 0x08, 0x75, 0xf7 };

struct facts {
	struct tf_operand load;
	struct tf_insn insns[3];
	struct tf_block block;
};

static void right_facts(struct facts *f)
{
	*f = (struct facts){
		.load = { .insn = 0, .access = TF_LOAD, .size = 8 },
		.insns = {
			{ .offset = 0, .length = 3, .first_operand = 0, .n_operands = 1 },
			{ .offset = 3, .length = 4, .first_operand = 1 },
			{ .offset = 7, .length = 2, .first_operand = 1 },
		},
		.block = {
			.module = TF_NONE, .pc = 0x401000, .target = 0x401000,
			.end = TF_END_CONDITIONAL, .n_insns = 3, .n_operands = 1, .n_values = 1,
			.code_size = sizeof(code), .code = code,
		},
	};
	f->block.insns = f->insns;
	f->block.operands = &f->load;
}

static struct tf_reader *trace_of(const struct tf_block *block)
{
	const struct tf_writer_options options = { .size = sizeof(options) };
	struct tf_error error = { .text = "" };
	struct tf_writer *writer = NULL;
	int fd = new_file();
	uint32_t id;

	ck_assert_int_eq(tf_writer_create_fd(fd, "test.trace", &options, &writer, &error), 0);
	ck_assert_msg(tf_writer_add_block(writer, block, &id, &error) == 0, "%s", error.text);
	ck_assert_int_eq(tf_writer_finish(writer, 0, "exit", &error), 0);
	tf_writer_free(writer);
	return open_file(fd);
}

static char listed[512];

static void keep(void *opaque, const char *text)
{
	(void)opaque;
	snprintf(listed, sizeof(listed), "%s", text);
}

static struct decode_counts check_facts(const struct facts *f)
{
	struct tf_reader *reader = trace_of(&f->block);
	struct decode_counts counts;
	struct tf_error error;

	*listed = '\0';
	ck_assert_int_eq(decode_check(reader, keep, NULL, &counts, &error), 0);
	tf_close(reader);
	return counts;
}

START_TEST(right_facts_agree)
{
	struct decode_counts counts;
	struct facts f;

	right_facts(&f);
	counts = check_facts(&f);
	ck_assert_uint_eq(counts.insns, 3);
	ck_assert_uint_eq(counts.stale + counts.differ + counts.excused + counts.one, 0);
	ck_assert_str_eq(listed, "");
}
END_TEST

/* Each row spoils one fact and names the part that must be listed. */
static const char *wrong_length(struct facts *f)
{
	f->insns[0].length = f->insns[1].offset = 2;
	f->insns[1].length = 5;
	return "length";
}
static const char *wrong_end(struct facts *f)
{
	f->block.end = TF_END_JUMP;
	return "control transfer";
}
static const char *wrong_target(struct facts *f)
{
	f->block.target++;
	return "target";
}
static const char *wrong_size(struct facts *f)
{
	f->load.size = 4;
	return "memory operand";
}
static const char *wrong_access(struct facts *f)
{
	f->load.access = TF_STORE;
	return "memory operand";
}
static const char *no_operand(struct facts *f)
{
	f->insns[0].n_operands = f->insns[1].first_operand = f->insns[2].first_operand = 0;
	f->block.n_operands = f->block.n_values = 0;
	return "number of memory operands";
}

START_TEST(wrong_facts_are_listed)
{
	static const char *(*const spoils[])(struct facts *) = { wrong_length, wrong_end,
								 wrong_target, wrong_size,
								 wrong_access, no_operand };

	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		struct decode_counts counts;
		const char *part;
		struct facts f;

		right_facts(&f);
		part = spoils[i](&f);
		counts = check_facts(&f);
		ck_assert_uint_ge(counts.stale, 1);
		ck_assert_msg(i == 0 || strstr(listed, part), "%s: %s", part, listed);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode-check");
	TCase *tests = tcase_create("facts");

	tcase_add_test(tests, right_facts_agree);
	tcase_add_test(tests, wrong_facts_are_listed);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
