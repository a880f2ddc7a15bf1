/* SPDX-License-Identifier: MIT */
/* Four clocks at a time, of as many windows. */
#ifndef MICA_LANES_H
#define MICA_LANES_H

#include <stdint.h>

enum { LANES = 4 };

typedef int64_t lanes __attribute__((vector_size(8 * LANES)));

/* For what is compiled into one function for AVX2 and into another one for processors without. */
#define LANES_INLINE static inline __attribute__((always_inline))

/* Raises *to, lane by lane, to what *least has at least. */
LANES_INLINE void lanes_raise(lanes *to, const lanes *least)
{
	lanes more = *to > *least;

	*to = (*to & more) | (*least & ~more);
}

#endif
