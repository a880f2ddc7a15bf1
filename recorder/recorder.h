/* SPDX-License-Identifier: MIT */
/*
 * The recorder: runs a program under ptrace and writes what it executes into a trace.
 *
 *	char *argv[] = { "ls", "/", NULL };
 *	struct record_options options = { .size = sizeof(options), .argv = argv,
 *					  .output = "ls.trace" };
 *	struct record_result result;
 *	struct tf_error error;
 *
 *	if (record_run(&options, &result, &error) < 0)
 *		fprintf(stderr, "%s\n", error.text);
 *	return result.exit_status;
 *
 * Everything in an options structure that is zero is the default. The recorder prints nothing:
 * what a person should know while it goes on is handed to options.message.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "recorder/core/options.h"
#include "traceformat/traceformat.h"

struct record_result {
	int exit_status;        /* for exit(): the program's, 128 + its signal; 0 for one that ran
				   already; 125 if recording failed, 126 or 127 if the program
				   cannot be run */
	uint64_t instructions;  /* recorded */
	uint64_t blocks, paths; /* executions recorded */
	uint64_t slots;         /* of these executions of paths */
	uint64_t opaque;        /* instructions no decoder knew */
	uint64_t bytes;         /* of the trace */
	uint64_t samples, samples_lost; /* as far as the kernel has told of them */
	struct record_stats stats;
	uint64_t steps;         /* times a traced thread was resumed */
	uint32_t static_blocks; /* different blocks */
	uint32_t threads, processes;
	double seconds;          /* from the program's start to its end or the end of recording */
	const char *stop_reason; /* "exit", "count", ...; constant */
};

/*
 * Runs the program and records it. Returns 0 if the trace is finished and whole, else a negative
 * enum tf_status with *error filled in; *result is filled in either way. Where recording fails
 * once the program runs, the program goes on natively to its end first.
 * Signals: ignores SIGQUIT, SIGPIPE and SIGXFSZ and uses SIGALRM; passes SIGTERM and SIGHUP on to
 * the program and ignores SIGINT, or, with options->pid, ends the recording at any of these three.
 * One recording at a time in a process.
 */
int record_run(const struct record_options *options, struct record_result *result,
	       struct tf_error *error);

/* The names of the backends, ended by NULL; the first is the default. */
const char *const *record_backends(void);

/* options.cpu of "native", "x86-64-v2", ...; -1: there is none of that name. */
int record_cpu_level(const char *name);

/* Why options.sample cannot be that text, in message; true: it can. */
bool record_sample_check(const char *text, char *message, size_t size);

/* The malloc family, for options.functions; in a static array. */
const struct record_function *record_default_functions(size_t *count);

#endif
