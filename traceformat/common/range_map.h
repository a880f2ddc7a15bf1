/* SPDX-License-Identifier: MIT */
/* A map of address ranges that do not overlap, such as the mappings of a process. */
#ifndef RANGE_MAP_H
#define RANGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct range {
	uint64_t first, last; /* addresses, both inclusive; first <= last */
	const void *value;    /* the caller's */
};

/* A zeroed map is empty. Each function takes time proportional to the logarithm of the number of
 * ranges, plus that of removing each range that it removes. */
struct range_map {
	struct range_node *root;
};

/*
 * Maps the addresses of a range to its value. A range that reaches into it keeps its other parts.
 * Returns false if memory is out; the map may then have lost ranges.
 */
bool range_map_set(struct range_map *map, struct range range);

/* Removes the addresses first .. last. Returns false as range_map_set does. */
bool range_map_clear(struct range_map *map, uint64_t first, uint64_t last);

/*
 * Finds the lowest range that has an address or lies above it, or the highest that has it or lies
 * below it. Returns NULL if there is none. The range is valid until the map is changed, copied or
 * freed.
 */
const struct range *range_map_at_or_above(const struct range_map *map, uint64_t address);
const struct range *range_map_at_or_below(const struct range_map *map, uint64_t address);

/* Returns the range that has an address, or NULL; valid as above. */
const struct range *range_map_at(const struct range_map *map, uint64_t address);

/* Returns a copy, which takes no memory and constant time: the maps share what neither changes. */
struct range_map range_map_copy(const struct range_map *map);

/* Frees a map, which is then empty. */
void range_map_free(struct range_map *map);

#endif
