/* SPDX-License-Identifier: MIT */
/*
 * The function that maps the addresses of a trace. It moves units, ranges of pages within which
 * distances stay; or, within units of data, it moves single runs of pages.
 */
#ifndef ADDRESS_MAP_H
#define ADDRESS_MAP_H

#include "cli/anonymise/keys.h"
#include "cli/anonymise/page_set.h"

enum {
	FIXED_PAGES = 16, /* addresses below 64 KiB stay, so that null pointers do */
};
#define VSYSCALL_PAGE (UINT64_C(0xffffffffff600000) >> PAGE_BITS)
/* Where addresses in no unit are mapped to. */
#define NO_UNIT UINT64_C(0x600000000000)

/* Pages that move by one distance. */
struct piece {
	uint64_t first, last; /* pages */
	uint64_t delta;       /* bytes; new address - old address */
};

struct unit {
	uint64_t first, last; /* pages */
	uint64_t to;          /* its first new page */
	uint64_t pages;       /* it has so many afterwards */
	bool is_data;         /* no module and no code is in it */
};

struct address_map {
	ARRAY(struct piece) pieces; /* ascending */
	ARRAY(struct piece) known;  /* items that an earlier trace has placed, ascending */
	ARRAY(struct unit) units;   /* ascending by first */
	uint64_t granule, modulus;  /* bytes; modulus: offsets that addresses in no unit keep */
	bool identity;              /* addresses stay */
	bool by_pages;              /* within units of data, runs of pages move, */
	bool leaves_room;           /* and units have room for pages of later traces */
	unsigned colour_bits;       /* of page numbers, that pages keep */
};

/* The things of which units are made. */
struct ranges {
	const struct page_set *touched;
	page_runs fixed;   /* code and modules: their units are moved as a whole */
	page_runs mapped;  /* other mappings */
	page_runs modules; /* from a module's first page to its last: one unit */
};

struct map_options {
	uint64_t granule, glue; /* bytes */
	unsigned colour_bits;
	bool shuffle, by_pages, identity;
	const char *file; /* NULL: none */
};

void address_map_free(struct address_map *map);

/* A user of a map, with the places that it has used last. */
struct map_lookup {
	const struct address_map *map;
	struct {
		uint64_t page; /* 1 + a page, or 0 */
		uint64_t delta;
	} recent[RECENT_PAGES];
};

void map_lookup_begin(struct map_lookup *lookup, const struct address_map *map);
uint64_t map_address_slowly(struct map_lookup *lookup, uint64_t address);

/* Returns the new address of an address. */
static inline uint64_t map_address(struct map_lookup *l, uint64_t address)
{
	uint64_t page = address >> PAGE_BITS;

	return l->recent[page % RECENT_PAGES].page == page + 1
		       ? address + l->recent[page % RECENT_PAGES].delta
		       : map_address_slowly(l, address);
}

/*
 * Returns the new address of something that the program did not access: that of the address if it
 * is in a unit, else one that tells little about it.
 */
uint64_t map_unread(const struct address_map *map, uint64_t address);

/* Returns the piece that has a page, or NULL. */
const struct piece *map_piece(const struct address_map *map, uint64_t page);

/* Returns the pages that are reserved for a unit at its new place, at most 2^46. */
uint64_t unit_room(const struct address_map *map, const struct unit *unit);

/* Returns the first unit that ends at or behind a page, or NULL. */
const struct unit *map_unit_from(const struct address_map *map, uint64_t page);

#endif
