/* SPDX-License-Identifier: MIT */
/* Text and numbers in a page of HTML. Bytes from a trace or a source file are untrusted. */
#ifndef SLO_HTML_TEXT_H
#define SLO_HTML_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes s as text or within a quoted attribute, on one line; see escape_text. */
void html_put(FILE *out, const char *s);

/* Writes a line of source code of so many bytes, the first MOST_CODE of them; tabs stay tabs. */
enum { MOST_CODE = 1000 };
void html_put_code(FILE *out, const char *line, size_t length);

/* Writes JSON text into a script element: a "<" in its strings, as of "</script", is escaped. */
void html_put_json_text(FILE *out, const char *text);

/* Writes "1,234". */
void html_put_count(FILE *out, uint64_t count);

/* Writes "1,234.5". */
void html_put_tenths(FILE *out, double value);

/* Writes "32 KiB" or "1,000 bytes". */
void html_put_size(FILE *out, uint64_t bytes);

/* Writes "12.3", or "<0.1" for a small part that is not 0. */
void html_put_percent(FILE *out, double part, double whole);

#endif
