/* SPDX-License-Identifier: MIT */
/* The sentence that says what a recorded program did. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <jansson.h>

/*
 * Returns a sentence from the results that a document has: the command, its instructions and
 * threads, the function with the most instructions, and the touched memory. The caller frees it.
 */
char *summary_of(const json_t *document);

#endif
