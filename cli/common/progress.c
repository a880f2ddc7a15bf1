/* SPDX-License-Identifier: MIT */
#include "cli/common/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/quantity.h"

static bool progress_shown;

void progress_erase(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void progress_begin(struct progress *progress, const char *label, uint64_t total, bool quiet)
{
	*progress = (struct progress){
		.label = label,
		.total = total,
		.active = !quiet && isatty(STDERR_FILENO),
		.last_ns = now_ns(),
	};
}

void progress_update(struct progress *progress, uint64_t done)
{
	enum { INTERVAL_NS = 200000000 };
	char count[COUNT_SIZE];

	if (!progress->active)
		return;
	uint64_t now = now_ns();

	if (now - progress->last_ns < INTERVAL_NS)
		return;
	progress->last_ns = now;
	if (progress->total)
		fprintf(stderr, "\r\033[K%s %.0f %%", progress->label,
			100.0 * (double)done / (double)progress->total);
	else
		fprintf(stderr, "\r\033[K%s %s", progress->label, format_count(done, count));
	progress_shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->active)
		progress_erase();
	progress->active = false;
}
