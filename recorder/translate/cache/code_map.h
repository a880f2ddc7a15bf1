/* SPDX-License-Identifier: MIT */
/*
 * Which files' stable code stands where in the address spaces that use a cache: they may map
 * different files, but not at the same place.
 */
#ifndef CODE_MAP_H
#define CODE_MAP_H

#include "recorder/program/space.h"

/* Zeroed it is empty. */
struct code_map {
	struct code_range {
		uint64_t start, end, bias;
		const struct module *module;
	} * ranges;
	size_t count, room;
};

/* True if all of the space's stable code is there. */
bool code_map_has(const struct code_map *map, const struct space *space);

/* Adds the space's. False: something else is at one of these places, or memory is out. */
bool code_map_add(struct code_map *map, const struct space *space);

void code_map_clear(struct code_map *map);

#endif
