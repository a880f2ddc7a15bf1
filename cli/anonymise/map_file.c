/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/map_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/save_file.h"

#define HEAD       "tracelab address map 1"
#define PAGES_HEAD HEAD " by pages, colour bits %u"
enum { LINE_SIZE = 128, FILE_MODE = 0600 };
#define LAST_PAGE (UINT64_MAX >> PAGE_BITS)

typedef ARRAY(struct unit) unit_list;

static int bad_line(const char *path, unsigned line)
{
	command_error("%s: line %u is not of an address map; was the file changed?", path, line);
	return EXIT_FAILED;
}

/* Reads the line of a unit. */
static bool parse_unit(const char *line, struct unit *unit)
{
	uint64_t first, end, to;
	int used = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %n", &first, &end, &to, &used) != 3 ||
	    (line[used] && strcmp(line + used, "data\n") != 0) || (first | end | to) % PAGE ||
	    first >= end || !to)
		return false;
	*unit = (struct unit){ .first = first >> PAGE_BITS,
			       .last = (end - 1) >> PAGE_BITS,
			       .to = to >> PAGE_BITS,
			       .is_data = line[used] };
	unit->pages = unit->last - unit->first + 1;
	return unit->to <= LAST_PAGE - unit->pages;
}

/* Reads the line of an item of a unit of data, which follows the unit's other items. */
static bool parse_item(const char *line, const struct unit *unit, struct address_map *map)
{
	const struct piece *before = map->known.count ? &map->known.at[map->known.count - 1] : NULL;
	struct unit item;

	if (!parse_unit(line, &item) || item.is_data || !unit || !unit->is_data ||
	    item.first < unit->first || item.last > unit->last || item.to < unit->to ||
	    item.to + item.pages > unit->to + unit_room(map, unit) ||
	    (before && item.first <= before->last))
		return false;
	CHECKED_RESERVE(map->known, map->known.count + 1);
	map->known.at[map->known.count++] = (struct piece){
		.first = item.first,
		.last = item.last,
		.delta = (item.to - item.first) << PAGE_BITS,
	};
	return true;
}

/* Reads the head of a map that was made as this one is. */
static int check_head(const char *path, const char *line, const struct address_map *map)
{
	unsigned bits = 0;
	bool by_pages = sscanf(line, PAGES_HEAD, &bits) == 1;

	if (!by_pages && strcmp(line, HEAD "\n") != 0)
		return bad_line(path, 1);
	if (by_pages == map->by_pages && (!by_pages || bits == map->colour_bits))
		return EXIT_DONE;
	if (by_pages)
		command_error("%s: is a map by pages; use --addresses=pages --colour-bits=%u", path,
			      bits);
	else
		command_error("%s: is a map by regions; use --addresses=regions", path);
	return EXIT_FAILED;
}

static int read_units(const char *path, FILE *file, struct address_map *map, unit_list *units)
{
	char line[LINE_SIZE];
	uint64_t stated, granule = map->granule;
	unsigned n = 2;
	int status;

	if (!fgets(line, sizeof(line), file))
		return bad_line(path, 1);
	status = check_head(path, line, map);
	if (status != EXIT_DONE)
		return status;
	if (!fgets(line, sizeof(line), file) || sscanf(line, "granule %" SCNu64, &stated) != 1)
		return bad_line(path, 2);
	if (stated != granule) {
		command_error("%s: its granule is %" PRIu64 "; use --granule=%" PRIu64, path,
			      stated, stated);
		return EXIT_FAILED;
	}
	while (fgets(line, sizeof(line), file)) {
		struct unit unit;

		n++;
		if (*line == '+') {
			if (!parse_item(line + 1,
					units->count ? &units->at[units->count - 1] : NULL, map))
				return bad_line(path, n);
			continue;
		}
		if (!parse_unit(line, &unit) || unit.is_data > map->by_pages ||
		    (units->count && unit.first <= units->at[units->count - 1].last))
			return bad_line(path, n);
		CHECKED_RESERVE(*units, units->count + 1);
		units->at[units->count++] = unit;
	}
	if (!ferror(file))
		return EXIT_DONE;
	command_error("%s: cannot read: %s", path, strerror(errno));
	return EXIT_FAILED;
}

static int cannot_keep(const char *path, const struct unit *unit)
{
	command_error("%s: has too little space for the region from 0x%" PRIx64 " to 0x%" PRIx64
		      "; begin with the trace that touches most memory",
		      path, unit->first << PAGE_BITS, (unit->last + 1) << PAGE_BITS);
	return EXIT_FAILED;
}

/*
 * Makes a unit of two that overlap, of which `a` begins first. The file's have places. Returns
 * false if they would move by different distances.
 */
static bool unite(struct unit *a, const struct unit *b)
{
	uint64_t distance = b->first - a->first;
	bool known_data = a->to ? a->is_data : b->is_data, data = a->is_data && b->is_data;

	/* A unit that an earlier trace laid out by pages cannot become a whole. A whole stays one. */
	if (known_data && !data)
		return false;
	if (b->to && (b->to <= distance || (a->to && a->to != b->to - distance)))
		return false;
	if (b->to)
		a->to = b->to - distance;
	if (b->last > a->last)
		a->last = b->last;
	a->is_data = data;
	return true;
}

static int compare_first(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static int compare_to(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* Returns a unit whose place overlaps that of another one, or NULL. Sorts the units by place. */
static const struct unit *overlapping(const struct address_map *map)
{
	const struct unit *before = NULL;

	if (map->units.count)
		qsort(map->units.at, map->units.count, sizeof(*map->units.at), compare_to);
	for (size_t i = 0; i < map->units.count; i++) {
		const struct unit *unit = &map->units.at[i];

		if (!unit->to)
			continue;
		if (before && before->to + unit_room(map, before) > unit->to)
			return unit;
		before = unit;
	}
	return NULL;
}

static int use_places(const char *path, struct address_map *map, const unit_list *known)
{
	const struct unit *bad = NULL;
	struct unit *units;
	size_t n = 0;

	CHECKED_RESERVE(map->units, map->units.count + known->count);
	for (size_t i = 0; i < known->count; i++)
		map->units.at[map->units.count++] = known->at[i];
	units = map->units.at;
	if (map->units.count)
		qsort(units, map->units.count, sizeof(*units), compare_first);
	for (size_t i = 1; i < map->units.count; i++) {
		if (units[i].first > units[n].last)
			units[++n] = units[i];
		else if (!unite(&units[n], &units[i]))
			return cannot_keep(path, &units[n]);
	}
	map->units.count = map->units.count ? n + 1 : 0;
	bad = overlapping(map);
	if (bad)
		return cannot_keep(path, bad);
	if (map->units.count)
		qsort(units, map->units.count, sizeof(*units), compare_first);
	return EXIT_DONE;
}

int map_file_read(const char *path, struct address_map *map)
{
	FILE *file;
	unit_list known = { 0 };
	int status;

	if (!expect_file(path, "an address map", 0))
		return EXIT_FAILED;
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return EXIT_DONE;
	if (!file) {
		command_error("%s: cannot open: %s", shown_name(path), strerror(errno));
		return EXIT_FAILED;
	}
	status = read_units(path, file, map, &known);
	fclose(file);
	if (status == EXIT_DONE)
		status = use_places(path, map, &known);
	free(known.at);
	return status;
}

static void write_items(FILE *out, const struct address_map *map, const struct unit *unit)
{
	for (size_t i = 0; i < map->pieces.count; i++) {
		const struct piece *item = &map->pieces.at[i];

		if (item->first < unit->first || item->first > unit->last)
			continue;
		fprintf(out, "+%" PRIx64 " %" PRIx64 " %" PRIx64 "\n", item->first << PAGE_BITS,
			(item->last + 1) << PAGE_BITS, (item->first << PAGE_BITS) + item->delta);
	}
}

int map_file_write(const char *path, const struct address_map *map)
{
	struct save_file *file = save_file_begin(path);
	FILE *out;

	if (!file)
		return EXIT_FAILED;
	out = save_file_stream(file);
	fchmod(fileno(out), FILE_MODE);
	if (map->by_pages)
		fprintf(out, PAGES_HEAD, map->colour_bits);
	else
		fputs(HEAD, out);
	fprintf(out, "\ngranule %" PRIu64 "\n", map->granule);
	for (size_t i = 0; i < map->units.count; i++) {
		const struct unit *unit = &map->units.at[i];

		bool has_items = map->by_pages && unit->is_data;

		fprintf(out, "%" PRIx64 " %" PRIx64 " %" PRIx64 "%s\n", unit->first << PAGE_BITS,
			(unit->last + 1) << PAGE_BITS, unit->to << PAGE_BITS,
			has_items ? " data" : "");
		if (has_items)
			write_items(out, map, unit);
	}
	return save_file_end(file);
}
