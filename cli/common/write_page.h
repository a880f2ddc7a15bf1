/* SPDX-License-Identifier: MIT */
/* Pages for a browser: the assembled files of cli/report/page, and a document as data. */
#ifndef WRITE_PAGE_H
#define WRITE_PAGE_H

#include <jansson.h>
#include <stdio.h>

/*
 * Writes the page with a document in it. Nothing in the document can end the element that has it:
 * the characters <, > and & are escaped. The caller checks the stream for errors.
 */
void write_page(FILE *out, const json_t *document);

/* Returns the bytes that a document takes in a page; and those that the rest of the page takes. */
size_t document_size(const json_t *document);
size_t page_size(void);

#endif
