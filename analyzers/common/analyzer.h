/* SPDX-License-Identifier: MIT */
/*
 * libanalyzer - the skeleton of an analyzer. An analyzer is one file, trace-NAME.c, that says what
 * it wants to see of a trace and what to do with it. A complete one to copy is examples/memsize.c;
 * examples/README.md explains it:
 *
 *	static const struct analyzer memsize = {
 *		.name = "trace-memsize",
 *		.summary = "count data accesses by size and direction",
 *		.columns = TF_ADDRESSES,
 *		.unordered = true,
 *		.state_size = sizeof(struct memsize),
 *		.state_is_counts = true,
 *		.access = access,
 *		.report = report,
 *	};
 *	ANALYZER_MAIN(memsize)
 *
 * The shared main does the rest: it parses the command line, opens the trace and says what is
 * lost of it, replays what was chosen (range, thread, region) through the hooks, cuts it into
 * intervals, spreads it over several cores, writes the report, and chooses the exit code.
 *
 *	cc -o trace-memsize memsize.c $(pkg-config --cflags --libs tracelab-analyzer)
 *
 * `trace-analyze memsize` finds the command in PATH.
 *
 * Hooks that return int return 0 to go on; another value, after a message (analyzer_error), ends
 * the analysis and becomes the exit code (enum analyzer_exit).
 */
#ifndef ANALYZER_H
#define ANALYZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/traceoption.h"
#include "cli/common/tracereport.h"
#include "traceformat/traceformat.h"
#include "traceformat/tracesamples.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- messages and exit codes ------------------------------------------------------------- */

enum analyzer_exit {
	ANALYZER_DONE = 0,
	ANALYZER_FAILED = 1, /* failure, or damage found */
	ANALYZER_USAGE = 2,
	ANALYZER_UNSUITABLE = 3, /* the trace lacks what the analyzer needs */
};

/*
 * Results of merge without a message. ONE_STATE, also of complete: one state has to see everything.
 * FEED_AGAIN: self is as it was, and has to see what `later` saw.
 */
enum { ANALYZER_ONE_STATE = -1, ANALYZER_FEED_AGAIN = -2 };

/* Print "NAME: error: ...", "NAME: warning: ..." on one line of stderr. */
void analyzer_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void analyzer_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Return zeroed memory for count elements of size bytes, or end the process with a message. Free
 * it.
 */
void *analyzer_allocate(size_t count, size_t size);

/* ---- options of an analyzer's own -------------------------------------------------------- */

/*
 * See traceoption.h. An analyzer's option hides a shared option of the same name. These are
 * ready-made parsers, with the types of their destinations in analyzer.options.
 */
typedef const char *analyzer_option_parser(const struct command_option *option, void *destination,
					   const char *text);
analyzer_option_parser analyzer_option_flag;     /* bool */
analyzer_option_parser analyzer_option_count;    /* uint64_t, see analyzer_parse_count */
analyzer_option_parser analyzer_option_positive; /* uint64_t, a count that is not 0 */
analyzer_option_parser analyzer_option_size;     /* uint64_t, not 0, see analyzer_parse_size */
analyzer_option_parser analyzer_option_text;     /* const char * */
analyzer_option_parser analyzer_option_choice;   /* unsigned: which word of argument, "this|that" */

/* Returns the message for a text that is none of the words of option->argument. */
const char *analyzer_option_expects(const struct command_option *);

/*
 * Parses a count: decimal digits, perhaps with a fraction and an exponent as in 1.5e6, and a
 * suffix: k, M, G, T, P, E (powers of 1000), the same with B behind, or Ki, Mi, ... and KiB, MiB,
 * ... (powers of 1024). Returns false on anything else, on a value that is not whole, and on
 * overflow.
 */
bool analyzer_parse_count(const char *text, uint64_t *value);

/* Parses a size of memory in bytes: as a count, but all suffixes are powers of 1024. */
bool analyzer_parse_size(const char *text, uint64_t *value);

/* ---- what a hook may know ---------------------------------------------------------------- */

/* A run of an analyzer. */
struct analysis {
	const struct analyzer *analyzer;
	const char *path;         /* the trace, as on the command line */
	struct tf_reader *reader; /* loaded: the dictionary is there */
	struct tf_info info;
	uint32_t n_threads, n_processes; /* 1 + the greatest index; records in between may
						   be lost, but not that of a thread that is fed */
	const void *options;             /* analyzer's own, parsed */
	bool partial;                    /* a range or a region of the trace, not all of it */
	bool has_warmup;                 /* instructions come before the counted ones; */
	bool warms_up;                   /* they are fed, and clear is called behind them */
	uint32_t thread;                 /* the chosen one, or TF_MERGED; known from start on */
	unsigned jobs;                   /* more than 1: states may be merged */
	bool batch;                      /* one of many: no files where there is no result */
	bool several;                    /* one of several traces, with one result */
	bool one_table;                  /* the result is CSV, best of one table */
	bool parts;                      /* of --part, or trace-merge: states are saved or loaded */
	bool merged;                     /* a state that is started is to be merged with others */
	uint64_t first;                  /* first instruction that is analyzed */
	bool warmed_parts;               /* parts, each behind a warm-up of its own */
	uint64_t share, n_shares;        /* of an analyzer with shares; n_shares 0: no shares */
	bool keeps_all;                  /* report is called behind all rows, for everything */

	/* Members that prepare may change. */
	unsigned columns;      /* analyzer->columns, and TF_EVENTS if it has event; TF_EXTENTS
				   becomes TF_ADDRESSES where blocks are fed */
	bool block_view;       /* do not use the paths hook */
	bool in_order;         /* the order of threads matters, though it is an
					   unordered analyzer */
	bool accesses;         /* the result depends on what instructions access; as
					   analyzer->columns has TF_ADDRESSES */
	bool sums_repetitions; /* all of an instruction take as long as one */
	bool each_thread;      /* a result a thread, as --threads=each */
	bool each_process;     /* a result a process, as --threads=processes */
	bool one_state;        /* states cannot be merged, though there is merge */
	bool uses_jobs;        /* the analyzer has threads of its own for the jobs */
	bool digests;          /* batches may be digested before they are fed */
	bool approximate;      /* of warmed parts: their results depend on what came before the
				  warm-up, so that merging them is not exact */
	const struct report_column *row_columns; /* the analyzer's */
	void *shared;                            /* prepare's own; all states may read it */
};

/* Returns 0, or ANALYZER_UNSUITABLE after a message if the trace has no data addresses. */
int analyzer_needs_addresses(const struct analysis *run);

/* Returns the index of the region of that name, or TF_NONE. */
uint32_t analyzer_region(const struct analysis *run, const char *name);

/*
 * Returns true if merged threads are fed in the recorded order, so that the result may depend on
 * it.
 */
bool analyzer_is_ordered(const struct analysis *run);

/* The part of a trace that a row is about: an interval, or a thread, or both. */
struct analyzer_span {
	char thread[16]; /* its index, or "all" */
	uint64_t first;  /* first instruction: an ordinal, or a step of the merged order */
	uint64_t instructions;
};
#define ANALYZER_SPAN_COLUMNS                                         \
	{ "thread", REPORT_STRING, "" }, { "first", REPORT_U64, "" }, \
	{                                                             \
		"instructions", REPORT_U64, ""                        \
	}
#define ANALYZER_SPAN(span) (span)->thread, (span)->first, (span)->instructions

/* ---- saved states ------------------------------------------------------------------------ */

/* For the hooks save and load: the numbers of a state, in order. */
struct state_writer;
struct state_reader;

void analyzer_put(struct state_writer *writer, uint64_t number);
void analyzer_put_all(struct state_writer *writer, const uint64_t *numbers, size_t count);

/* Returns the next number; 0 behind the end, after which the state is refused. */
uint64_t analyzer_take(struct state_reader *reader);

/* Returns the next number; one that is greater than max makes the state refused. */
uint64_t analyzer_take_max(struct state_reader *reader, uint64_t max);
void analyzer_take_all(struct state_reader *reader, uint64_t *numbers, size_t count);

/* Returns how many bytes are left, of which each number has at least one; 0 if it is refused. */
size_t analyzer_left(const struct state_reader *reader);

/* ---- the analyzer ------------------------------------------------------------------------ */

/* Parts of traces that imported ones may lack (FORMAT.md 3.1). */
enum analyzer_needs { ANALYZER_NEEDS_CODE = 1, ANALYZER_NEEDS_BRANCHES = 2 };

struct analyzer {
	const char *name;    /* its command, "trace-mix" */
	const char *summary; /* one line, without a full stop: --help, trace-analyze --list */
	const char *example; /* a command line, the last line of --help */
	unsigned columns;    /* enum tf_columns without which it cannot work */
	bool samples;        /* it has a result of samples without instructions, too */
	unsigned needs;      /* enum analyzer_needs, or-ed */
	bool writes_files;   /* and not only a report, so that it takes one trace at a time */
	bool follows_calls;  /* it cannot leave out functions */
	bool unordered;      /* how threads interleave does not matter: merged, they are fed one
				   after the other */

	const struct command_option *options; /* NULL: none */
	const void *defaults;                 /* options before parsing; NULL: zeros */
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
	 * The batches: executions of one thread in program order. One of these, or access, is
	 * needed. With both paths and blocks, paths are fed unless run->block_view is set, or the
	 * range, a region or an interval has to be cut as finely as at blocks, or addresses are
	 * wanted and the paths hook does not take them.
	 */
	int (*paths)(void *self, const struct tf_item *item);
	int (*blocks)(void *self, const struct tf_item *item);
	int (*insns)(void *self, const struct tf_item *item);
	bool path_addresses; /* the paths hook takes TF_ADDRESSES */

	/*
	 * Digests: what is left of batches when all has been done that needs no state. With
	 * --jobs, threads that decode ahead may call digest instead of handing batches on, if
	 * run->digests is set; no event, warm-up, interval or region is near. A digest is of
	 * batches that follow each other; others may have been fed before. It is digest_size bytes,
	 * zeroed before the first call, and belongs to one thread at a time. digest adds a batch,
	 * and returns false once no other should follow. take feeds the digest to the state instead
	 * of the batches, and empties it for others. free_digest frees what it points to.
	 */
	size_t digest_size;
	bool (*digest)(void *digest, const struct analysis *run, const struct tf_item *item);
	int (*take)(void *self, void *digest);
	void (*free_digest)(void *digest);

	/*
	 * Called for each data access of a block, after the blocks hook; needs TF_ADDRESSES. The
	 * operands of an instruction follow each other; see tf_block_accesses_begin.
	 */
	int (*access)(void *self, uint32_t thread, const struct tf_block_accesses *access);

	/*
	 * Called for each basic block vector, by interval, then by thread. NULL: the analyzer needs
	 * executions, and refuses traces that have only vectors.
	 */
	int (*vector)(void *self, const struct tf_vector *vector);

	/* Called for each event; see tf_cursor_open for its place among the batches. */
	int (*event)(void *self, const struct tf_event *event);

	/* The state is an array of uint64_t, and merge adds them; set it instead of merge. */
	bool state_is_counts;

	/*
	 * Adds the results of `later`, of what follows immediately in the stream (or of other
	 * threads, if unordered). Present: --jobs=N splits streams at chunks, each with a state of
	 * its own; the result must be that of one state that saw everything. Else jobs decode
	 * ahead, and the hooks are called from one thread.
	 */
	int (*merge)(void *self, const void *later);

	/*
	 * A part sees everything that is analyzed, but does only a share of the work, see struct
	 * analysis. merge adds results of other shares, in any order, but does not serve several
	 * jobs. With compare and a warm-up, parts are ranges nevertheless.
	 */
	bool shares;

	/*
	 * Called for a state to which everything has been merged, before its report; NULL: nothing
	 * is left to do. It and merge may find that the states cannot be merged: see
	 * ANALYZER_ONE_STATE (everything is fed again, to one state) and ANALYZER_FEED_AGAIN.
	 */
	int (*complete)(void *self);

	/*
	 * Writes a state to a file and reads it back, into one that has been started, for --part
	 * and trace-merge. NULL: states cannot be saved; those of state_is_counts always can. load
	 * refuses what save cannot have written: a file is untrusted input.
	 */
	int (*save)(void *self, struct state_writer *writer);
	int (*load)(void *self, struct state_reader *reader);
	/*
	 * Reports how the numbers of an approximate result differ from those of `other`, whose
	 * warm-ups were twice as long. NULL: no parts are approximate.
	 */
	int (*compare)(void *self, void *other, const struct analysis *run, struct report *report);
	unsigned state_version;           /* to be changed with what save writes */
	const char *const *state_options; /* names of the options on which the state depends, to
					      NULL; NULL: none */

	/* Writes the result for all that was fed. */
	int (*report)(void *self, const struct analysis *run, struct report *report);

	/*
	 * Appends one row (or a few) of the table row_columns for what was fed since start or
	 * clear. Present: --interval=N and --threads=each are offered. The columns begin with
	 * ANALYZER_SPAN_COLUMNS.
	 */
	int (*row)(void *self, const struct analysis *run, const struct analyzer_span *span,
		   struct report *report);
	const struct report_column *row_columns;

	/*
	 * Extends the options of a pass, `all`, so that its state serves for `more`, too. report
	 * and row then get the options of one result after the other in run->options. Called when
	 * the trace is open, before prepare. Returns false if no state serves for both. NULL: a
	 * pass has one result.
	 */
	bool (*also)(const struct analysis *run, void *all, const void *more);

	/*
	 * Forgets what was counted, but not what was learnt; NULL: stop, zero and start. Present,
	 * and the order of threads matters: the warm-up before the counted instructions is fed,
	 * then forgotten. Else it is not fed.
	 */
	void (*clear)(void *self);
};

/* Returns true if the trace has basic block vectors instead of executions. */
bool analyzer_has_vectors(const struct analysis *run);

/* Runs an analyzer; returns its exit code. */
int analyzer_main(const struct analyzer *analyzer, int argc, char **argv);

#define ANALYZER_MAIN(analyzer)                                \
	int main(int argc, char **argv)                        \
	{                                                      \
		return analyzer_main(&(analyzer), argc, argv); \
	}

/* ---- counts by place --------------------------------------------------------------------- */

/* The rows of a table: what a static instruction belongs to, a thread, or a name. */
enum analyzer_by {
	ANALYZER_BY_FUNCTION, /* C++ names as in the source */
	ANALYZER_BY_LINE,     /* as far as the programs' files are here */
	ANALYZER_BY_MODULE,
	ANALYZER_BY_THREAD,
	ANALYZER_BY_SYMBOL, /* functions, names as in the symbol table */
	ANALYZER_BY_NAME,   /* any text: analyzer_table_named */
};
#define ANALYZER_BY_WORDS "function|line|module|thread" /* for analyzer_option_choice */

/* Rows of n_counts numbers each. All functions end the process with a message if memory is out. */
struct analyzer_table;

/* Returns an empty table. reader: loaded, and outlives the table. A table is one thread's. */
struct analyzer_table *analyzer_table_new(const struct tf_reader *reader, enum analyzer_by by,
					  size_t n_counts);
void analyzer_table_free(struct analyzer_table *table); /* NULL is allowed */
void analyzer_table_clear(struct analyzer_table *table);

/*
 * Returns the counts of the row that instruction `insn` of a block belongs to, executed by a
 * thread; zeros at first. Valid until the next call with this table. O(1): two loads for a known
 * row.
 */
uint64_t *analyzer_table_at(struct analyzer_table *table, uint32_t thread,
			    const struct tf_block *block, unsigned insn);

/* Returns the counts of the row that an access belongs to, as analyzer_table_at. */
static inline uint64_t *analyzer_table_of(struct analyzer_table *table, uint32_t thread,
					  const struct tf_block_accesses *access)
{
	return analyzer_table_at(table, thread, access->exec->block, access->operand->insn);
}

/* Returns the counts of the row of a name. Valid until the next call with this table. */
uint64_t *analyzer_table_named(struct analyzer_table *table, const char *name);

/* Adds the rows of another table of the same trace and kind. */
void analyzer_table_merge(struct analyzer_table *table, const struct analyzer_table *other);

struct analyzer_row {
	const char *module; /* its file without folders, "[no file]", or NULL: not asked for */
	const char *name;   /* function ("[unknown]" without one), "file:line", name, or NULL */
	uint32_t thread;    /* ANALYZER_BY_THREAD, else TF_NONE */
	const uint64_t *counts;
};

/*
 * Returns all rows, those with the greatest counts[sort] first, equal ones by module and name;
 * *count receives their number. Valid until the next call with this table.
 */
const struct analyzer_row *analyzer_table_rows(struct analyzer_table *table, size_t sort,
					       size_t *count);

/*
 * Reports at most `top` of these rows as a table `name`: the columns of the counts (U64, as many as
 * there are), then the place's: "module" and "symbol" or "line", "thread", or "name".
 */
void analyzer_table_report(struct analyzer_table *table, struct report *report, const char *name,
			   const struct report_column *counts, size_t sort, uint64_t top);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
