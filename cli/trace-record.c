/* SPDX-License-Identifier: MIT */
/* trace-record - runs a program and records what it executes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/record/online.h"
#include "cli/record/options.h"
#include "cli/record/points.h"
#include "cli/record/summary.h"
#include "recorder/launch/guard.h"
#include "recorder/launch/heap.h"

static void message(void *opaque, const char *text)
{
	(void)opaque;
	command_warning("%s", text);
}

static int record(void *opaque)
{
	struct arguments *a = opaque;
	struct record_result result;
	struct tf_error error;

	if (record_run(&a->options, &result, &error) < 0)
		command_error("%s", error.text);
	else
		summary_put(a, &result);
	return result.exit_status;
}

static int record_guarded(struct arguments *a)
{
	int signal, status = guard_run(record, a, &signal);

	if (status >= 0)
		return status;
	if (signal)
		command_error("the recorder was ended by signal %d (%s), and process %d with it if "
			      "it was being recorded",
			      signal, strsignal(signal), (int)a->options.pid);
	else
		command_error("cannot start a process: %s", strerror(errno));
	return EXIT_NOT_RECORDED;
}

int main(int argc, char **argv)
{
	struct arguments a = { .options = { .size = sizeof(a.options), .message = message },
			       .warmup = UINT64_MAX };
	size_t n_defaults;
	int status;

	command_init("trace-record");
	heap_use_huge_pages();
	record_default_functions(&n_defaults);
	a.functions = calloc((size_t)argc + n_defaults, sizeof(*a.functions));
	if (!a.functions) {
		command_error("out of memory");
		return EXIT_NOT_RECORDED;
	}
	status = arguments_parse(argc, argv, &a);
	if (status == OPTION_DONE && a.online)
		status = online_record(&a);
	else if (status == OPTION_DONE && a.points)
		status = points_record(&a);
	else if (status == OPTION_DONE)
		status = a.options.pid ? record_guarded(&a) : record(&a);
	free(a.functions);
	free((char *)a.options.command_options);
	return status;
}
