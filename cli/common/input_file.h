/* SPDX-License-Identifier: MIT */
/* Files beside the trace that a user names: what they must be, opening them, their contents. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "traceformat/common/foreign.h"

/* Kinds that expect_file accepts; they can be combined. */
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
 * Checks the kind of a file by its first bytes. Returns false, after a message, if the file is a
 * folder, a named pipe, empty, or of a known kind that is not accepted. what: the expected kind,
 * for example "a machine file". Returns true for a file that cannot be opened, because its reader
 * reports the reason, and for "-", a pipe without a name, and devices, which are not read here.
 */
bool expect_file(const char *path, const char *what, int accepted);

/*
 * Opens a file for reading, behind the byte order mark of UTF-8 if the file has one. Returns NULL
 * with errno set on errors, and for a folder, which would seem to be an empty file.
 */
FILE *open_input(const char *path);

/* Skips the byte order mark of UTF-8 at the beginning of a file. Returns the file. */
FILE *skip_byte_order_mark(FILE *file);

/* The longest line, in bytes. A file may have no end. */
enum { LINE_LIMIT = 16 << 20 };

/*
 * Reads a line as getline does, but a carriage return, alone or before a line feed, ends a line,
 * too. The text ends with a line feed, except for a last line without one. A line has at most
 * LINE_LIMIT bytes, else errno is EOVERFLOW, and no zero byte, else errno is EILSEQ. Returns the
 * length, or -1 at the end (errno 0) and on an error. Ends the process if memory is out.
 */
ssize_t read_line(char **line, size_t *room, FILE *file);

/*
 * Returns why read_line has returned -1, as the end of a sentence whose subject is the file: "has a
 * line without end". Returns NULL at the end of the file.
 */
const char *read_line_fault(void);

/*
 * Returns the object in a file; NULL after a message if the file cannot be read or is something
 * else. kind: the expected kind, for example "a result in JSON, which ...".
 */
json_t *json_file_read(const char *path, const char *kind);

#endif
