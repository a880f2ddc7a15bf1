/* SPDX-License-Identifier: MIT */
/* Runs commands on broken input under limits on time and memory, and judges how they end. */
#ifndef LIMITED_RUN_H
#define LIMITED_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/scratch.h"
#include "traceformat/common/bytes.h"

struct limited_run {
	const char *bin, *save; /* the folder of the commands; that of inputs that fail */
	scratch_path folder;    /* the current one of the commands */
	char input[16];         /* the input's name there */
	uint64_t input_bytes;   /* the size that memory is judged by */
	uint64_t runs;
	unsigned faults;
	uint64_t seed, count, seconds; /* as the command line asks */
	unsigned n_commands;
	const char *with; /* only the commands that contain this text */
};

struct outcome {
	int status;  /* as of wait(2) */
	long memory; /* KiB */
	bool late;   /* ended by a limit on time */
};

/* Prints a message with errno's meaning, and ends the process. */
_Noreturn void fuzz_die(const char *what);

/*
 * Reads the options -s -n -t -c -w and BIN SAVE, and makes the folder. Returns the index of the
 * first argument behind them. A wrong command line ends the process with the usage.
 */
int limited_run_begin(struct limited_run *f, int argc, char **argv, const char *usage);

/* Removes the folder, prints the totals (a number of "traces"), and returns an exit code. */
int limited_run_end(struct limited_run *f, uint64_t done, const char *what);

/* Returns whether to try one more input after so many. */
bool limited_run_more(const struct limited_run *f, uint64_t done);

/* Writes a file into the folder. */
void limited_run_write(const struct limited_run *f, const char *name, const void *bytes,
		       uint64_t size);

/* Replaces the content of *bytes by at most `most` bytes of a file. A missing or empty file ends
 * the process. */
void fuzz_read(const char *path, struct buffer *bytes, uint64_t most);

/*
 * Runs a command, whose words are separated by blanks. '@' stands for the input's name, '%' for the
 * input itself, as an argument. A '|' before the command passes the input through a pipe. Prints
 * faults, and keeps their inputs. Faults are a signal, a sanitizer's report, an exit code that no
 * manual names, and more time or memory than such an input can need. With must_succeed a failure is
 * a fault as well, except for traces without content.
 */
struct outcome limited_run(struct limited_run *f, uint64_t seed, const char *command,
			   bool must_succeed);

bool outcome_good(const struct outcome *outcome);

#endif
