/* SPDX-License-Identifier: MIT */
/*
 * Runs the commands on odd traces. They are looked for beside this test's folder, in ../bin; what
 * they should print in tests/cli/expected.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <jansson.h>

struct result {
	int status;
	char out[1 << 15], err[1 << 12];
};

/* The folder of the traces, where commands are run: good.trace, open.trace (not closed),
 * control.trace (without addresses), bad.trace (its first chunk damaged). */
void commands_begin(void);
void commands_end(void);
const char *commands_folder(void);

/* Where the programs of tests are, as edit_trace. */
const char *commands_tests(void);

/* Runs "trace-" command. */
const struct result *run_command(const char *command);

/* The same; its output must be JSON. */
json_t *run_json(const char *command);
json_int_t number(const json_t *object, const char *key);

/* Runs it and compares everything. */
void expect(const char *command, int status, const char *out, const char *err);
void expect_file(const char *command, const char *name);

void expect_in(const char *text, const char *part);

#endif
