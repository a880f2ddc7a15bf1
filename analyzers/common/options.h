/* SPDX-License-Identifier: MIT */
/*
 * The command line of an analyzer: the options that all analyzers have, and its own, from tables.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "analyzers/common/analyzer.h"
#include "analyzers/common/part_choice.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/report_tables.h"

#define WARMUP_AUTO UINT64_MAX /* the warm-up that a slice states */

enum { MAX_ALSO = 15 };

/* Options of more results of the same pass, a text for each. */
struct also_options {
	unsigned count;
	const char *texts[MAX_ALSO];
};

enum threads_mode { THREADS_MERGED, THREADS_EACH, THREADS_PROCESSES };

struct settings {
	uint64_t from;        /* first instruction */
	uint64_t count;       /* UINT64_MAX: to the end */
	uint64_t thread;      /* index; UINT64_MAX: all */
	unsigned threads;     /* enum threads_mode */
	const char *region;   /* NULL: everything */
	uint64_t process;     /* number of the kernel; UINT64_MAX: all */
	const char *function; /* NULL: all */
	bool filtered;        /* leave out excluded code */
	uint64_t interval;    /* instructions; 0: none */
	bool warmup_check;    /* parts are made with twice the warm-up, too */
	uint64_t warmup;      /* instructions before the counted ones, or WARMUP_AUTO */
	uint64_t jobs;
	enum report_format format;
	struct table_options tables;
	const char *output;  /* NULL: stdout; a folder for CSV files, see results.h */
	const char *results; /* instead of output: what the names of two files begin with */
	bool quiet;
	struct also_options also;
	const struct analyzer *analyzer;
	const char *trace; /* of which parts are merged */
	const char *const *traces;
	size_t n_traces; /* 1 or more */

	/* Parts: of the trace to be analyzed, or their files to be merged. */
	struct part_choice part;
	const char *partial; /* the file of a part's result; NULL: the result is reported */
	bool merge;          /* the operands are files of parts, */
	const char *const *parts;
	size_t n_parts;
	uint64_t shares;     /* of an analyzer with shares: how many there are */
	bool incomplete;     /* of which some may be missing */
	char *state_options; /* those on which the state depends, a line "NAME=VALUE" for each */
};

/*
 * Parses the command line; free settings->state_options. own: the analyzer's options_size bytes.
 * Returns OPTION_DONE to analyze settings->traces, which are valid as long as argv and the
 * settings; otherwise the exit code to end with, after --help, --version, --summary or a message.
 */
int parse_options(const struct analyzer *analyzer, int argc, char **argv, struct settings *settings,
		  void *own);

/*
 * Parses the text of --also, which has the analyzer's own options and --interval. own: as above;
 * *words: free it behind the last use of own. Returns 0 or an exit code, after a message.
 */
int parse_also(const struct analyzer *analyzer, const char *text, void *own, uint64_t *interval,
	       char **words);

#endif
