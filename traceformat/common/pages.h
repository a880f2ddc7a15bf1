/* SPDX-License-Identifier: MIT */
/* Zeroed memory in whole pages: such that is used soon, and arrays that are used here and there. */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory that will soon be used as a whole -------------------------------------------- */

/*
 * The first touch of a page is an exception, which takes longer on a virtual machine than
 * translating a superblock. These functions provide all pages at once, or huge pages.
 */

/* Returns zeroed memory, or NULL if memory is out. Free it with pages_free(). */
void *pages_new(size_t size);

/*
 * Provides the pages of a mapping of `size` bytes that is filled from its beginning on: the `used`
 * bytes and some pages behind them. *ready: bytes that have been provided so far.
 */
void pages_provide(uint8_t *mapping, size_t size, size_t used, size_t *ready);

/* Frees the pages of pages_new() or of an array; NULL is allowed. */
void pages_free(void *pages, size_t size);

/* ---- arrays that take memory only where they have been written ---------------------------- */

/* An array of several that have the same number of elements; `element`: bytes of each element. */
struct page_array {
	void **pages; /* *pages is NULL as long as there are none */
	size_t element;
};

/*
 * Extends all n arrays from `from` to `to` elements, which are zeroed. Returns false if memory is
 * out; the arrays are then unchanged.
 */
bool page_arrays_extend(const struct page_array *arrays, unsigned n, size_t from, size_t to);

/* Zeroes an array of `size` bytes, and returns the memory of a large one to the system. */
void pages_reset(void *pages, size_t size);

#endif
