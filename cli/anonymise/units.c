/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/units.h"

#include <inttypes.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

#define FIRST_PLACE   UINT64_C(0x10000000)
#define END_OF_PLACES (UINT64_C(1) << 46)

/* ---- which pages are a unit -------------------------------------------------------------- */

static void append_runs(page_runs *to, const page_runs *from)
{
	CHECKED_RESERVE(*to, to->count + from->count);
	for (size_t i = 0; i < from->count; i++)
		to->at[to->count++] = from->at[i];
}

/* Removes the pages that stay where they are. */
static void remove_fixed(page_runs *runs)
{
	size_t n = 0, count = runs->count;

	CHECKED_RESERVE(*runs, 2 * count);
	for (size_t i = 0; i < count; i++) {
		struct page_run *run = &runs->at[i];

		if (run->first < FIXED_PAGES)
			run->first = FIXED_PAGES;
		if (run->first <= VSYSCALL_PAGE && run->last >= VSYSCALL_PAGE) {
			if (run->last > VSYSCALL_PAGE)
				runs->at[runs->count++] = (struct page_run){ VSYSCALL_PAGE + 1,
									     run->last };
			run->last = VSYSCALL_PAGE - 1;
		}
	}
	for (size_t i = 0; i < runs->count; i++)
		if (runs->at[i].first <= runs->at[i].last)
			runs->at[n++] = runs->at[i];
	runs->count = n;
}

/* Joins runs with at most so many pages between them. */
static void join_near(page_runs *runs, uint64_t pages)
{
	size_t n = 0;

	for (size_t i = 1; i < runs->count; i++)
		if (runs->at[i].first - runs->at[n].last - 1 <= pages &&
		    !(runs->at[n].last < VSYSCALL_PAGE && runs->at[i].first > VSYSCALL_PAGE))
			runs->at[n].last = runs->at[i].last;
		else
			runs->at[++n] = runs->at[i];
	runs->count = runs->count ? n + 1 : 0;
}

/* Returns the number of the first run that ends at or behind a page. */
static size_t first_from(const page_runs *runs, uint64_t page)
{
	size_t low = 0, high = runs->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (runs->at[middle].last < page)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool any_in(const page_runs *runs, const struct unit *unit)
{
	size_t i = first_from(runs, unit->first);

	return i < runs->count && runs->at[i].first <= unit->last;
}

void units_find(struct address_map *map, struct ranges *ranges, uint64_t glue)
{
	page_runs all = { 0 };

	page_set_runs(ranges->touched, &all);
	append_runs(&all, &ranges->fixed);
	append_runs(&all, &ranges->mapped);
	remove_fixed(&all);
	page_runs_sort(&all);
	join_near(&all, glue >> PAGE_BITS);
	append_runs(&all, &ranges->modules);
	remove_fixed(&all);
	page_runs_sort(&all);
	join_near(&all, glue >> PAGE_BITS);
	page_runs_sort(&ranges->fixed);
	CHECKED_RESERVE(map->units, all.count);
	for (size_t i = 0; i < all.count; i++) {
		struct unit *unit = &map->units.at[map->units.count++];

		*unit = (struct unit){ .first = all.at[i].first, .last = all.at[i].last };
		unit->is_data = !any_in(&ranges->fixed, unit);
	}
	free(all.at);
}

/* ---- their places ------------------------------------------------------------------------ */

/* Something to be placed, with its rank among the others. */
struct placed {
	uint64_t first, last, rank;
	size_t unit;
};
typedef ARRAY(struct placed) placed_list;

static int compare_ranks(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void add_piece(struct address_map *map, uint64_t first, uint64_t last, uint64_t to)
{
	CHECKED_RESERVE(map->pieces, map->pieces.count + 1);
	map->pieces.at[map->pieces.count++] = (struct piece){ first, last,
							      (to - first) << PAGE_BITS };
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Returns the least number from `least` on that is congruent to `like`. */
static uint64_t next_like(uint64_t least, uint64_t like, uint64_t modulus)
{
	return least + ((like - least) & (modulus - 1));
}

/* Lists the runs of touched pages in a unit, in the order in which they are placed. */
static void list_items(const page_runs *touched, const struct unit *unit, const struct keys *keys,
		       placed_list *items)
{
	items->count = 0;
	for (size_t i = first_from(touched, unit->first);
	     i < touched->count && touched->at[i].first <= unit->last; i++) {
		struct page_run run = touched->at[i];

		run.first = run.first < unit->first ? unit->first : run.first;
		run.last = run.last > unit->last ? unit->last : run.last;
		CHECKED_RESERVE(*items, items->count + 1);
		items->at[items->count++] = (struct placed){ .first = run.first,
							     .last = run.last,
							     .rank = keys_order(keys, run.first) };
	}
	if (items->count)
		qsort(items->at, items->count, sizeof(*items->at), compare_ranks);
}

/* Places the runs of a unit one behind the other. Sets the size that the unit then has. */
static void place_items(struct address_map *map, struct unit *unit, const page_runs *touched,
			unsigned colour_bits, const struct keys *keys)
{
	uint64_t at = unit->to;
	placed_list items = { 0 };

	list_items(touched, unit, keys, &items);
	for (size_t i = 0; i < items.count; i++) {
		const struct placed *item = &items.at[i];

		at = next_like(at, item->first, UINT64_C(1) << colour_bits);
		add_piece(map, item->first, item->last, at);
		at += item->last - item->first + 1;
	}
	unit->pages = at > unit->to ? at - unit->to : 1;
	free(items.at);
}

static void place_unit(struct address_map *map, struct unit *unit, const page_runs *touched,
		       const struct map_options *o, const struct keys *keys)
{
	unit->pages = unit->last - unit->first + 1;
	if (o->by_pages && unit->is_data)
		place_items(map, unit, touched, o->colour_bits, keys);
	else
		add_piece(map, unit->first, unit->last, unit->to);
}

static int too_large(uint64_t granule)
{
	command_error("the units take more than 2^46 bytes, with a granule of %" PRIu64
		      "; choose a smaller --granule",
		      granule);
	return EXIT_FAILED;
}

/* Places all units that have no place behind those that have one. */
static int place_all(struct address_map *map, const placed_list *order, const page_runs *touched,
		     const struct map_options *o, const struct keys *keys)
{
	uint64_t granule = o->granule >> PAGE_BITS, at = FIRST_PLACE >> PAGE_BITS;

	for (size_t i = 0; i < map->units.count; i++) {
		struct unit *unit = &map->units.at[i];

		if (!unit->to)
			continue;
		place_unit(map, unit, touched, o, keys);
		if (unit->to + unit->pages > at)
			at = unit->to + unit->pages;
	}
	for (size_t i = 0; i < order->count; i++) {
		struct unit *unit = &map->units.at[order->at[i].unit];

		if (unit->to)
			continue;
		unit->to = o->identity ? unit->first
				       : next_like(at + granule, unit->first, granule);
		place_unit(map, unit, touched, o, keys);
		at = unit->to + unit->pages;
		if (!o->identity &&
		    (at > END_OF_PLACES >> PAGE_BITS || unit->pages > END_OF_PLACES >> PAGE_BITS))
			return too_large(o->granule);
	}
	return EXIT_DONE;
}

int units_place(struct address_map *map, const struct ranges *ranges, const struct map_options *o,
		const struct keys *keys)
{
	placed_list order = { 0 };
	page_runs touched = { 0 };
	int status;

	CHECKED_RESERVE(order, map->units.count);
	for (size_t i = 0; i < map->units.count; i++) {
		uint64_t first = map->units.at[i].first;

		order.at[order.count++] = (struct placed){
			.first = first,
			.rank = o->shuffle ? keys_order(keys, first << PAGE_BITS) : first,
			.unit = i
		};
	}
	if (order.count)
		qsort(order.at, order.count, sizeof(*order.at), compare_ranks);
	page_set_runs(ranges->touched, &touched);
	status = place_all(map, &order, &touched, o, keys);
	if (map->pieces.count)
		qsort(map->pieces.at, map->pieces.count, sizeof(*map->pieces.at), compare_pieces);
	free(order.at);
	free(touched.at);
	return status;
}
