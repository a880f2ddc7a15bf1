/* SPDX-License-Identifier: MIT */
/*
 * Runs the commands on odd traces. The commands are in ../bin, beside this test's folder; the
 * output that they should print is in tests/cli/expected.
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

/* Returns the folder of the tests' programs, such as edit_trace. */
const char *commands_tests(void);

/* Runs "trace-" and the command. */
const struct result *run_command(const char *command);

/* Runs "trace-" and the command, whose output must be JSON. Returns the parsed output. */
json_t *run_json(const char *command);
json_int_t number(const json_t *object, const char *key);

/* Run the command and compare its exit status, output and messages. */
void expect(const char *command, int status, const char *out, const char *err);
void expect_saved(const char *command, const char *name);

void expect_in(const char *text, const char *part);

#endif
