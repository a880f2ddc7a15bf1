/* SPDX-License-Identifier: MIT */
#ifndef MAKE_MAP_H
#define MAKE_MAP_H

#include "cli/anonymise/address_map.h"

/*
 * Makes the map, and reads and writes the file if there is one. Returns an exit code, after a
 * message.
 */
int address_map_make(struct address_map *map, struct ranges *ranges,
		     const struct map_options *options, const struct keys *keys);

#endif
