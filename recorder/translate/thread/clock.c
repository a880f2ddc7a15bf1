/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/clock.h"

#include <time.h>
#include <x86intrin.h>

struct moment clock_moment(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct moment){ .ticks = __rdtsc(),
				.ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec };
}

uint64_t clock_ns(const struct clock_span *span, uint64_t ticks)
{
	const struct moment *begin = &span->begin, *end = &span->end;
	double part;

	if (ticks <= begin->ticks || end->ticks <= begin->ticks)
		return begin->ns;
	if (ticks >= end->ticks)
		return end->ns;
	part = (double)(ticks - begin->ticks) / (double)(end->ticks - begin->ticks);
	return begin->ns + (uint64_t)(part * (double)(end->ns - begin->ns));
}
