/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/units.h"

#include <inttypes.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "traceformat/common/sorted.h"

#define FIRST_PLACE   UINT64_C(0x10000000)
#define END_OF_PLACES (UINT64_C(1) << 46)
#define LAST_PAGE     (UINT64_MAX >> PAGE_BITS)

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
	return PARTITION_POINT(runs->at, runs->count, run, run->last < page);
}

static bool any_in(const page_runs *runs, uint64_t first, uint64_t last)
{
	size_t i = first_from(runs, first);

	return i < runs->count && runs->at[i].first <= last;
}

static void add_unit(struct address_map *map, uint64_t first, uint64_t last, bool is_data)
{
	CHECKED_RESERVE(map->units, map->units.count + 1);
	map->units.at[map->units.count++] = (struct unit){ .first = first,
							   .last = last,
							   .is_data = is_data };
}

/*
 * Adds units of the pages of code and modules, without the data beside them. An access from such a
 * page into data takes the data's page along, and so do the pages that later accesses join to it.
 */
static void add_whole_units(struct address_map *map, const struct ranges *ranges,
			    const page_runs *touched, page_runs *whole)
{
	append_runs(whole, &ranges->fixed);
	append_runs(whole, &ranges->modules);
	page_runs_sort(whole);
	for (size_t i = 0; i < touched->count; i++)
		if (any_in(whole, touched->at[i].first, touched->at[i].last)) {
			page_runs run = { .at = &touched->at[i], .count = 1 };

			append_runs(whole, &run);
		}
	remove_fixed(whole);
	page_runs_sort(whole);
	for (size_t i = 0; i < whole->count; i++)
		add_unit(map, whole->at[i].first, whole->at[i].last, false);
}

/* Adds units of the pages of a run that are in none of the runs of `whole`. */
static void add_rest(struct address_map *map, const struct page_run *run, const page_runs *whole)
{
	uint64_t first = run->first;

	for (size_t i = first_from(whole, first);
	     i < whole->count && whole->at[i].first <= run->last; i++) {
		if (whole->at[i].first > first)
			add_unit(map, first, whole->at[i].first - 1, true);
		if (whole->at[i].last >= run->last)
			return;
		first = whole->at[i].last + 1;
	}
	add_unit(map, first, run->last, true);
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Finds units such that those of data have no page of code and modules, however near these are. */
static void find_parted(struct address_map *map, const struct ranges *ranges, uint64_t glue)
{
	page_runs touched = { 0 }, whole = { 0 }, data = { 0 };

	page_set_runs(ranges->touched, &touched);
	add_whole_units(map, ranges, &touched, &whole);
	append_runs(&data, &touched);
	append_runs(&data, &ranges->mapped);
	remove_fixed(&data);
	page_runs_sort(&data);
	join_near(&data, glue >> PAGE_BITS);
	for (size_t i = 0; i < data.count; i++)
		add_rest(map, &data.at[i], &whole);
	if (map->units.count)
		qsort(map->units.at, map->units.count, sizeof(*map->units.at), compare_units);
	free(touched.at);
	free(whole.at);
	free(data.at);
}

void units_find(struct address_map *map, struct ranges *ranges, uint64_t glue)
{
	page_runs all = { 0 };

	if (map->by_pages) {
		find_parted(map, ranges, glue);
		return;
	}
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
	for (size_t i = 0; i < all.count; i++)
		add_unit(map, all.at[i].first, all.at[i].last,
			 !any_in(&ranges->fixed, all.at[i].first, all.at[i].last));
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

/* Returns the first item that an earlier trace has placed and that ends at or behind a page. */
static const struct piece *known_from(const struct address_map *map, uint64_t page)
{
	size_t i = PARTITION_POINT(map->known.at, map->known.count, item, item->last < page);

	return i < map->known.count ? &map->known.at[i] : NULL;
}

/*
 * Lists the runs of touched pages in a unit that have no place, in the order in which they are
 * placed. Returns false if a run has a place for some of its pages only.
 */
static bool list_items(const struct address_map *map, const page_runs *touched,
		       const struct unit *unit, const struct keys *keys, placed_list *items)
{
	items->count = 0;
	for (size_t i = first_from(touched, unit->first);
	     i < touched->count && touched->at[i].first <= unit->last; i++) {
		struct page_run run = touched->at[i];

		run.first = run.first < unit->first ? unit->first : run.first;
		run.last = run.last > unit->last ? unit->last : run.last;
		const struct piece *known = known_from(map, run.first);

		if (known && known->first <= run.last) {
			if (known->first > run.first || known->last < run.last)
				return false;
			continue;
		}
		CHECKED_RESERVE(*items, items->count + 1);
		items->at[items->count++] = (struct placed){ .first = run.first,
							     .last = run.last,
							     .rank = keys_order(keys, run.first) };
	}
	if (items->count)
		qsort(items->at, items->count, sizeof(*items->at), compare_ranks);
	return true;
}

/* Keeps the places that the unit's items have. Returns the first page behind all of them. */
static uint64_t keep_items(struct address_map *map, const struct unit *unit)
{
	const struct piece *known = known_from(map, unit->first);
	uint64_t end = unit->to;

	for (; known && known < map->known.at + map->known.count && known->first <= unit->last;
	     known++) {
		uint64_t to = known->first + (known->delta >> PAGE_BITS);

		to &= LAST_PAGE;
		add_piece(map, known->first, known->last, to);
		end = to + (known->last - known->first) + 1 > end
			      ? to + (known->last - known->first) + 1
			      : end;
	}
	return end;
}

/*
 * Places the runs of a unit one behind the other. Sets the size that the unit then has. Returns
 * false if an earlier trace has left no place for one of them.
 */
static bool place_items(struct address_map *map, struct unit *unit, const page_runs *touched,
			unsigned colour_bits, const struct keys *keys)
{
	uint64_t at = keep_items(map, unit);
	placed_list items = { 0 };
	bool fit = list_items(map, touched, unit, keys, &items);

	for (size_t i = 0; i < items.count && fit; i++) {
		const struct placed *item = &items.at[i];

		at = next_like(at, item->first, UINT64_C(1) << colour_bits);
		add_piece(map, item->first, item->last, at);
		at += item->last - item->first + 1;
	}
	unit->pages = at > unit->to ? at - unit->to : 1;
	free(items.at);
	if (map->leaves_room) {
		fit &= unit->pages <= unit_room(map, unit);
		unit->pages = unit_room(map, unit);
	}
	return fit;
}

static int no_place(const struct unit *unit)
{
	command_error(
		"--map: the file has too little space for the pages of the region from 0x%" PRIx64
		" to 0x%" PRIx64 "; begin with the trace that touches most memory",
		unit->first << PAGE_BITS, (unit->last + 1) << PAGE_BITS);
	return EXIT_FAILED;
}

static int place_unit(struct address_map *map, struct unit *unit, const page_runs *touched,
		      const struct map_options *o, const struct keys *keys)
{
	unit->pages = unit->last - unit->first + 1;
	if (o->by_pages && unit->is_data)
		return place_items(map, unit, touched, o->colour_bits, keys) ? EXIT_DONE
									     : no_place(unit);
	add_piece(map, unit->first, unit->last, unit->to);
	return EXIT_DONE;
}

static int too_large(uint64_t granule)
{
	command_error("the regions take more than 2^46 bytes, with a granule of %" PRIu64
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
		if (place_unit(map, unit, touched, o, keys) != EXIT_DONE)
			return EXIT_FAILED;
		if (unit->to + unit->pages > at)
			at = unit->to + unit->pages;
	}
	for (size_t i = 0; i < order->count; i++) {
		struct unit *unit = &map->units.at[order->at[i].unit];

		if (unit->to)
			continue;
		unit->to = o->identity ? unit->first
				       : next_like(at + granule, unit->first, granule);
		if (place_unit(map, unit, touched, o, keys) != EXIT_DONE)
			return EXIT_FAILED;
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
