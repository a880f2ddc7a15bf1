/* SPDX-License-Identifier: MIT */
#include "cli/common/regions.h"

#include <stdlib.h>

#include "cli/common/checked.h"

enum { NOT_INSIDE = -1 };

/* A thread's regions: where each began that it is in. */
struct inside {
	int64_t *began;		/* by region, NOT_INSIDE */
	uint32_t count;
};

static void put(struct report *report, struct tf_reader *reader, uint32_t thread, uint32_t region,
		int64_t began, uint64_t end)
{
	report_row(report, (uint64_t)thread, tf_region(reader, region)->name, (uint64_t)began,
		   end - (uint64_t)began);
}

static void follow(struct report *report, struct tf_reader *reader, struct inside *in,
		   const struct tf_item *item)
{
	const struct tf_event *event = item->event;
	uint32_t region;

	if (event->kind != TF_EVENT_REGION_BEGIN && event->kind != TF_EVENT_REGION_END)
		return;
	region = event->region.index;
	if (region >= in->count)
		return;
	if (in->began[region] != NOT_INSIDE)
		put(report, reader, item->thread, region, in->began[region], item->ordinal);
	in->began[region] = event->kind == TF_EVENT_REGION_BEGIN ? (int64_t)item->ordinal
								 : NOT_INSIDE;
}

static int put_thread(struct report *report, struct tf_reader *reader, uint32_t thread,
		      struct inside *in, struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t end = 0;
	int status;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = thread;
	for (uint32_t i = 0; i < in->count; i++)
		in->began[i] = NOT_INSIDE;
	status = tf_cursor_open(reader, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0)
		if (item.kind == TF_ITEM_EVENT)
			follow(report, reader, in, &item);
		else
			end = item.ordinal + item.instructions;
	for (uint32_t i = 0; i < in->count; i++)
		if (in->began[i] != NOT_INSIDE)
			put(report, reader, thread, i, in->began[i], end);
	tf_cursor_close(cursor);
	return status;
}

int regions_put(struct report *report, struct tf_reader *reader, struct tf_error *error)
{
	static const struct report_column columns[] = {
		{ "thread", REPORT_ID, "" },
		{ "region", REPORT_STRING, "" },
		{ "first", REPORT_U64, "" },
		{ "instructions", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	struct inside in = { 0 };
	int status = 0;

	while (tf_region(reader, in.count))
		in.count++;
	in.began = checked_array(in.count + 1, sizeof(*in.began));
	report_table(report, "region_list", columns);
	for (uint32_t i = 0; in.count && status >= 0 && tf_thread(reader, i); i++)
		status = put_thread(report, reader, i, &in, error);
	free(in.began);
	return status;
}
