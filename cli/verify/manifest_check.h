/* SPDX-License-Identifier: MIT */
/* Compares the files of a folder with the manifest that came with the files. */
#ifndef MANIFEST_CHECK_H
#define MANIFEST_CHECK_H

#include "cli/common/tracereport.h"

/*
 * Compares all files in the folder of a manifest, as `trace-info --manifest` prints one in JSON,
 * with the manifest. Names each file that is missing, truncated, changed or not in the manifest.
 * report: receives a table of the files; NULL: none. Returns an exit code.
 */
int manifest_check(const char *path, struct report *report);

#endif
