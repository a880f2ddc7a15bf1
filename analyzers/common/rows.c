/* SPDX-License-Identifier: MIT */
#include "analyzers/common/rows.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/chosen.h"
#include "analyzers/common/parallel.h"
#include "analyzers/common/warmup.h"
#include "cli/common/checked.h"
#include "cli/common/report_join.h"

/* The executions of a thread, or of the threads of a process. */
struct stream {
	uint32_t thread;  /* index; TF_MERGED: all that are not left out */
	uint32_t process; /* index; TF_NONE: not a process */
	struct report *report;
	bool damaged, fed;
	int status;
};

struct rows {
	const struct replay *replay;
	const struct settings *settings;
	const struct report_column *columns;
	unsigned jobs; /* of a stream */
	ARRAY(struct stream) streams;
	atomic_bool failed;
};

/* ---- streams ----------------------------------------------------------------------------- */

static void add_stream(struct rows *rows, struct stream stream)
{
	CHECKED_RESERVE(rows->streams, rows->streams.count + 1);
	rows->streams.at[rows->streams.count++] = stream;
}

static void add_streams(struct rows *rows, uint32_t thread)
{
	const struct analysis *run = rows->replay->run;

	if (run->each_process) {
		for (uint32_t p = 0; p < tf_n_processes(run->reader); p++)
			if (tf_process(run->reader, p))
				add_stream(rows,
					   (struct stream){ .thread = TF_MERGED, .process = p });
	} else if (!run->each_thread || thread != TF_MERGED) {
		add_stream(rows, (struct stream){ .thread = thread, .process = TF_NONE });
	} else {
		for (uint32_t t = 0; t < run->n_threads; t++)
			if (tf_thread(run->reader, t))
				add_stream(rows,
					   (struct stream){ .thread = t, .process = TF_NONE });
	}
}

/* Replays the threads of a process, if it has any that are not left out. */
static int replay_process(struct replay *replay, uint32_t index)
{
	const struct tf_process *process = tf_process(replay->run->reader, index);
	bool *left_out;
	char pid[16];
	int status;

	if (!threads_but_those_of(replay->run, index, replay->left_out, &left_out))
		return 0;
	snprintf(pid, sizeof(pid), "%" PRIu32, process->pid);
	replay->left_out = left_out;
	replay->row_name = pid;
	status = replay_run(replay, TF_MERGED, true, NULL);
	free(left_out);
	return status;
}

static int replay_thread(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	int status = 0;

	if (replay->run->each_thread && settings->thread == UINT64_MAX)
		status = warmup_of_stream(replay, settings, thread);
	return status ? status : replay_run(replay, thread, true, NULL);
}

static void replay_stream(const struct rows *rows, struct stream *stream, bool quiet)
{
	struct replay replay = *rows->replay;
	struct analysis run = *replay.run;

	replay.run = &run;
	replay.report = stream->report;
	replay.jobs = rows->jobs;
	replay.quiet |= quiet;
	if (stream->process != TF_NONE)
		stream->status = replay_process(&replay, stream->process);
	else
		stream->status = replay_thread(&replay, rows->settings, stream->thread);
	stream->damaged = replay.damaged;
	stream->fed = replay.fed;
}

/* Replays a stream to a report of its own, beside other streams, of which none has failed. */
static void replay_beside(void *opaque, size_t i)
{
	struct rows *rows = opaque;
	struct stream *stream = &rows->streams.at[i];

	if (atomic_load(&rows->failed))
		return;
	stream->report = report_begin(NULL, REPORT_JSON);
	report_table(stream->report, "rows", rows->columns);
	replay_stream(rows, stream, i != 0);
	if (stream->status)
		atomic_store(&rows->failed, true);
}

/* ---- jobs -------------------------------------------------------------------------------- */

/* Returns how many of n streams are replayed at the same time. */
static unsigned at_once(const struct analysis *run, const struct settings *settings, size_t n,
			unsigned jobs)
{
	bool merges_threads = run->each_process && analyzer_is_ordered(run);
	bool cuts = replay_can_merge(run) && !settings->interval && !settings->region &&
		    !run->has_warmup && !merges_threads;

	return cuts || n < 2 ? 1 : n < jobs ? (unsigned)n : jobs;
}

unsigned rows_jobs(const struct analysis *run, const struct settings *settings)
{
	size_t n = run->each_process ? run->n_processes : run->n_threads;
	bool one = !makes_rows(run) || settings->thread != UINT64_MAX;

	return run->jobs / at_once(run, settings, one ? 1 : n, run->jobs);
}

/* ---- the table --------------------------------------------------------------------------- */

/* Returns the columns, the first of which is the number of a process. */
static struct report_column *columns_of_processes(const struct report_column *columns)
{
	struct report_column *copy;
	size_t n = 0;

	while (columns[n].name)
		n++;
	copy = checked_array(n + 1, sizeof(*copy));
	memcpy(copy, columns, n * sizeof(*copy));
	copy[0].name = "process";
	return copy;
}

static const char *name_of(const struct replay *replay)
{
	return replay->interval ? "intervals" : replay->run->each_process ? "processes" : "threads";
}

/* Moves the result of a stream to that of all. Returns the stream's status. */
static int take_stream(struct replay *replay, struct stream *stream)
{
	if (stream->report && stream->report != replay->report) {
		report_take_rows(replay->report, stream->report);
		report_free(stream->report);
	}
	replay->damaged |= stream->damaged;
	replay->fed |= stream->fed;
	return stream->status;
}

static int run_streams(struct rows *rows, struct replay *replay)
{
	unsigned n = at_once(replay->run, rows->settings, rows->streams.count, replay->jobs);
	int status = 0;

	rows->jobs = replay->jobs / n;
	if (n > 1)
		parallel_for(n, rows->streams.count, replay_beside, rows);
	for (size_t i = 0; i < rows->streams.count; i++) {
		struct stream *stream = &rows->streams.at[i];

		if (n == 1) {
			stream->report = replay->report;
			if (!status)
				replay_stream(rows, stream, false);
		}
		int its = take_stream(replay, stream);

		status = status ? status : its;
	}
	return status;
}

int rows_run(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	bool processes = replay->run->each_process;
	const struct report_column *columns = replay->run->row_columns;
	struct report_column *own = processes ? columns_of_processes(columns) : NULL;
	struct rows rows = { .replay = replay,
			     .settings = settings,
			     .columns = own ? own : columns };
	int status;

	add_streams(&rows, thread);
	report_table(replay->report, name_of(replay), rows.columns);
	status = run_streams(&rows, replay);
	free(rows.streams.at);
	free(own);
	return status;
}
