/* SPDX-License-Identifier: MIT */
/*
 * The source files that a page may show, by their folders. Debug information names files, and a
 * trace names the file that has the debug information: without this restriction, a page that is
 * passed on could hold any file of the user who made it.
 */
#ifndef SLO_HTML_ROOTS_H
#define SLO_HTML_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/common/array.h"
#include "traceformat/traceformat.h"

struct html_roots {
	ARRAY(char *) folders; /* resolved paths */
	bool named;            /* the user has named folders: no others are added */
	uint32_t program;      /* index of the recorded program's own module, or TF_NONE */
	char *here;            /* the current folder, resolved; NULL: it has none */
};

/* Initializes roots without folders. */
void html_roots_init(struct html_roots *roots, struct tf_reader *reader);
void html_roots_free(struct html_roots *roots);

/* Adds a folder that the user names. Returns false, with errno, if it is not one. */
bool html_roots_add(struct html_roots *roots, const char *folder);

/* Adds the folder where a module was compiled, if it is the program's own and the folder is the
 * current one or below. */
void html_roots_learn(struct html_roots *roots, uint32_t module, const char *folder);

enum { MOST_SOURCE_BYTES = 4 << 20 };

/*
 * Reads a whole text file that a page may show. Returns its bytes, which the caller frees; or NULL,
 * and *why completes a sentence that begins with the path ("is larger than 4 MiB").
 */
char *html_read_source(const struct html_roots *roots, const char *path, size_t *size,
		       const char **why);

#endif
