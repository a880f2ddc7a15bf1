/* SPDX-License-Identifier: MIT */
/*
 * A table with a row for each interval, thread, or process. Threads and processes are streams,
 * each with a state of its own. Where a stream cannot be cut into lanes (replay.h), several
 * streams are replayed at the same time, one a job:
 *
 *	job 0   [stream 0       ][stream 2  ]
 *	job 1   [stream 1  ][stream 3           ]
 */
#ifndef ROWS_H
#define ROWS_H

#include "analyzers/common/options.h"
#include "analyzers/common/replay.h"

/* Returns true if the result has rows for threads or processes. */
static inline bool makes_rows(const struct analysis *run)
{
	return run->each_thread || run->each_process;
}

/* Returns the number of jobs that each stream has; run->has_warmup must be known. */
unsigned rows_jobs(const struct analysis *run, const struct settings *settings);

/*
 * Replays the streams, or `thread` alone unless it is TF_MERGED, and adds the table to
 * replay->report. Returns 0 or an exit code, after a message.
 */
int rows_run(struct replay *replay, const struct settings *settings, uint32_t thread);

#endif
