/* SPDX-License-Identifier: MIT */
/* Runs an analyzer, by the main that all share, on a trace. */
#ifndef ANALYZER_RUN_H
#define ANALYZER_RUN_H

#include "analyzers/common/analyzer.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/tracewriter.h"

enum { TEXT_SIZE = 1 << 16, RUN_ARGUMENTS = 16 };

/* What it is run on. */
extern struct synthetic trace;

/* What it has written to its file and to stderr. */
extern char output[TEXT_SIZE], messages[TEXT_SIZE], output_path[64];

/* Fixtures of a test. */
void analyzer_run_begin(void);
void analyzer_run_end(void);

/*
 * Thread 0 executes a loop of 4 instructions 300 times, thread 1 one of 2 instructions 200 times,
 * thread 2 nothing; both in chunks of 50 turns. The recorded order is 10 turns of thread 0, then
 * 5 of thread 1, while there are some.
 */
void make_trace(const struct tf_writer_options *options);

/* The same by hand: what is before the first turn; one turn, i of its thread. */
void begin_trace(const struct tf_writer_options *options);
void turn(uint32_t thread, uint64_t i);

/* Runs the analyzer with the arguments, up to NULL, and `-o FILE TRACE`; its result is then in
 * output, its messages in messages. Returns the exit code. */
int analyze(const struct analyzer *analyzer, ...);

void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

#endif
