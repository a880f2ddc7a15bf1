/* SPDX-License-Identifier: MIT */
/*
 * Converts the time stamps that translated code takes by the processor's counter into nanoseconds,
 * by interpolation between two moments of which both are known. The counter need not run evenly
 * over a longer time.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

struct moment {
	uint64_t ticks;
	uint64_t ns; /* CLOCK_MONOTONIC */
};

struct clock_span {
	struct moment begin, end;
};

struct moment clock_moment(void);

/* Returns nanoseconds (CLOCK_MONOTONIC). Ticks outside of the span, as of another processor, count
 * as its begin or end. */
uint64_t clock_ns(const struct clock_span *span, uint64_t ticks);

#endif
