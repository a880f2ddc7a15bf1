/* SPDX-License-Identifier: MIT */
/* Large arrays, zero at first, that take memory only where they have been written. */
#ifndef ZERO_PAGES_H
#define ZERO_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* An array of several that have the same number of elements; `element`: bytes of each element. */
struct zero_array {
	void **pages; /* *pages is NULL as long as there are none */
	size_t element;
};

/*
 * Extends all n arrays from `from` to `to` elements. Returns false if memory is out; the arrays are
 * then unchanged.
 */
bool zero_arrays_extend(const struct zero_array *arrays, unsigned n, size_t from, size_t to);

/* Zeroes the array again, and returns the memory of a large one to the system. */
void zero_pages_reset(void *pages, size_t size);

void zero_pages_free(void *pages, size_t size);

#endif
