/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef VECTOR_H
#define VECTOR_H

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

/* clang-format off */
#define VECTOR(type) struct { type *at; size_t count; }
/* clang-format on */
#define PUSH(v, ...)                                                                             \
	do {                                                                                     \
		if (!((v)->count & ((v)->count - 1)))                                            \
			(v)->at = realloc((v)->at,                                               \
					  ((v)->count ? 2 * (v)->count : 1) * sizeof(*(v)->at)); \
		assert((v)->at);                                                                 \
		(v)->at[(v)->count++] = __VA_ARGS__;                                             \
	} while (0)

#endif
