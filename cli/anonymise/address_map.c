/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/address_map.h"

#include "cli/common/checked.h"
#include "traceformat/common/sorted.h"

#define MOST_PAGES (UINT64_C(1) << 46)

void address_map_free(struct address_map *map)
{
	free(map->pieces.at);
	free(map->known.at);
	free(map->units.at);
	*map = (struct address_map){ 0 };
}

const struct piece *map_piece(const struct address_map *map, uint64_t page)
{
	size_t i = PARTITION_POINT(map->pieces.at, map->pieces.count, p, p->last < page);

	return i < map->pieces.count && map->pieces.at[i].first <= page ? &map->pieces.at[i] : NULL;
}

uint64_t unit_room(const struct address_map *map, const struct unit *unit)
{
	uint64_t pages = unit->last - unit->first + 1;
	unsigned bits = map->leaves_room && unit->is_data ? map->colour_bits : 0;

	return pages <= MOST_PAGES >> bits ? pages << bits : MOST_PAGES;
}

const struct unit *map_unit_from(const struct address_map *map, uint64_t page)
{
	size_t i = PARTITION_POINT(map->units.at, map->units.count, unit, unit->last < page);

	return i < map->units.count ? &map->units.at[i] : NULL;
}

static bool is_fixed(uint64_t page)
{
	return page < FIXED_PAGES || page == VSYSCALL_PAGE;
}

void map_lookup_begin(struct map_lookup *l, const struct address_map *map)
{
	memset(l, 0, sizeof(*l));
	l->map = map;
}

uint64_t map_address_slowly(struct map_lookup *l, uint64_t address)
{
	uint64_t page = address >> PAGE_BITS, delta = 0;

	if (!l->map->identity && !is_fixed(page)) {
		const struct piece *piece = map_piece(l->map, page);

		if (!piece)
			return NO_UNIT + address % l->map->modulus;
		delta = piece->delta;
	}
	l->recent[page % RECENT_PAGES].page = page + 1;
	l->recent[page % RECENT_PAGES].delta = delta;
	return address + delta;
}

uint64_t map_unread(const struct address_map *map, uint64_t address)
{
	uint64_t page = address >> PAGE_BITS;
	const struct piece *piece;

	if (is_fixed(page))
		return address;
	piece = map_piece(map, page);
	return piece ? address + piece->delta : NO_UNIT;
}
