/* SPDX-License-Identifier: MIT */
/* The page for a browser: the assembled files of cli/report/page, and the document as data. */
#ifndef REPORT_WRITE_PAGE_H
#define REPORT_WRITE_PAGE_H

#include <jansson.h>
#include <stdio.h>

/*
 * Writes the page with a document in it. Nothing in the document can end the element that has it:
 * the characters <, > and & are escaped. The caller checks the stream for errors.
 */
void write_page(FILE *out, const json_t *document);

/* Returns the bytes that the page takes without a document. */
size_t page_size(void);

#endif
