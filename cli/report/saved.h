/* SPDX-License-Identifier: MIT */
/* Results that trace-analyze --all has left in a folder. */
#ifndef REPORT_SAVED_H
#define REPORT_SAVED_H

#include <jansson.h>

/*
 * Returns the complete result of a command with these options, which have a blank before each: of
 * NAME.json without options, else of NAME.report.json. NULL: there is none.
 */
json_t *saved_result(const char *folder, const char *command, const char *options);

#endif
