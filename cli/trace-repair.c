/* SPDX-License-Identifier: MIT */
/* trace-repair - makes a finished trace from the usable parts of an unfinished or damaged one. */
#include <sys/stat.h>

#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/memory_watch.h"
#include "cli/common/rewrite.h"
#include "cli/common/trace_input.h"
#include "cli/common/tracereport.h"
#include "cli/common/unfinished.h"
#include "traceformat/tracewriter.h"

static const struct command_option options_table[] = {
	REWRITE_OPTIONS,
	COMMAND_OPTIONS,
};

static const struct command trace_repair = {
	.name = "trace-repair",
	.usage = "[options] -o OUT TRACE",
	.summary = "Make a finished trace OUT of the usable parts of TRACE, and report losses.\n"
		   "TRACE is not changed. - is standard input or output.",
	.options = options_table,
	.notes = "Exit status: 0 OUT was made, even with losses; 1 failure; 2 usage.",
	.example = "trace-repair -o whole.trace crashed.trace",
};

/* Counts the instructions of the new trace. Returns false if the trace went into a pipe. */
static bool count_made(const char *path, uint64_t *instructions)
{
	struct tf_reader *reader;
	struct tf_info info;
	struct stat file;
	bool known = false;

	if (stat(path, &file) < 0 || !S_ISREG(file.st_mode) || tf_open(path, &reader, NULL) < 0)
		return false;
	if (tf_get_info(reader, &info, NULL) >= 0) {
		*instructions = info.totals.instructions;
		known = true;
	}
	tf_close(reader);
	return known;
}

static void put_summary(const struct rewrite_options *options, const char *path,
			const struct tf_info *before, uint64_t left_out)
{
	struct report *report = rewrite_report_begin(options);
	uint64_t instructions;

	report_string(report, "file", options->to);
	report_u64(report, "sections_left_out", "", left_out);
	report_u64(report, "bytes_lost", "", before->bytes_lost);
	if (count_made(path, &instructions)) {
		report_u64(report, "instructions", "", instructions);
		if (before->closed && before->totals.instructions >= instructions)
			report_u64(report, "instructions_lost", "",
				   before->totals.instructions - instructions);
	}
	report_end(report);
}

static int repair(const struct rewrite_options *options)
{
	const char *to = rewrite_path(options);
	struct tf_reader *reader = NULL;
	struct tf_error error;
	struct tf_info before;
	int left_out = open_trace_input(options->from, TRACE_WHOLE, &reader, &error);

	memory_watch_input(options->from);
	if (left_out >= 0)
		left_out = tf_get_info(reader, &before, &error);
	if (left_out >= 0) {
		struct unfinished *made = unfinished_file(to);

		note_loss(options->from, &before);
		left_out = tf_repair(reader, to, &error);
		unfinished_end(made);
	}
	tf_close(reader);
	if (left_out < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	if (!options->quiet)
		put_summary(options, to, &before, (uint64_t)left_out);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	return rewrite_main(&trace_repair, argc, argv, repair);
}
