/* SPDX-License-Identifier: MIT */
#include "cli/common/regions.h"

#include <stdlib.h>

#include "cli/common/checked.h"

/* Where a thread is: in the trace, and in what it has executed, gaps included. */
struct position {
	uint64_t ordinal;
	uint64_t skipped; /* in the gaps before */
	bool is_counted;  /* skipped is known */
};

/* A thread's regions: where each began that it is in. */
struct inside {
	struct stretch {
		bool is_open;
		struct position began;
	} * stretches; /* by region */
	uint32_t count;
};

static void put(struct report *report, struct tf_reader *reader, uint32_t thread, uint32_t region,
		const struct position *began, uint64_t end)
{
	report_row_of_cells(report, (struct report_cell[]){
					    { .known = true, .u64 = thread },
					    { .known = tf_region(reader, region),
					      .string = tf_region(reader, region)
								? tf_region(reader, region)->name
								: NULL },
					    { .known = true, .u64 = began->ordinal },
					    { .known = began->is_counted,
					      .u64 = began->ordinal + began->skipped },
					    { .known = true, .u64 = end - began->ordinal },
				    });
}

static void follow(struct report *report, struct tf_reader *reader, struct inside *in,
		   struct position *position, const struct tf_item *item)
{
	const struct tf_event *event = item->event;

	position->ordinal = item->ordinal;
	if (event->kind == TF_EVENT_GAP) {
		position->skipped += event->gap.instructions;
		position->is_counted &= event->gap.instructions != 0;
	}
	if (event->kind != TF_EVENT_REGION_BEGIN && event->kind != TF_EVENT_REGION_END)
		return;
	if (event->region.index >= in->count)
		return;
	struct stretch *stretch = &in->stretches[event->region.index];

	if (stretch->is_open)
		put(report, reader, item->thread, event->region.index, &stretch->began,
		    item->ordinal);
	stretch->is_open = event->kind == TF_EVENT_REGION_BEGIN;
	stretch->began = *position;
}

static int put_thread(struct report *report, struct tf_reader *reader, uint32_t thread,
		      struct inside *in, struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct position position = { .is_counted = true };
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t end = 0;
	int status;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = thread;
	for (uint32_t i = 0; i < in->count; i++)
		in->stretches[i].is_open = false;
	status = tf_cursor_open(reader, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0)
		if (item.kind == TF_ITEM_EVENT)
			follow(report, reader, in, &position, &item);
		else
			end = item.ordinal + item.instructions;
	for (uint32_t i = 0; i < in->count; i++)
		if (in->stretches[i].is_open)
			put(report, reader, thread, i, &in->stretches[i].began, end);
	tf_cursor_close(cursor);
	return status;
}

int regions_put(struct report *report, struct tf_reader *reader, struct tf_error *error)
{
	static const struct report_column columns[] = {
		{ "thread", REPORT_ID, "" },        { "region", REPORT_STRING, "" },
		{ "first", REPORT_U64, "" },        { "first_executed", REPORT_U64, "" },
		{ "instructions", REPORT_U64, "" }, { NULL, 0, NULL },
	};
	struct inside in = { 0 };
	int status = 0;

	in.count = tf_n_regions(reader);
	in.stretches = checked_array(in.count + 1, sizeof(*in.stretches));
	report_table(report, "region_list", columns);
	for (uint32_t i = 0; in.count && status >= 0 && i < tf_n_threads(reader); i++)
		if (tf_thread(reader, i))
			status = put_thread(report, reader, i, &in, error);
	free(in.stretches);
	return status;
}
