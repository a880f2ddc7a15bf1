/* SPDX-License-Identifier: MIT */
/*
 * Strings from a trace are untrusted bytes: they may hold terminal escapes, quotes, line breaks
 * and broken UTF-8. These make them fit for each output format. All end the process with a
 * message if memory is out.
 */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Decodes one UTF-8 character at s, a NUL-terminated string that is not at its end. Returns its
 * length in bytes and sets *code, or 0 if the bytes there are not UTF-8.
 */
size_t utf8_decode(const char *s, unsigned *code);

/* Returns the number of characters of a valid UTF-8 string. */
size_t utf8_length(const char *s);

/* Returns s as valid UTF-8: U+FFFD replaces each byte that is not. Free it. */
char *escape_utf8(const char *s);

/*
 * Returns s fit for a terminal, on one line: control and direction-changing characters become
 * \n, \t, \x1b, \u202e, and bytes that are not UTF-8 \xff. Backslashes stay. Free it.
 */
char *escape_text(const char *s);

/*
 * Writes s as a CSV field (RFC 4180), in quotes if it needs them, and always on one line: control
 * characters are escaped as by escape_text. A text that a spreadsheet would take for a formula, as
 * it begins with = + - or @ and is no number, gets an apostrophe before it.
 */
void put_csv(FILE *out, const char *s);

#endif
