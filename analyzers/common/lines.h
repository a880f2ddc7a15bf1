/* SPDX-License-Identifier: MIT */
/*
 * Source lines of recorded code: from the DWARF information of a module's file, or of its separate
 * debug file, as far as these are on this computer and are the recorded ones (by build-id; by size
 * of modules that have none); a warning names a module without such a file once. Only one thread at
 * a time may use a struct lines.
 */
#ifndef LINES_H
#define LINES_H

#include "traceformat/traceformat.h"

struct lines;

struct source_line {
	const char *file;   /* as the compiler named it; valid until lines_close */
	const char *folder; /* where the compiler ran, as it named it; or NULL; the same */
	unsigned line;      /* from 1 */
	unsigned column;    /* from 1; 0: not known */
	uint32_t module;    /* index of the one that it is a line of */
};

/*
 * Opens the lines of a trace. The reader must be loaded and must outlive them. Ends the process if
 * memory is out.
 */
struct lines *lines_open(const struct tf_reader *reader);

/* Closes lines; NULL is allowed. */
void lines_close(struct lines *lines);

/* Finds the line of an ELF virtual address of a module. Returns false if it is not known. */
bool lines_find(struct lines *lines, uint32_t module, uint64_t module_offset,
		struct source_line *found);

#endif
