/* SPDX-License-Identifier: MIT */
/* Reads facts from the document of a report: the results of its parts. */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include <jansson.h>
#include <stdint.h>

/* Returns the value at a place, such as "mix.symbols", of the results; NULL if there is none. */
const json_t *result_at(const json_t *document, const char *place);

/* Returns the number at a place of the results; 0 if there is none. */
uint64_t count_at(const json_t *document, const char *place);

/* Returns a row of a table of the results whose column is this text, or NULL. */
const json_t *row_with(const json_t *document, const char *table, const char *column,
		       const char *text);

/* Returns a number of a row; 0 if the row, which may be NULL, has none. */
uint64_t count_in(const json_t *row, const char *column);

/* Returns what `trace-info` says of the first trace. */
const json_t *first_trace(const json_t *document);

/* Returns a number of bytes as a person says it: "637 KiB". The caller frees it. */
char *spoken_bytes(uint64_t bytes);

#endif
