/* SPDX-License-Identifier: MIT */
/* trace-repack - makes a trace smaller, for sharing and keeping. */
#include <sys/stat.h>
#include <time.h>

#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/memory_watch.h"
#include "cli/common/progress.h"
#include "cli/common/rewrite.h"
#include "cli/common/trace_input.h"
#include "cli/common/tracereport.h"
#include "cli/common/unfinished.h"
#include "traceformat/tracewriter.h"

static const struct command_option options_table[] = {
	REWRITE_OPTIONS,
	{ "jobs", 'j', "N", "cores (default: all, but at most 8)", option_positive,
	  REWRITE_AT(jobs) },
	COMMAND_OPTIONS,
};

static const struct command trace_repack = {
	.name = "trace-repack",
	.usage = "[options] -o OUT TRACE",
	.summary = "Make a trace OUT with the contents of TRACE in about half the bytes.\n"
		   "TRACE is not changed, and must be undamaged. - is standard input or output.",
	.options = options_table,
	.notes = "Exit status: 0 done, 1 failure, 2 usage.",
	.example = "trace-repack -o small.trace gzip.trace",
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void put_summary(const struct rewrite_options *options, const char *path,
			const struct tf_info *before, double time)
{
	struct report *report = rewrite_report_begin(options);
	struct stat file;

	report_string(report, "file", options->to);
	report_u64(report, "instructions", "", before->totals.instructions);
	report_u64(report, "bytes_before", "", before->file_size);
	if (stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
		report_u64(report, "bytes", "", (uint64_t)file.st_size);
		report_f64(report, "share", "%",
			   100.0 * (double)file.st_size / (double)before->file_size);
	}
	report_f64(report, "time", "s", time);
	report_end(report);
}

static void show_progress(void *progress, uint64_t done)
{
	progress_update(progress, done);
}

/* Returns the number of cores to use. Each needs the memory of a few chunks. */
static unsigned n_jobs(const struct rewrite_options *options)
{
	enum { MOST = 256, MOST_UNASKED = 8 };
	unsigned cores = job_cores();

	if (options->jobs)
		return options->jobs < MOST ? (unsigned)options->jobs : MOST;
	return cores < MOST_UNASKED ? cores : MOST_UNASKED;
}

static int repack(const struct rewrite_options *options)
{
	const char *to = rewrite_path(options);
	struct tf_reader *reader = NULL;
	double start = seconds();
	struct tf_error error;
	struct tf_info before;
	int status = open_trace_input(options->from, TRACE_WHOLE, &reader, &error);

	memory_watch_input(options->from);
	if (status == 0)
		status = tf_get_info(reader, &before, &error);
	if (status == 0) {
		struct unfinished *made = unfinished_file(to);
		struct progress progress;

		progress_begin(&progress, "repacking", before.file_size, options->quiet);
		status = tf_repack_on_cores(reader, to, n_jobs(options), show_progress, &progress,
					    &error);
		progress_end(&progress);
		unfinished_end(made);
	}
	tf_close(reader);
	if (status < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	if (!options->quiet)
		put_summary(options, to, &before, seconds() - start);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	return rewrite_main(&trace_repack, argc, argv, repack);
}
