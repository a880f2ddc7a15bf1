/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/route.h"

void mica_unfold(const struct mica_stretch *stretch,
		 void (*consume)(void *opaque, const struct mica_event *events, size_t count),
		 void *opaque)
{
	const struct mica_route *route = stretch->route;
	struct mica_event events[64];
	size_t n = 0;

	for (unsigned k = 0; k < route->n_legs; k++) {
		const struct mica_leg *leg = &route->legs[k];
		const uint64_t *values = stretch->values ? stretch->values + leg->first_value
							 : NULL;

		for (unsigned i = 0; i < leg->count; i++) {
			if (n == sizeof(events) / sizeof(events[0])) {
				consume(opaque, events, n);
				n = 0;
			}
			mica_plain_event(&events[n++], &leg->insns[i], values, stretch->space);
		}
		events[n - 1].taken = mica_leg_taken(route, k);
	}
	consume(opaque, events, n);
}
