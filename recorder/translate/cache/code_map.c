/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/code_map.h"

#include <stdlib.h>

enum relation { APART, WITHIN, AGAINST };

static enum relation relation(const struct code_range *r, const struct mapping *m)
{
	if (m->end <= r->start || m->start >= r->end)
		return APART;
	if (m->module != r->module || m->bias != r->bias)
		return AGAINST;
	return m->start >= r->start && m->end <= r->end ? WITHIN : APART;
}

/* Returns the mapping's relation to the ranges: AGAINST if any range contradicts it. */
static enum relation look(const struct code_map *map, const struct mapping *m)
{
	enum relation found = APART;

	for (size_t i = 0; i < map->ranges.count && found != AGAINST; i++) {
		enum relation is = relation(&map->ranges.at[i], m);

		if (is != APART)
			found = is;
	}
	return found;
}

bool code_map_has(const struct code_map *map, const struct space *space)
{
	for (size_t i = 0; i < space->count; i++)
		if (space_is_stable(&space->mappings[i]) &&
		    look(map, &space->mappings[i]) != WITHIN)
			return false;
	return map->ranges.count;
}

static bool add(struct code_map *map, const struct mapping *m)
{
	if (!RESERVE(map->ranges, map->ranges.count + 1))
		return false;
	map->ranges.at[map->ranges.count++] = (struct code_range){ m->start, m->end, m->bias,
								   m->module };
	return true;
}

bool code_map_add(struct code_map *map, const struct space *space)
{
	for (size_t i = 0; i < space->count; i++) {
		const struct mapping *m = &space->mappings[i];
		enum relation is = space_is_stable(m) ? look(map, m) : WITHIN;

		if (is == AGAINST || (is == APART && !add(map, m)))
			return false;
	}
	return true;
}

const struct code_range *code_map_find(const struct code_map *map, uint64_t address)
{
	for (size_t i = 0; i < map->ranges.count; i++)
		if (address - map->ranges.at[i].start <
		    map->ranges.at[i].end - map->ranges.at[i].start)
			return &map->ranges.at[i];
	return NULL;
}

void code_map_clear(struct code_map *map)
{
	free(map->ranges.at);
	*map = (struct code_map){ 0 };
}
