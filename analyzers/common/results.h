/* SPDX-License-Identifier: MIT */
/*
 * The destination of a result: standard output, the file of --output, a file for each table in the
 * folder of --output, or the two files of --results.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <jansson.h>
#include <stdio.h>

#include "analyzers/common/options.h"
#include "cli/common/command.h"

struct results {
	const struct settings *settings;
	FILE *out;                     /* NULL: a new file, which results_write creates */
	struct unfinished *unfinished; /* from results_write to results_close */
};

/*
 * Returns true if the output is a folder, which receives a CSV file for each table: the format is
 * CSV, and the name ends with a slash or is that of a folder.
 */
bool results_is_folder(const struct settings *settings);

/*
 * Opens the output before the work, so that a wrong name is known at once. A file keeps what it
 * holds until results_write; there is no new one before that, and none if the work fails. Returns
 * 0, or EXIT_FAILED after a message.
 */
int results_open(struct results *results, const struct settings *settings);

/* Writes the report in place of what the output holds. Returns 0, or EXIT_FAILED
 * after a message. */
int results_write(struct results *results, struct report *report);

/*
 * Write JSON, which they free: in place of what the output holds; or, with --results, to
 * NAME.report.json. Return as results_write().
 */
int results_write_json(struct results *results, json_t *json);
int results_save_json(const struct results *results, json_t *json);

/* Closes the output. Returns 0, or EXIT_FAILED after a message if anything written was lost; the
 * file is then removed. */
int results_close(struct results *results);

#endif
