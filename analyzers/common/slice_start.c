/* SPDX-License-Identifier: MIT */
#include "analyzers/common/slice_start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "traceformat/traceformat.h"

int slice_warmup(struct tf_reader *reader, const char *path, const char *remedy, uint64_t *warmup)
{
	const char *text = tf_meta(reader, "slice.warmup");
	char *end;

	*warmup = 0;
	if (!text)
		return 0;
	errno = 0;
	*warmup = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno)
		return 0;
	command_error("%s: its slice.warmup, '%s', is no number; %s", path, text, remedy);
	return EXIT_FAILED;
}

static uint32_t find_simulation(struct tf_reader *reader)
{
	for (uint32_t i = 0; i < tf_n_regions(reader); i++) {
		const struct tf_region *region = tf_region(reader, i);

		if (region && !strcmp(region->name, "simulation"))
			return i;
	}
	return TF_NONE;
}

int slice_simulation_start(struct tf_reader *reader, const char *path, const char *remedy,
			   uint32_t thread, uint64_t *ordinal)
{
	uint32_t region = find_simulation(reader);
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;
	int got = 0;

	*ordinal = UINT64_MAX;
	if (region == TF_NONE) {
		command_error("%s: has a slice.warmup, and no region 'simulation' behind it; %s",
			      path, remedy);
		return EXIT_FAILED;
	}
	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = thread;
	if (tf_cursor_open(reader, &options, &cursor, &error) < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	while (*ordinal == UINT64_MAX && (got = tf_next(cursor, &item, &error)) != 0) {
		if (got < 0 && error.status != TF_E_DAMAGED)
			break;
		if (got > 0 && item.kind == TF_ITEM_EVENT &&
		    item.event->kind == TF_EVENT_REGION_BEGIN && item.event->region.index == region)
			*ordinal = item.event->ordinal;
	}
	tf_cursor_close(cursor);
	if (got >= 0)
		return 0;
	command_error("%s", error.text);
	return EXIT_FAILED;
}
