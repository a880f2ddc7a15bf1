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

/* Sets a lane; all are written, for reading four that were written one by one would take long. */
LANES_INLINE void lanes_set(lanes *to, unsigned lane, int64_t value)
{
	static const lanes only[LANES] = { { -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 },
					   { 0, 0, 0, -1 } };
	lanes all = { value, value, value, value };

	*to = (*to & ~only[lane]) | (all & only[lane]);
}

#endif
