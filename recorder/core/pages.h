/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory that is about to be used as a whole. That a page is first touched is an exception,
 * which on a virtual machine takes longer than translating a path: here all pages come at once, or
 * as huge ones.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stddef.h>
#include <stdint.h>

/* NULL: memory is out. */
void *pages_new(size_t size);

/*
 * The same for a mapping of `size` bytes that is filled from its beginning on: provides what is
 * used, and some pages behind it. *ready: bytes that have been provided.
 */
void pages_provide(uint8_t *mapping, size_t size, size_t used, size_t *ready);

/* NULL is allowed. */
void pages_free(void *pages, size_t size);

#endif
