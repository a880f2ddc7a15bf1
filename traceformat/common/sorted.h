/* SPDX-License-Identifier: MIT */
/* Searches in sorted arrays. */
#ifndef SORTED_H
#define SORTED_H

#include <stddef.h>

/*
 * Returns the index of the first of n elements that is not before a place, or n. All elements
 * before the place stand in front of all others. is_before is an expression of `element`, a
 * pointer:
 *
 *	PARTITION_POINT(runs->at, runs->count, run, run->last < page)
 *
 * Time O(log n).
 */
#define PARTITION_POINT(at, n, element, is_before)                     \
	({                                                             \
		size_t low_ = 0, high_ = (n);                          \
		while (low_ < high_) {                                 \
			size_t middle_ = low_ + (high_ - low_) / 2;    \
			const typeof(*(at)) *element = &(at)[middle_]; \
			if (is_before)                                 \
				low_ = middle_ + 1;                    \
			else                                           \
				high_ = middle_;                       \
		}                                                      \
		low_;                                                  \
	})

#endif
