/* SPDX-License-Identifier: MIT */
/* Finds the units of an address map, and gives them their new places. */
#ifndef UNITS_H
#define UNITS_H

#include "cli/anonymise/address_map.h"

/* Sets map->units, which are not yet placed. Sorts the ranges. */
void units_find(struct address_map *map, struct ranges *ranges, uint64_t glue);

/*
 * Places the units that have no place, and sets map->pieces. Returns an exit code, after a message.
 */
int units_place(struct address_map *map, const struct ranges *ranges,
		const struct map_options *options, const struct keys *keys);

#endif
