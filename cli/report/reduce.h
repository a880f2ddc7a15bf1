/* SPDX-License-Identifier: MIT */
/* Makes the document of a report small: the page opens quickly, however long the trace is. */
#ifndef REPORT_REDUCE_H
#define REPORT_REDUCE_H

#include <jansson.h>
#include <stddef.h>

/*
 * Shortens long strings, tables and call trees in a document until its JSON has at most
 * `most_bytes` as write_page() writes it, or nothing is left to shorten. A table keeps its first
 * rows; a tree of call paths keeps those with the most instructions. "cut" of the document has the
 * former number of rows of each shortened table, by its place: "results.calls.call_paths".
 */
void reduce_document(json_t *document, size_t most_bytes);

#endif
