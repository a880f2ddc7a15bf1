/* SPDX-License-Identifier: MIT */
/* Stores under way, and the loads that get their data from them. */
#ifndef IBS_FORWARDING_H
#define IBS_FORWARDING_H

#include "analyzers/ibs/model/machine.h"
#include "analyzers/locality/accesses.h"

enum { STORE_GRANULES = 512, FORWARDING_GRANULE = 8 /* bytes */ };

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

/* The same, without a call where no store is known to the only 8 bytes that it is about. */
static inline uint64_t forwarding_find(const struct forwarding *forwarding,
				       const struct access *access, uint64_t issued)
{
	uint64_t granule = access->address / FORWARDING_GRANULE;

	if ((access->address + access->size - 1) / FORWARDING_GRANULE == granule &&
	    forwarding->stored[granule % STORE_GRANULES].granule != granule + 1)
		return 0;
	return forwarding_load(forwarding, access, issued);
}

#endif
