/* SPDX-License-Identifier: MIT */
/* Refusing a file that is plainly not what an option asks for. */
#ifndef EXPECT_FILE_H
#define EXPECT_FILE_H

#include <stdbool.h>

#include "traceformat/common/foreign.h"

/* Sets of kinds that expect_file accepts, joined by |. */
enum {
	ACCEPT_COMPRESSED = 1 << FOREIGN_COMPRESSED,
	ACCEPT_PLACES = 1 << FOREIGN_PLACES,
	ACCEPT_JSON = 1 << FOREIGN_JSON,
	ACCEPT_REGIONS = 1 << FOREIGN_REGIONS,
	/* Kinds whose first bytes a binary file of numbers may have. */
	ACCEPT_NUMBERS = 1 << FOREIGN_SHORT | ACCEPT_COMPRESSED | ACCEPT_PLACES |
			 1 << FOREIGN_VECTORS | ACCEPT_JSON,
};

/*
 * Returns false, after a message, if the file is a folder, a named pipe, empty, or of a known kind
 * that is not accepted. what: the kind that is meant, "a machine file". True of a file that cannot
 * be opened, whose reader says why; and of "-", of /dev/fd/N of a pipe and of devices, which are not read here.
 */
bool expect_file(const char *path, const char *what, int accepted);

#endif
