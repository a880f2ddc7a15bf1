/* SPDX-License-Identifier: MIT */
/* Values by addresses in the program. */
#ifndef PC_MAP_H
#define PC_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct pc_map_slot {
	uint64_t pc;	/* 0: it is free */
	uint64_t value;
};

/* Zeroed it is empty. */
struct pc_map {
	struct pc_map_slot *slots;
	uint32_t n_slots, count;
};

/* Returns the value at pc; NULL: it has none. Valid until the next pc_map_reserve. */
const uint64_t *pc_map_find(const struct pc_map *map, uint64_t pc);

/* Makes room for so many more. False: there is no memory. */
bool pc_map_reserve(struct pc_map *map, uint32_t count);

/* Sets the value at a pc that is not 0. There must be room, if it has none yet. */
void pc_map_set(struct pc_map *map, uint64_t pc, uint64_t value);

/* Makes it empty. */
void pc_map_clear(struct pc_map *map);

#endif
