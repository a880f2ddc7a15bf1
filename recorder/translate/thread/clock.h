/* SPDX-License-Identifier: MIT */
/*
 * When something happened that translated code has noted with the processor's time stamp counter:
 * its nanoseconds are found between two moments of which both are known. The counter need not run
 * evenly for longer than that.
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

/* Ticks before its begin or behind its end, as of another processor, are taken for these. */
uint64_t clock_ns(const struct clock_span *span, uint64_t ticks);

#endif
