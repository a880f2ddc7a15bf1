/* SPDX-License-Identifier: MIT */
/* The command line and --help from a table of options. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "tests/scratch.h"
#include "tests/unit/run_suite.h"

struct values {
	const char *output;
	bool force, far;
	uint64_t from, to;
	unsigned kind;
};

#define AT(member) offsetof(struct values, member)

static const struct command_option table[] = {
	{ "output", 'o', "FILE",
	  "a text of so many words that they do not fit one line behind the head", option_text,
	  AT(output) },
	{ "force", 'f', NULL, "a flag", option_flag, AT(force) },
	{ "from", 0, "N", "", option_count, AT(from) },
	{ "to", 't', "N", "two on a line", option_positive, AT(to) },
	{ "kind-with-a-long-name", 0, "one|two|three", "behind a wide head", option_choice,
	  AT(kind) },
	{ "far", 0, "near|far", NULL, option_second, AT(far) },
	COMMAND_OPTIONS,
};
static const struct command_option more[] = {
	{ "beyond", 0, "N", NULL, option_count, AT(to) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};
static struct command command = {
	.name = "trace-x",
	.usage = "[options] TRACE\n--list\n",
	.summary = "Do something.",
	.options = table,
	.more_options = more,
	.notes = "A note.",
	.example = "trace-x y.trace",
};

/* The output and the messages of the last command line. */
static char printed[4096], message[1024];

static void read_stream(FILE *file, char *text, size_t size)
{
	rewind(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Parses words separated by blanks. Each test runs in a process of its own. */
static int parse(struct values *values, const char *line)
{
	static char words[256];
	char *argv[16] = { "trace-x" };
	FILE *out = scratch_stream(), *errors = scratch_stream();
	int argc = 1, status;

	strcpy(words, line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	*values = (struct values){ 0 };
	command_init(command.name);
	ck_assert_int_ge(dup2(fileno(out), STDOUT_FILENO), 0);
	ck_assert_int_ge(dup2(fileno(errors), STDERR_FILENO), 0);
	optind = 0;
	status = command_parse(&command, values, argc, argv);
	fflush(stdout);
	read_stream(out, printed, sizeof(printed));
	read_stream(errors, message, sizeof(message));
	return status;
}

START_TEST(values_of_options)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "-f -ofile --from 2k -t3 --kind-with=two --far=far x y"),
			 OPTION_DONE);
	ck_assert_str_eq(v.output, "file");
	ck_assert(v.force && v.far);
	ck_assert_uint_eq(v.from, 2000);
	ck_assert_uint_eq(v.to, 3);
	ck_assert_uint_eq(v.kind, 1);
	ck_assert_int_eq(optind, 8);
	ck_assert_int_eq(parse(&v, "x --beyond=5"), OPTION_DONE);
	ck_assert_uint_eq(v.to, 5);
}
END_TEST

START_TEST(options_end)
{
	struct values v;

	command.operand_ends_options = true;
	ck_assert_int_eq(parse(&v, "-f x -o y"), OPTION_DONE);
	ck_assert(v.force);
	ck_assert_ptr_null(v.output);
	ck_assert_int_eq(optind, 2);
}
END_TEST

START_TEST(one_dash)
{
	struct values v;

	command.one_dash = true;
	ck_assert_int_eq(parse(&v, "-from 4 -to=5"), OPTION_DONE);
	ck_assert_uint_eq(v.from, 4);
	ck_assert_uint_eq(v.to, 5);
	ck_assert_int_eq(parse(&v, "-from x"), EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(message, "error: -from x: not a count"));
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "--nothing", "unknown option '--nothing'" },
		{ "-z", "unknown option '-z'" },
		{ "--force=1", "option '--force=1' takes no value" },
		{ "--help=1", "option '--help=1' takes no value" },
		{ "-o", "option '-o' needs a value" },
		{ "--output=", "option '--output' needs a value" },
		{ "--from=x", "--from=x: not a count such as" },
		{ "-t0", "--to=0: must be at least 1" },
		{ "--kind-with=four", "four: one of one, two and three is expected" },
		{ "--far=so", "--far=so: near or far is expected" },
	};
	struct values v;

	ck_assert_int_eq(parse(&v, cases[_i].line), EXIT_USAGE);
	ck_assert_msg(strstr(message, cases[_i].says), "%s", message);
	ck_assert_ptr_nonnull(strstr(message, "\nTry 'trace-x --help'.\n"));
	ck_assert_str_eq(printed, "");
}
END_TEST

static const char help_text[] =
	"Usage: trace-x [options] TRACE\n"
	"       trace-x --list\n"
	"Do something.\n"
	"\n"
	"  -o, --output=FILE         a text of so many words that they do not fit one\n"
	"                            line behind the head\n"
	"  -f, --force               a flag\n"
	"      --from=N, -t, --to=N  two on a line\n"
	"      --kind-with-a-long-name=one|two|three  behind a wide head\n"
	"  -h, --help                show this help\n"
	"  -V, --version             show versions\n"
	"  and, see the manual, --far\n"
	"\n"
	"A note.\n"
	"\n"
	"Example: trace-x y.trace\n";

START_TEST(help)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "--help --nothing"), EXIT_DONE);
	ck_assert_str_eq(printed, help_text);
}
END_TEST

/* A help of more than 24 lines has no empty ones. */
START_TEST(long_help)
{
	struct values v;

	command.notes = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10";
	ck_assert_int_eq(parse(&v, "-h"), EXIT_DONE);
	ck_assert_ptr_null(strstr(printed, "\n\n"));
	ck_assert_ptr_nonnull(strstr(printed, "--far\n1\n2\n"));
}
END_TEST

START_TEST(table_for_manuals)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "--help=table"), EXIT_DONE);
	ck_assert_str_eq(printed, "o\toutput\tFILE\t\n"
				  "f\tforce\t\t\n"
				  "\tfrom\tN\t\n"
				  "t\tto\tN\t\n"
				  "\tkind-with-a-long-name\tone|two|three\t\n"
				  "\tfar\tnear|far\t\n"
				  "h\thelp\t\t\n"
				  "V\tversion\t\t\n"
				  "\tbeyond\tN\thidden\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("command-line");
	TCase *tests = tcase_create("options");

	tcase_add_test(tests, values_of_options);
	tcase_add_test(tests, options_end);
	tcase_add_test(tests, one_dash);
	tcase_add_loop_test(tests, refused, 0, 10);
	tcase_add_test(tests, help);
	tcase_add_test(tests, long_help);
	tcase_add_test(tests, table_for_manuals);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
