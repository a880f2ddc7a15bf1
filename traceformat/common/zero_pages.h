/* SPDX-License-Identifier: MIT */
/* Large arrays, zero at first, that take memory only where they have been written. */
#ifndef ZERO_PAGES_H
#define ZERO_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* One of several arrays that have the same number of elements, of so many bytes. */
struct zero_array {
	void **pages; /* *pages is NULL as long as there are none */
	size_t element;
};

/* Gives all n arrays more elements, `to` in place of `from`. False: memory is out, and they are as
 * they were. */
bool zero_arrays_extend(const struct zero_array *arrays, unsigned n, size_t from, size_t to);

/* Makes them zero again, and gives the memory of large ones back. */
void zero_pages_reset(void *pages, size_t size);

void zero_pages_free(void *pages, size_t size);

#endif
