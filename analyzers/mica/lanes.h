/* SPDX-License-Identifier: MIT */
/* Vectors of four clocks, one for each of four windows. */
#ifndef MICA_LANES_H
#define MICA_LANES_H

#include <stdint.h>

enum { LANES = 4 };

typedef int64_t lanes __attribute__((vector_size(8 * LANES)));

/* Marks functions that are inlined into one variant for AVX2 and one for processors without it. */
#define LANES_INLINE static inline __attribute__((always_inline))

/* Raises *to, lane by lane, to at least *least. */
LANES_INLINE void lanes_raise(lanes *to, const lanes *least)
{
	lanes more = *to > *least;

	*to = (*to & more) | (*least & ~more);
}

#endif
