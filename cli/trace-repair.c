/* SPDX-License-Identifier: MIT */
/* trace-repair - makes a finished trace of what is usable in an unfinished or damaged one. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/loss.h"
#include "cli/common/output_trace.h"
#include "cli/common/report.h"
#include "traceformat/traceformat.h"

static const char help[] =
"Usage: trace-repair [options] -o OUT TRACE\n"
"Make a finished trace OUT of all that is usable in TRACE, and say what was lost.\n"
"TRACE stays as it is. Both may be - for standard input and output.\n"
"\n"
"  -o, --output=OUT   the trace to make\n"
"      --force        replace OUT if it exists\n"
"      --format=FMT   of the summary: text (default), json or csv\n"
"  -h, --help         show this help\n"
"      --version      show versions\n"
"\n"
"Exit status: 0 OUT was made, whatever was lost; 1 failure, 2 usage.\n"
"\n"
"Example: trace-repair -o whole.trace crashed.trace\n";

struct options {
	const char *from, *to;
	bool force;
	enum report_format format;
};

/* The instructions of the trace that was made; false if it went down a pipe. */
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

static void put_summary(const struct options *options, const char *path,
			const struct tf_info *before, uint64_t left_out)
{
	struct report *report = report_begin(is_standard_stream(options->to) ? stderr : stdout,
					     options->format);
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

static int repair(const struct options *options)
{
	const char *to = is_standard_stream(options->to) ? "/dev/stdout" : options->to;
	struct tf_reader *reader = NULL;
	struct tf_error error;
	struct tf_info before;
	int left_out = tf_open(options->from, &reader, &error);

	if (left_out >= 0)
		left_out = tf_get_info(reader, &before, &error);
	if (left_out >= 0) {
		note_loss(options->from, &before);
		left_out = tf_repair(reader, to, &error);
	}
	tf_close(reader);
	if (left_out < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	put_summary(options, to, &before, (uint64_t)left_out);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	enum { FORCE = 256 };
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, FORCE },
		REPORT_OPTIONS
	};
	struct options options = { .format = REPORT_TEXT };
	int option, status;

	command_init("trace-repair");
	while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1)
		switch (option) {
		case 'o': options.to = optarg; break;
		case FORCE: options.force = true; break;
		default:
			status = common_option(option, help, &options.format);
			if (status != OPTION_DONE)
				return status;
		}
	status = only_trace(argc, argv, &options.from);
	if (status != OPTION_DONE)
		return status;
	if (!options.to)
		return command_usage_error("no output given; use -o OUT");

	int result = check_output_trace(options.from, options.to, options.force);

	if (result == EXIT_DONE)
		result = repair(&options);
	int written = command_close_stdout();

	return result == EXIT_DONE ? written : result;
}
