/* SPDX-License-Identifier: MIT */
/* The heap of a recorder, whose first touch of each page would take a tenth of the time of a short
 * recording. */
#ifndef HEAP_H
#define HEAP_H

/*
 * Lets malloc use huge pages, and one heap for all threads: its other heaps grow by single pages.
 * Call the function before there are threads. Nothing changes if the kernel has no huge pages, or
 * the process may not have so large a heap.
 */
void heap_use_huge_pages(void);

#endif
