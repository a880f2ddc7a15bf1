/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory that will soon be used as a whole. The first touch of a page is an exception,
 * which takes longer on a virtual machine than translating a superblock. Here all pages are
 * provided at once, or as huge pages.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Returns NULL if memory is out. */
void *pages_new(size_t size);

/*
 * Provides the pages of a mapping of `size` bytes that is filled from its beginning on: the `used`
 * bytes and some pages behind them. *ready: bytes that have been provided so far.
 */
void pages_provide(uint8_t *mapping, size_t size, size_t used, size_t *ready);

/* Frees pages; NULL is allowed. */
void pages_free(void *pages, size_t size);

#endif
