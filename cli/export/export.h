/* SPDX-License-Identifier: MIT */
/*
 * Writes threads of a trace in another tool's format, and what the format has no room for beside
 * it.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "cli/export/export_request.h"

/*
 * Writes the files, and a note OUT.json beside each; prints a summary to stdout. Returns an exit
 * code, after a message if something failed.
 */
int export_trace(const struct export_request *request);

#endif
