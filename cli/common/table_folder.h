/* SPDX-License-Identifier: MIT */
/* Folders that receive the tables of a report, a CSV file NAME.csv for each. */
#ifndef TABLE_FOLDER_H
#define TABLE_FOLDER_H

#include <stdbool.h>

#include "cli/common/tracereport.h"

/* Returns true for a name that ends with a slash, and for a folder that exists; not for NULL. */
bool names_folder(const char *path);

/* Makes a folder if there is none. Returns 0, or EXIT_FAILED after a message. */
int make_folder(const char *path);

/* Writes each table of the report to a file of the folder. Returns 0, or EXIT_FAILED after a
 * message. */
int save_tables(const struct report *report, const char *folder);

/* Says that a folder needs --format=csv. Returns EXIT_USAGE. */
int refuse_folder(const char *path);

#endif
