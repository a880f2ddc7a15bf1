/* SPDX-License-Identifier: MIT */
/* Recognizes a file that is not of the expected kind. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stddef.h>

/* The number of bytes from the beginning of a file that suffice. */
enum { FOREIGN_BYTES = 64 };

enum foreign_kind {
	FOREIGN_UNKNOWN,
	FOREIGN_OTHER, /* than those below */
	FOREIGN_TRACE,
	FOREIGN_SHORT, /* recognized by three bytes or fewer, which a number may have as well */
	FOREIGN_COMPRESSED, /* in a way that commands which unpack their input read */
	FOREIGN_PLACES,     /* .pc */
	FOREIGN_VECTORS,
	FOREIGN_JSON,
	FOREIGN_REGIONS, /* CSV */
};

/*
 * Returns what a file is, by its first bytes, and which command reads it, as the end of a sentence
 * whose subject is the file: "is empty", "is a perf.data file; trace-import makes a trace of it".
 * Returns NULL if the kind is not known. If there are fewer bytes than FOREIGN_BYTES, they are the
 * whole file.
 */
const char *foreign_text(const void *bytes, size_t size);

/* Returns the text of foreign_text, and in *kind the kind of the file. */
const char *foreign_kind_text(const void *bytes, size_t size, enum foreign_kind *kind);

#endif
