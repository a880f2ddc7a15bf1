/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/make_map.h"

#include "cli/anonymise/map_file.h"
#include "cli/anonymise/units.h"
#include "cli/common/command.h"

int address_map_make(struct address_map *map, struct ranges *ranges, const struct map_options *o,
		     const struct keys *keys)
{
	int status = EXIT_DONE;

	*map = (struct address_map){
		.granule = o->granule,
		.modulus = o->by_pages ? PAGE : o->granule,
		.identity = o->identity,
		.by_pages = o->by_pages,
		.leaves_room = o->by_pages && o->file,
		.colour_bits = o->colour_bits,
	};
	units_find(map, ranges, o->glue);
	if (o->file)
		status = map_file_read(o->file, map);
	if (status == EXIT_DONE)
		status = units_place(map, ranges, o, keys);
	if (status == EXIT_DONE && o->file)
		status = map_file_write(o->file, map);
	return status;
}
