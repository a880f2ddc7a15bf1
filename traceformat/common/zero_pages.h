/* SPDX-License-Identifier: MIT */
/* Large arrays, zero at first, that take memory only where they have been written. */
#ifndef ZERO_PAGES_H
#define ZERO_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Makes *pages (NULL: none yet) longer, from so many bytes to so many. False: memory is out. */
bool zero_pages_extend(void **pages, size_t from, size_t to);

/* Makes them zero again, and gives the memory of large ones back. */
void zero_pages_reset(void *pages, size_t size);

void zero_pages_free(void *pages, size_t size);

#endif
