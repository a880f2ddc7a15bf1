/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/forwarding.h"

enum { GRANULE = FORWARDING_GRANULE, MOST_GRANULES = 64 };

/* Returns the bytes of a granule that an access covers, one bit each. */
static uint8_t bytes_in(const struct access *access, uint64_t granule)
{
	uint64_t begin = granule * GRANULE, last = access->address + access->size - 1;
	uint8_t bytes = 0xff;

	if (access->address > begin)
		bytes &= 0xff << (access->address - begin);
	if (last / GRANULE == granule)
		bytes &= 0xff >> (GRANULE - 1 - last % GRANULE);
	return bytes;
}

/*
 * Returns the last granule of an access; the first one if the access wraps around the end of
 * memory.
 */
static uint64_t last_granule(const struct access *access)
{
	uint64_t first = access->address / GRANULE;
	uint64_t last = (access->address + access->size - 1) / GRANULE;

	if (last < first)
		return first;
	return last - first < MOST_GRANULES ? last : first + MOST_GRANULES - 1;
}

void forwarding_store_several(struct forwarding *f, const struct access *access, uint64_t completed,
			      uint64_t retired)
{
	uint64_t last = last_granule(access);

	for (uint64_t g = access->address / GRANULE; g <= last; g++)
		f->stored[g % STORE_GRANULES] = (struct stored){ g + 1, completed, retired,
								 bytes_in(access, g) };
}

uint64_t forwarding_load_several(const struct forwarding *f, const struct access *access,
				 uint64_t issued)
{
	uint64_t last = last_granule(access), known = 0;

	for (uint64_t g = access->address / GRANULE; g <= last; g++) {
		uint64_t at = forwarding_known_at(f, g, bytes_in(access, g), issued);

		if (known < at)
			known = at;
	}
	return known;
}
