/* SPDX-License-Identifier: MIT */
/* Stores under way, and the loads that get their data from them. */
#ifndef IBS_FORWARDING_H
#define IBS_FORWARDING_H

#include "analyzers/ibs/model/machine.h"
#include "analyzers/locality/accesses.h"

enum { STORE_GRANULES = 512 };

struct forwarding {
	const struct machine *machine;
	/* The last store to each 8 bytes; one of two that collide is forgotten. */
	struct stored {
		uint64_t granule;	/* its address / 8, + 1; 0: none */
		uint64_t completed, retired;	/* cycles */
		uint8_t bytes;		/* that it wrote, a bit each */
	} stored[STORE_GRANULES];
};

/* Notes a store. */
void forwarding_store(struct forwarding *forwarding, const struct access *access,
		      uint64_t completed, uint64_t retired);

/*
 * Returns when a load that is issued at a cycle has the bytes that stores under way write: not
 * before they are completed, and, if one store does not have all of them, retired. 0: there are
 * none.
 */
uint64_t forwarding_load(const struct forwarding *forwarding, const struct access *access,
			 uint64_t issued);

#endif
