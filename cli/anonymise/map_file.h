/* SPDX-License-Identifier: MIT */
/*
 * The file of an address map, by which several traces of one program are mapped alike. It is a
 * secret: it undoes the mapping. Lines of text: a head, the granule, and for each unit its first
 * address, its end and its new first address, hexadecimal. The head of a map by pages also has the
 * number of color bits, "data" stands behind units of data, and lines that begin with "+" state
 * the same for the items of the unit before.
 */
#ifndef MAP_FILE_H
#define MAP_FILE_H

#include "cli/anonymise/address_map.h"

/*
 * Gives the units of the map the places that the file has for them, and adds the file's other
 * units. A file that does not exist has no units. Returns an exit code, after a message.
 */
int map_file_read(const char *path, struct address_map *map);

/* Writes all units. path must last. Returns an exit code, after a message. */
int map_file_write(const char *path, const struct address_map *map);

#endif
