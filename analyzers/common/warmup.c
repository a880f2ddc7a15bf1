/* SPDX-License-Identifier: MIT */
#include "analyzers/common/warmup.h"

#include "analyzers/common/slice_start.h"
#include "cli/common/command.h"

static bool is_automatic(const struct analysis *run, const struct settings *settings)
{
	bool whole = !settings->from && settings->count == UINT64_MAX && !settings->region;

	return settings->warmup == WARMUP_AUTO && whole && !analyzer_has_vectors(run);
}

int warmup_begin(struct analysis *run, const struct settings *settings)
{
	uint64_t warmup = settings->warmup;
	int status = 0;

	if (warmup == WARMUP_AUTO) {
		warmup = 0;
		if (is_automatic(run, settings))
			status = slice_warmup(run->reader, run->path, TAKE_WHOLE_SLICE, &warmup);
	} else if (warmup && settings->region) {
		return command_usage_error("--warmup=N and --region exclude each other");
	}
	run->has_warmup = warmup != 0;
	run->warms_up = run->has_warmup && run->analyzer->clear && !run->analyzer->unordered;
	return status;
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
		status = thread == TF_MERGED
				 ? slice_warmup(run->reader, run->path, TAKE_WHOLE_SLICE, &warmup)
				 : slice_simulation_start(run->reader, run->path, TAKE_WHOLE_SLICE,
							  thread, &warmup);
	if (settings->from && warmup > settings->from)
		warmup = settings->from;
	if (settings->from)
		replay->first -= warmup;
	replay->count = sum(replay->count, warmup);
	replay->warmup = warmup;
	return status;
}
