/* SPDX-License-Identifier: MIT */
/*
 * Routes: plain instructions that execute one after the other, up to an exit of one of the trace's
 * paths. Results that follow only from a route need not be computed each time that it executes.
 */
#ifndef MICA_ROUTE_H
#define MICA_ROUTE_H

#include <stddef.h>

#include "analyzers/mica/event.h"

/* A basic block of a route. */
struct mica_leg {
	const struct mica_insn *insns;
	uint32_t branch;      /* the conditional branch that ends it, or MICA_NO_BRANCH */
	uint16_t count;       /* instructions */
	uint16_t first_value; /* of its own among those of the route */
	bool taken;           /* the branch, if the route goes on behind it */
};

/* An access of a route's instruction. */
struct mica_access {
	uint32_t place;  /* of the instruction's pc */
	uint32_t size;   /* bytes */
	uint16_t value;  /* which of the values is its address */
	uint8_t operand; /* 0, 1: reads, MICA_WRITE */
};

struct mica_route {
	uint32_t number;
	uint16_t n_legs;
	uint16_t n_values; /* of an execution */
	bool taken;        /* the branch that ends it */
	uint32_t n_insns, n_accesses;
	const struct mica_leg *legs;
	const struct mica_access *accesses; /* in order */
};

/* An execution of a route. */
struct mica_stretch {
	const struct mica_route *route;
	const uint64_t *values; /* NULL: addresses are not known */
	uint64_t space;         /* to be added to addresses */
};

/* Returns how many of the route's accesses have addresses. */
static inline uint32_t mica_stretch_accesses(const struct mica_stretch *stretch)
{
	return stretch->values ? stretch->route->n_accesses : 0;
}

/* Returns true if the branch that ends a leg of the route is taken. */
static inline bool mica_leg_taken(const struct mica_route *route, unsigned leg)
{
	return leg + 1u < route->n_legs ? route->legs[leg].taken : route->taken;
}

/* Hands on the executions of a stretch one by one, in batches. */
void mica_unfold(const struct mica_stretch *stretch,
		 void (*consume)(void *opaque, const struct mica_event *events, size_t count),
		 void *opaque);

#endif
