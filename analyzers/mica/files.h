/* SPDX-License-Identifier: MIT */
/* MICA's output files: their names, and their lines byte for byte. */
#ifndef MICA_FILES_H
#define MICA_FILES_H

#include <stdio.h>

#include "analyzers/mica/run.h"

/* Versions of MICA. */
enum mica_dialect {
	MICA_CHERAMY, /* github.com/MaximeCheramy/MICA, master2 */
	MICA_040,     /* v0.40 as of its last commit */
	MICA_040REL,  /* v0.40 as released */
	MICA_BOEGEL,  /* github.com/boegel/MICA, v1.0 */
};

/* Parses "cheramy", "0.40", "0.40rel" or "boegel". */
bool mica_parse_dialect(const char *text, enum mica_dialect *dialect);

/* How a file's lines begin and end. */
enum mica_layout {
	MICA_ILP, /* true length of the interval, cycles */
	MICA_ILP_ONE,
	MICA_ITYPES,
	MICA_COUNTED, /* nominal length of the interval, numbers: ppm, reg */
	MICA_STRIDE,  /* only numbers */
	MICA_FOOTPRINT,
	MICA_STACK,      /* only numbers: MICA's stack distances except the single ones */
	MICA_FULL_STACK, /* the single ones, in two lines */
	MICA_LINES, /* a summary of an interval; the lines before it are written by put_lines */
};

struct mica_form {
	enum mica_dialect dialect;
	enum mica_layout layout;
	uint64_t interval; /* instructions; 0 in full mode */
};

/* Returns "BASE_full_int_pin.out" or "BASE_phases_int_pin.out", with the pid if it is not 0. */
const char *mica_file_name(const char *base, enum mica_dialect dialect, bool full, unsigned pid,
			   char *name, size_t size);

/* Writes a line, and after the last one the text that ends the file. */
void mica_write_line(FILE *file, const struct mica_form *form, const struct mica_line *line);

#endif
