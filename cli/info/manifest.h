/* SPDX-License-Identifier: MIT */
/* The list of the files of a published set of traces, by which a receiver checks the set. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include "cli/common/tracereport.h"

/* Prints the manifest of one folder, or of files. Returns an exit code. */
int manifest_print(char **paths, int n, enum report_format format);

#endif
