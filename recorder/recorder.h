/* SPDX-License-Identifier: MIT */
/*
 * The recorder runs a program under ptrace and writes what the program executes into a trace.
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
 * A zero in an options structure stands for the default. The recorder prints nothing: it hands
 * each message for the user to options.message.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "recorder/core/options.h"
#include "traceformat/traceformat.h"

struct record_result {
	/* for exit(): the program's status, or 128 + its signal; 0 for an attached process; 125
	 * if recording failed, 126 or 127 if the program cannot be run */
	int exit_status;
	uint64_t instructions;          /* recorded */
	uint64_t blocks, paths;         /* executions recorded */
	uint64_t slots;                 /* recorded by these executions */
	uint64_t opaque;                /* instructions that the decoder does not know */
	uint64_t bytes;                 /* size of the trace */
	uint64_t samples, samples_lost; /* as far as the kernel has reported them */
	struct record_stats stats;
	uint64_t steps;         /* times a traced thread was resumed */
	uint32_t static_blocks; /* different blocks */
	uint32_t threads, processes;
	double seconds;          /* from the program's start to its end or the end of recording */
	const char *stop_reason; /* "exit", "count", ...; constant */
	struct record_windows windows;   /* for options.slices, see record_windows_free() */
	struct record_clusters clusters; /* for options.online, see record_clusters_free() */
};

/*
 * Runs the program and records it. Returns 0 if the trace is complete, else a negative enum
 * tf_status with *error filled in. *result is filled in either way. If recording fails after the
 * program has started, the function returns when the program has run natively to its end.
 * Signals: the recorder ignores SIGQUIT, SIGPIPE and SIGXFSZ and uses SIGALRM. It passes SIGTERM
 * and SIGHUP on to the program and ignores SIGINT. With options->pid, each of these three ends the
 * recording.
 * A process can make only one recording at a time.
 */
int record_run(const struct record_options *options, struct record_result *result,
	       struct tf_error *error);

void record_windows_free(struct record_windows *windows);
void record_clusters_free(struct record_clusters *clusters);

/* Where a slice of options.slices is in a trace, by steps of the merged order of all threads. */
struct record_found {
	bool first_found, end_found;
	bool missed; /* found by instructions, as a marker is not there */
	/* The end came much too early, maybe before `first`, or much too late, as threads executed
	 * in another order. The slice ends after as many filtered instructions as in the earlier
	 * run. */
	bool ends_by_length;
	uint64_t window;                 /* first step of the window that has `first` */
	uint64_t first, end;             /* steps */
	uint64_t executed;               /* instructions of all threads before `first` in the run */
	uint64_t filtered, filtered_end; /* filtered ones before `first` and `end` */
};

/*
 * Finds the slices in the trace that record_run() has written for them; found: one for each. A
 * slice that ends with the program ends with the trace. Returns 0, or a negative enum tf_status
 * with *error filled in.
 */
int record_find_slices(struct tf_reader *reader, const struct record_options *options,
		       const struct record_windows *windows, struct record_found *found,
		       struct tf_error *error);

/* Returns the names of the backends, ended by NULL. The first is the default. */
const char *const *record_backends(void);

/* Returns the value of options.cpu for "native", "x86-64-v2", ...; -1 if the name is unknown. */
int record_cpu_level(const char *name);

/* Returns true if the text is valid for options.sample; otherwise writes the reason to message. */
bool record_sample_check(const char *text, char *message, size_t size);

/* Returns the malloc family, for options.functions, in a static array. */
const struct record_function *record_default_functions(size_t *count);

#endif
