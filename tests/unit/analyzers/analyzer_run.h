/* SPDX-License-Identifier: MIT */
/* Runs an analyzer on a trace, through the main function that all analyzers share. */
#ifndef ANALYZER_RUN_H
#define ANALYZER_RUN_H

#include "analyzers/common/analyzer.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/tracewriter.h"

enum { TEXT_SIZE = 1 << 16, RUN_ARGUMENTS = 16 };

/* The trace that the analyzer reads. */
extern struct synthetic trace;

/* The text that the analyzer has written to its file and to stderr, and that file's path. */
extern char output[TEXT_SIZE], messages[TEXT_SIZE], output_path[4096];

/* Set up and tear down a test. */
void analyzer_run_begin(void);
void analyzer_run_end(void);

/*
 * Makes a trace of three threads: thread 0 executes a loop of 4 instructions 300 times, thread 1 a
 * loop of 2 instructions 200 times, and thread 2 nothing. Each chunk has 50 turns. The recorded
 * order alternates between 10 turns of thread 0 and 5 of thread 1 for as long as there are any.
 */
void make_trace(const struct tf_writer_options *options);

/* Make parts of that trace: the part before the first turn, and turn i of a thread. */
void begin_trace(const struct tf_writer_options *options);
void turn(uint32_t thread, uint64_t i);

/* Runs the analyzer with the arguments, up to NULL, and `-o FILE TRACE`. Stores its result in
 * `output` and its messages in `messages`. Returns the exit code. */
int analyze(const struct analyzer *analyzer, ...);

void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

#endif
