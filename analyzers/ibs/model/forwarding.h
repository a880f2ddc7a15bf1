/* SPDX-License-Identifier: MIT */
/* Stores in flight, and the loads that get data from them. */
#ifndef IBS_FORWARDING_H
#define IBS_FORWARDING_H

#include "analyzers/ibs/model/machine.h"
#include "analyzers/locality/accesses.h"

enum { STORE_GRANULES = 512, FORWARDING_GRANULE = 8 /* bytes */ };

struct forwarding {
	const struct machine *machine;
	/*
	 * The last store to a granule of 8 bytes; of two granules that collide, one is forgotten.
	 */
	struct stored {
		uint64_t granule;            /* its address / 8, + 1; 0: none */
		uint64_t completed, retired; /* cycles */
		uint8_t bytes;               /* bit i: byte i was written */
	} stored[STORE_GRANULES];
};

/* Notes a store of more than eight aligned bytes. */
void forwarding_store_several(struct forwarding *forwarding, const struct access *access,
			      uint64_t completed, uint64_t retired);

/* Does what forwarding_load does, for a load of more than eight aligned bytes. */
uint64_t forwarding_load_several(const struct forwarding *forwarding, const struct access *access,
				 uint64_t issued);

/* Returns true if an access has only one granule, which *granule receives. */
static inline bool forwarding_is_single(const struct access *access, uint64_t *granule)
{
	*granule = access->address / FORWARDING_GRANULE;
	return (access->address + access->size - 1) / FORWARDING_GRANULE == *granule;
}

/* Returns the bytes of its only granule that an access covers, one bit each. */
static inline uint8_t forwarding_single_bytes(const struct access *access)
{
	return ((1u << access->size) - 1) << access->address % FORWARDING_GRANULE;
}

/* Notes a store. */
static inline void forwarding_store(struct forwarding *f, const struct access *access,
				    uint64_t completed, uint64_t retired)
{
	uint64_t granule;

	if (forwarding_is_single(access, &granule))
		f->stored[granule % STORE_GRANULES] = (struct stored){
			granule + 1,
			completed,
			retired,
			forwarding_single_bytes(access),
		};
	else
		forwarding_store_several(f, access, completed, retired);
}

/*
 * Returns the time at which a load that is issued at a cycle knows these bytes of a granule, as far
 * as a store under way writes them; 0: none does.
 */
static inline uint64_t forwarding_known_at(const struct forwarding *f, uint64_t granule,
					   uint8_t bytes, uint64_t issued)
{
	const struct stored *stored = &f->stored[granule % STORE_GRANULES];
	const struct machine *machine = f->machine;

	if (stored->granule != granule + 1 || stored->retired < issued || !(bytes & stored->bytes))
		return 0;
	if (bytes & ~stored->bytes)
		return stored->retired + machine->l1d_latency + machine->forward_penalty;
	return (stored->completed > issued ? stored->completed : issued) + machine->forward_latency;
}

/*
 * Returns when a load that is issued at a cycle has the bytes that stores under way write: not
 * before they are completed, and, if one store does not have all of them, retired. 0: there are
 * none.
 */
static inline uint64_t forwarding_load(const struct forwarding *f, const struct access *access,
				       uint64_t issued)
{
	uint64_t granule;

	if (forwarding_is_single(access, &granule))
		return forwarding_known_at(f, granule, forwarding_single_bytes(access), issued);
	return forwarding_load_several(f, access, issued);
}

#endif
