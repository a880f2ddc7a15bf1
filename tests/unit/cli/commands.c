/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/cli/odd_trace.h"

static char source[PATH_MAX]; /* its top: where tests are run from */
static char bin[PATH_MAX + 4], tests[PATH_MAX + 6];
static scratch_path folder;

static void read_all(const char *name, char *text, size_t size)
{
	FILE *file = fopen(name, "r");

	ck_assert_msg(file, "%s cannot be opened", name);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

const char *commands_tests(void)
{
	return tests;
}

const char *commands_folder(void)
{
	return folder;
}

const struct result *run_command(const char *command)
{
	static struct result result;
	char line[PATH_MAX + 1024];

	setenv("COMMANDS", bin, 1); /* whatever quotes the folder's name has */
	setenv("FOLDER", folder, 1);
	snprintf(line, sizeof(line), "PATH=$COMMANDS:$FOLDER:$PATH; { trace-%s; } >out 2>err",
		 command);
	int status = system(line);

	ck_assert(WIFEXITED(status));
	result.status = WEXITSTATUS(status);
	read_all("out", result.out, sizeof(result.out));
	read_all("err", result.err, sizeof(result.err));
	return &result;
}

/* Fails with the first line that differs. */
static void expect_lines(const char *text, const char *expected)
{
	for (int line = 1; *text || *expected; line++) {
		size_t length = strcspn(text, "\n"), expected_length = strcspn(expected, "\n");

		ck_assert_msg(length == expected_length && !memcmp(text, expected, length),
			      "line %d is '%.*s', not '%.*s'", line, (int)length, text,
			      (int)expected_length, expected);
		text += length + (text[length] == '\n');
		expected += expected_length + (expected[expected_length] == '\n');
	}
}

void expect(const char *command, int status, const char *out, const char *err)
{
	const struct result *result = run_command(command);

	ck_assert_msg(result->status == status, "%s: status %d, %s", command, result->status,
		      result->err);
	expect_lines(result->err, err);
	expect_lines(result->out, out);
}

void expect_saved(const char *command, const char *name)
{
	char path[2 * PATH_MAX], text[1 << 15];

	snprintf(path, sizeof(path), "%s/tests/cli/expected/%s", source, name);
	read_all(path, text, sizeof(text));
	expect(command, 0, text, "");
}

void expect_in(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

void commands_begin(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(bin, sizeof(bin), "%s/bin", self);
	snprintf(tests, sizeof(tests), "%s/tests", self);
	ck_assert_ptr_nonnull(getcwd(source, sizeof(source)));
	scratch_folder(folder, "commands");
	ck_assert_int_eq(chdir(folder), 0);
	odd_trace_write("good.trace", GOOD);
	odd_trace_write("open.trace", UNFINISHED);
	odd_trace_write("control.trace", WITHOUT_ADDRESSES);
	odd_trace_damage("bad.trace", "CHUNK", false);
}

void commands_end(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	setenv("FOLDER", folder, 1);
	ck_assert_int_eq(system("rm -r \"$FOLDER\""), 0);
}

json_t *run_json(const char *command)
{
	json_error_t json_error;
	json_t *root = json_loads(run_command(command)->out, 0, &json_error);

	ck_assert_msg(root, "%s: %s", command, json_error.text);
	return root;
}

json_int_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_integer(value), "%s", key);
	return json_integer_value(value);
}
