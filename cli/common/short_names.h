/* SPDX-License-Identifier: MIT */
/* Names that are shortened to fit a column of text, and stay different. */
#ifndef SHORT_NAMES_H
#define SHORT_NAMES_H

#include <stddef.h>

enum { SHORTEST_NAME = 8 }; /* characters that a name keeps at least */

/*
 * Returns a name of at most `width` characters (SHORTEST_NAME, if that is more). Valid UTF-8 is
 * expected. Of a longer name, first the parameters become (...), then also the arguments of
 * templates <...>; then "..." takes the place of the middle. Blanks at the beginning, which
 * indent a name, stay as far as half of the width. The caller frees it.
 */
char *shorten_name(const char *name, size_t width);

/* Kinds of names. */
enum name_kind { NAMES_OF_ANYTHING, NAMES_OF_FUNCTIONS, CALL_PATHS };

/*
 * Shortens `count` names, which are replaced, to `width` characters: as shorten_name() does, but
 * functions and call paths first by brief_function() and brief_path(). Equal names stay equal, and
 * different names stay different: if they would become equal, numbers are added, as in
 * "copy(...)~2".
 */
void shorten_names(char **names, size_t count, size_t stride, size_t width, enum name_kind kind);

#endif
