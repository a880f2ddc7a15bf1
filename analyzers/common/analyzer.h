/* SPDX-License-Identifier: MIT */
/*
 * The skeleton of an analyzer. An analyzer is one file, analyzers/trace-NAME.c, that says what it
 * wants to see of a trace and what to do with it; examples/memsize.c is a whole one to copy:
 *
 *	static const struct analyzer memsize = {
 *		.name = "trace-memsize",
 *		.summary = "count data accesses by size",
 *		.columns = TF_ADDRESSES,
 *		.unordered = true,
 *		.state_size = sizeof(struct memsize),
 *		.blocks = blocks,
 *		.report = report,
 *	};
 *	ANALYZER_MAIN(memsize)
 *
 * The shared main does the rest: it parses the command line, opens the trace and says what is
 * lost of it, replays what was chosen (range, thread, region) through the hooks, cuts it into
 * intervals, spreads it over several cores, writes the report, and chooses the exit code.
 *
 * Hooks that return int return 0 to go on; another value, after a message of their own, ends the
 * analysis and becomes the exit code (enum exit_code).
 */
#ifndef ANALYZER_H
#define ANALYZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/command.h"
#include "cli/common/report.h"
#include "traceformat/traceformat.h"

/* ---- options of an analyzer's own -------------------------------------------------------- */

/*
 * An option of the command line. An analyzer's own hides a shared one of the same name.
 * parse reads text into destination, which is analyzer.options_size bytes at `offset`; it returns
 * NULL, or what is wrong with text ("not a number"). text is NULL if no value was given.
 */
struct analyzer_option {
	const char *name;     /* long, without dashes; NULL ends a list */
	char letter;          /* short, or 0 */
	const char *argument; /* as --help names it; NULL: none; in brackets: may be left out */
	const char *help;     /* NULL: --help gives the name alone */
	const char *(*parse)(const struct analyzer_option *option, void *destination,
			     const char *text);
	size_t offset;
};

/* Ready-made parsers, and the type of their destination. */
const char *option_flag(const struct analyzer_option *, void *destination,
			const char *text); /* bool */
const char *option_count(const struct analyzer_option *, void *destination,
			 const char *text); /* uint64_t, see parse_count */
const char *option_positive(const struct analyzer_option *, void *destination,
			    const char *text); /* uint64_t, not 0 */
const char *option_size(const struct analyzer_option *, void *destination,
			const char *text); /* uint64_t, not 0, see parse_size */
const char *option_text(const struct analyzer_option *, void *destination,
			const char *text); /* const char * */
const char *option_choice(const struct analyzer_option *, void *destination,
			  const char *text); /* unsigned: which word of argument, "this|that" */

/* What is wrong with a text that is none of the words of option->argument. */
const char *option_expects(const struct analyzer_option *);

/* ---- what a hook may know ---------------------------------------------------------------- */

/* One run of an analyzer. */
struct analysis {
	const struct analyzer *analyzer;
	const char *path;         /* the trace, as on the command line */
	struct tf_reader *reader; /* loaded: the dictionary is there */
	struct tf_info info;
	uint32_t n_threads, n_processes; /* 1 + the greatest index; records in between may
						   be lost, but not that of a thread that is fed */
	const void *options;             /* analyzer's own, parsed */
	bool partial;                    /* a range or a region of the trace, not all of it */
	uint32_t thread;                 /* the chosen one, or TF_MERGED; known from start on */
	unsigned jobs;                   /* more than 1: states may be merged */
	bool batch;                      /* one of many: no files where there is no result */
	bool one_table;                  /* the result is CSV, best of one table */

	/* What prepare may change. */
	unsigned columns; /* analyzer->columns, and TF_EVENTS if it has event */
	bool block_view;  /* do not use the paths hook */
	bool in_order;    /* the order of threads matters, though it is an
					   unordered analyzer */
	bool accesses;    /* the result depends on what instructions access; as
					   analyzer->columns has TF_ADDRESSES */
	bool each_thread; /* a result a thread, as --threads=each */
	const struct report_column *row_columns; /* the analyzer's */
	void *shared;                            /* prepare's own; all states may read it */
};

/* 0, or EXIT_UNSUITABLE after a message: the trace has no data addresses. */
int analysis_needs_addresses(const struct analysis *run);

/* The index of the region of that name, or TF_NONE. */
uint32_t analysis_region(const struct analysis *run, const char *name);

/* Whether threads that are merged are fed in the recorded order, and the result may depend on it. */
bool analysis_is_ordered(const struct analysis *run);

/* The part of a trace that a row is about: an interval, or a thread, or both. */
struct span {
	char thread[16]; /* its index, or "all" */
	uint64_t first;  /* first instruction: an ordinal, or a step of the merged order */
	uint64_t instructions;
};
#define SPAN_COLUMNS                                                  \
	{ "thread", REPORT_STRING, "" }, { "first", REPORT_U64, "" }, \
	{                                                             \
		"instructions", REPORT_U64, ""                        \
	}
#define SPAN(span) (span)->thread, (span)->first, (span)->instructions

/* ---- the analyzer ------------------------------------------------------------------------ */

struct analyzer {
	const char *name;    /* its command, "trace-mix" */
	const char *summary; /* one line, without a full stop: --help, trace-analyze --list */
	const char *example; /* a command line, the last line of --help */
	unsigned columns;    /* enum tf_columns without which it cannot work */
	bool samples;        /* it has a result of samples without instructions, too */
	bool unordered;      /* how threads interleave does not matter: merged, they are fed one
				   after the other */

	const struct analyzer_option *options; /* NULL: none */
	const void *defaults;                  /* options before parsing; NULL: zeros */
	size_t options_size;

	size_t state_size; /* bytes of state, the hooks' self; zeroed before start */

	/* Called once, when the trace is open and before anything else; see struct analysis. */
	int (*prepare)(struct analysis *run);
	/* Called once at the end, whatever happened; run->shared may be NULL. */
	void (*finish)(struct analysis *run);

	/* Called for each state: there is one a result, and with --jobs several. stop is called
	 * even after a start that failed. */
	int (*start)(void *self, const struct analysis *run);
	void (*stop)(void *self);

	/*
	 * The batches: executions of one thread in program order. One of these is needed. With
	 * both paths and blocks, paths are fed unless run->block_view is set, or the range, a
	 * region or an interval has to be cut as finely as at blocks, or addresses are wanted and
	 * the paths hook does not take them.
	 */
	int (*paths)(void *self, const struct tf_item *item);
	int (*blocks)(void *self, const struct tf_item *item);
	int (*insns)(void *self, const struct tf_item *item);
	bool path_addresses; /* the paths hook takes TF_ADDRESSES */

	/* Called for each event; see tf_cursor_open for its place among the batches. */
	int (*event)(void *self, const struct tf_event *event);

	/*
	 * Adds the results of `later`, of what follows immediately in the stream (or of other
	 * threads, if unordered). Present: --jobs=N splits streams at chunks, each with a state of
	 * its own; the result must be that of one state that saw everything. Else jobs decode
	 * ahead, and the hooks are called from one thread.
	 */
	int (*merge)(void *self, const void *later);

	/* Writes the result for all that was fed. */
	int (*report)(void *self, const struct analysis *run, struct report *report);

	/*
	 * Appends one row (or a few) of the table row_columns for what was fed since start or
	 * clear. Present: --interval=N and --threads=each are offered. The columns begin with
	 * SPAN_COLUMNS.
	 */
	int (*row)(void *self, const struct analysis *run, const struct span *span,
		   struct report *report);
	const struct report_column *row_columns;

	/* Forgets what was counted, but not what was learnt; NULL: stop, zero and start. */
	void (*clear)(void *self);
};

/* Runs an analyzer; returns its exit code. */
int analyzer_main(const struct analyzer *analyzer, int argc, char **argv);

#define ANALYZER_MAIN(analyzer)                                \
	int main(int argc, char **argv)                        \
	{                                                      \
		return analyzer_main(&(analyzer), argc, argv); \
	}

#endif
