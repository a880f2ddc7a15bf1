/* SPDX-License-Identifier: MIT */
#include "analyzers/common/warmup.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/common/command.h"

static bool is_automatic(const struct analysis *run, const struct settings *settings)
{
	bool whole = !settings->from && settings->count == UINT64_MAX && !settings->region;

	return settings->warmup == WARMUP_AUTO && whole && !analyzer_has_vectors(run);
}

/* Reads how many instructions of a slice are its warm-up; 0: the trace is none, or has none. */
static int read_meta(const struct analysis *run, uint64_t *warmup)
{
	const char *text = tf_meta(run->reader, "slice.warmup");
	char *end;

	*warmup = 0;
	if (!text)
		return 0;
	errno = 0;
	*warmup = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno)
		return 0;
	command_error("%s: its slice.warmup, '%s', is no number; --warmup=no takes the trace as a "
		      "whole",
		      run->path, text);
	return EXIT_FAILED;
}

int warmup_begin(struct analysis *run, const struct settings *settings)
{
	uint64_t warmup = settings->warmup;
	int status = 0;

	if (warmup == WARMUP_AUTO) {
		warmup = 0;
		if (is_automatic(run, settings))
			status = read_meta(run, &warmup);
	} else if (warmup && settings->region) {
		return command_usage_error("--warmup=N and --region exclude each other");
	}
	run->has_warmup = warmup != 0;
	run->warms_up = run->has_warmup && run->analyzer->clear && !run->analyzer->unordered;
	return status;
}

/* Finds where a thread enters the region "simulation" of its slice; UINT64_MAX: it does not. */
static int find_end(const struct analysis *run, uint32_t thread, uint64_t *ordinal)
{
	uint32_t region = analyzer_region(run, "simulation");
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;
	int got = 0;

	*ordinal = UINT64_MAX;
	if (region == TF_NONE) {
		command_error("%s: has a slice.warmup, and no region 'simulation' behind it; "
			      "--warmup=no takes the trace as a whole",
			      run->path);
		return EXIT_FAILED;
	}
	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = thread;
	if (tf_cursor_open(run->reader, &options, &cursor, &error) < 0) {
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

static uint64_t sum(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

int warmup_of_stream(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	const struct analysis *run = replay->run;
	uint64_t warmup = settings->warmup;
	int status = 0;

	replay->first = settings->from;
	replay->count = settings->count;
	replay->warmup = 0;
	if (!run->has_warmup || run->warmed_parts)
		return 0;
	if (warmup == WARMUP_AUTO)
		status = thread == TF_MERGED ? read_meta(run, &warmup)
					     : find_end(run, thread, &warmup);
	if (settings->from && warmup > settings->from)
		warmup = settings->from;
	if (settings->from)
		replay->first -= warmup;
	replay->count = sum(replay->count, warmup);
	replay->warmup = warmup;
	return status;
}
