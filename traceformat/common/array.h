/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* A growing array; new elements are zeroed. */
/* clang-format off */
#define ARRAY(type) struct { type *at; size_t count, capacity; }
/* clang-format on */

/*
 * Makes room for `count` elements of `size` bytes, and for more so that adding elements one by one
 * takes linear time; false if memory is out.
 */
bool array_reserve(void *elements, size_t *capacity, size_t count, size_t size);
#define RESERVE(array, n) array_reserve(&(array).at, &(array).capacity, n, sizeof(*(array).at))

/* Makes room for `count` elements, and for no more: for the many small arrays of a large table. */
bool array_reserve_exactly(void *elements, size_t *capacity, size_t count, size_t size);
#define RESERVE_EXACTLY(array, n) \
	array_reserve_exactly(&(array).at, &(array).capacity, n, sizeof(*(array).at))

#endif
