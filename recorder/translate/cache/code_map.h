/* SPDX-License-Identifier: MIT */
/*
 * Maps the address spaces of a cache to the files whose stable code they hold. Spaces may map
 * different files, but not at the same address.
 */
#ifndef CODE_MAP_H
#define CODE_MAP_H

#include "recorder/program/space.h"
#include "traceformat/common/array.h"

/* A zeroed map is empty. */
struct code_range {
	uint64_t start, end, bias;
	const struct module *module;
};
struct code_map {
	ARRAY(struct code_range) ranges;
};

/* Returns true if the map has all of the space's stable code. */
bool code_map_has(const struct code_map *map, const struct space *space);

/*
 * Adds the space's stable code. Returns false if an address holds other code, or if memory is out.
 */
bool code_map_add(struct code_map *map, const struct space *space);

/* Returns the range that has an address, or NULL. */
const struct code_range *code_map_find(const struct code_map *map, uint64_t address);

void code_map_clear(struct code_map *map);

#endif
