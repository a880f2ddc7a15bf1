/* SPDX-License-Identifier: MIT */
/* Runs commands on broken input under limits on time and memory, and judges how they end. */
#ifndef LIMITED_RUN_H
#define LIMITED_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/common/bytes.h"

struct limited_run {
	const char *bin, *save; /* the folder of the commands; that of inputs that fail */
	char folder[64];        /* the current one of the commands */
	char input[16];         /* the input's name there */
	uint64_t input_bytes;   /* the size that memory is judged by */
	unsigned factor;        /* times more time and memory, for sanitizers */
	uint64_t runs;
	unsigned faults;
	uint64_t seed, count, seconds; /* as the command line asks */
	unsigned n_commands;
};

struct outcome {
	int status;  /* as of wait(2) */
	long memory; /* KiB */
	bool late;   /* ended by a limit on time */
};

/* Prints a message with errno's meaning, and ends the process. */
_Noreturn void fuzz_die(const char *what);

/*
 * Reads the options -s -n -t -c -x and BIN SAVE, and makes the folder. Returns the index of the first argument
 * behind them. A wrong command line ends the process with the usage.
 */
int limited_run_begin(struct limited_run *f, int argc, char **argv, const char *usage);

/* Removes the folder, prints the totals (of so many "traces"), and returns an exit code. */
int limited_run_end(struct limited_run *f, uint64_t done, const char *what);

/* Whether one more input is to be tried after so many. */
bool limited_run_more(const struct limited_run *f, uint64_t done);

/* Writes a file into the folder. */
void limited_run_write(const struct limited_run *f, const char *name, const void *bytes,
		       uint64_t size);

/* Reads at most `most` bytes of a file, in place of what *bytes had. A file that is not there, or empty, ends the process. */
void fuzz_read(const char *path, struct buffer *bytes, uint64_t most);

/*
 * Runs a command, its words parted by blanks: '@' is the input's name, '%' the input itself, as an
 * argument. A '|' before the command gives it the input through a pipe. Prints faults, and keeps their inputs: a
 * signal, a sanitizer's report, an exit code that no manual names, more time or memory than such an input can need;
 * and a failure, if must_succeed, but for traces without content.
 */
struct outcome limited_run(struct limited_run *f, uint64_t seed, const char *command,
			   bool must_succeed);

bool outcome_good(const struct outcome *outcome);

#endif
