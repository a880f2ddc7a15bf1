/* SPDX-License-Identifier: MIT */
#include "cli/common/columns.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

enum { IDS = 1 << 16 };

static void add(void *opaque, unsigned id, unsigned coding, uint64_t stored, uint64_t raw)
{
	struct column_usage *usage = (struct column_usage *)opaque + (uint16_t)id;

	(void)coding;
	usage->id = (uint16_t)id;
	usage->chunks++;
	usage->stored += stored;
	usage->raw += raw;
}

int columns_sum(struct tf_reader *reader, struct columns *sums, struct tf_error *error)
{
	struct column_usage *usage = checked_array(IDS, sizeof(*usage));
	struct tf_section_info section;
	uint64_t rest = 0;
	size_t n = 0;

	for (uint32_t i = 0; tf_section(reader, i, &section); i++) {
		int status;

		if (strcmp(tf_section_kind_name(section.kind), "CHUNK") != 0)
			continue;
		rest += section.stored_size;
		status = tf_section_columns(reader, i, add, usage, error);
		if (status < 0) {
			free(usage);
			return status;
		}
	}
	for (unsigned id = 0; id < IDS; id++)
		if (usage[id].chunks) {
			rest -= usage[id].stored < rest ? usage[id].stored : rest;
			usage[n++] = usage[id];
		}
	*sums = (struct columns){ .count = n, .columns = usage, .rest = rest };
	return 0;
}
