/* SPDX-License-Identifier: MIT */
/*
 * The code that the executables of MICA's analyses share. Each is a struct mica_tool: one analysis,
 * its options, and the names of its numbers.
 */
#ifndef MICA_TOOL_H
#define MICA_TOOL_H

#include "analyzers/common/analyzer.h"
#include "analyzers/mica/expand.h"
#include "analyzers/mica/itypes.h"
#include "analyzers/mica/run.h"

/* A tool offers the options that concern it. */
struct mica_options {
	uint64_t interval;              /* instructions; 0: none */
	uint64_t block_size, page_size; /* bytes */
	const char *windows;            /* sizes separated by commas */
	bool exact_intervals;
	bool fold, flags, cet; /* enum mica_dependences */
	const char *latencies; /* a file; NULL: all are 1 */
	const char *groups;    /* a file; NULL: MICA's groups */
};
extern const struct mica_options mica_defaults;

#define MICA_OPTION(name, letter, argument, help, parse, member)                           \
	{                                                                                  \
		name, letter, argument, help, parse, offsetof(struct mica_options, member) \
	}
#define MICA_OPTION_INTERVAL                                                 \
	MICA_OPTION("interval", 0, "N", "a result for every N instructions", \
		    analyzer_option_positive, interval)
#define MICA_OPTION_BLOCK                                                              \
	MICA_OPTION("block-size", 'b', "BYTES", "size of a memory block (default 64)", \
		    analyzer_option_positive, block_size)
#define MICA_OPTION_FOLD                                                                    \
	MICA_OPTION("fold-registers", 0, NULL, "treat al, ax, eax and rax as one register", \
		    analyzer_option_flag, fold)
#define MICA_OPTION_CET                                                        \
	MICA_OPTION("cet", 0, NULL, "put endbr64 and rdssp into category CET", \
		    analyzer_option_flag, cet)
#define MICA_OPTIONS_ILP                                                                       \
	MICA_OPTION("exact-intervals", 0, NULL, "count each cycle in its own interval",        \
		    analyzer_option_flag, exact_intervals),                                    \
		MICA_OPTION_FOLD,                                                              \
		MICA_OPTION("flags", 0, NULL, "treat the flags as a register",                 \
			    analyzer_option_flag, flags),                                      \
		MICA_OPTION("latency", 0, "FILE", "cycles that instructions take (default 1)", \
			    analyzer_option_text, latencies)

/* A number of an analysis. */
struct mica_column {
	const char *name, *unit;
};

/* A quotient of two numbers of a row, such as instructions per cycle. */
struct mica_quotient {
	char name[40];
	double factor;              /* 100 of percentages, else 1 */
	unsigned dividend, divisor; /* MICA_EXECUTIONS, or MICA_NUMBER of an index */
};
enum { MICA_EXECUTIONS = 1, MICA_COUNTS = 2 }; /* a row: instructions, executions, numbers */
#define MICA_NUMBER(index) (MICA_COUNTS + (index))

/* Writes "23.456 %", a share of a whole; nothing if the whole is 0. */
void mica_share(uint64_t part, uint64_t whole, char *text, size_t size);

struct mica_tool {
	const struct mica_analysis *analysis;
	const struct mica_column *columns; /* to the name NULL; NULL: name and unit */
	/* Completes the setup by the options; NULL: nothing to do. Returns 0, or an exit code
	 * after a message. */
	int (*prepare)(const struct mica_options *options, struct mica_setup *setup);
	/* Writes the name of a column to text; false if there are no more. */
	bool (*name)(const struct mica_setup *setup, unsigned column, char *text, size_t size);
	const char *unit;
	const char *const *legend; /* names and their meanings, in turn, to NULL; NULL: none */
	bool accesses;             /* as of struct analysis */
	/* Describes a quotient that is reported, too; false if there are no more. NULL: none. */
	bool (*quotient)(const struct mica_setup *setup, unsigned index,
			 struct mica_quotient *quotient);
	/* Writes what text shows beside a number of a row. NULL, or an empty text: nothing. */
	void (*remark)(const struct mica_setup *setup, unsigned column, const uint64_t *row,
		       char *text, size_t size);
	/* Adds a table for text. NULL: none. */
	void (*table)(const uint64_t *row, struct report *report);
	unsigned n_in_table; /* numbers, from the first on, and quotients that the table shows */
};

/* Defined by the executable. */
extern const struct mica_tool mica_tool;

/* A result. */
struct mica_state {
	struct mica_expander expander;
	struct mica_run run;
	unsigned width;       /* numbers of a row: instructions, executions, the line's */
	bool counts_none;     /* another share counts the executions */
	ARRAY(uint64_t) rows; /* kept until the report */
	bool ended;
};

/* Hooks of a struct analyzer. */
int mica_prepare(struct analysis *run);
void mica_finish(struct analysis *run);
int mica_start(void *self, const struct analysis *run);
void mica_stop(void *self);
int mica_items(void *self, const struct tf_item *item);
void mica_clear(void *self);
int mica_merge(void *self, const void *later);
int mica_save(void *self, struct state_writer *writer);
int mica_load(void *self, struct state_reader *reader);
int mica_compare(void *self, void *other, const struct analysis *run, struct report *report);
extern const char *const mica_state_options[];
int mica_report(void *self, const struct analysis *run, struct report *report);
int mica_row(void *self, const struct analysis *run, const struct analyzer_span *span,
	     struct report *report);
bool mica_also(const struct analysis *run, void *all, const void *more);

/*
 * Whether the order of the threads' executions matters: struct analyzer's unordered; shared: parts
 * are approximate, as well, unless they are shares of the work.
 */
enum { MICA_IN_ORDER, MICA_ANY_ORDER, MICA_SHARED };

#define MICA_TOOL(tool_needs, tool_order, tool_name, tool_summary, tool_example, tool_columns, \
		  tool_options)                                                                \
	static const struct analyzer analyzer = {                                              \
		.unordered = tool_order == MICA_ANY_ORDER,                                     \
		.name = tool_name,                                                             \
		.summary = tool_summary,                                                       \
		.example = tool_example,                                                       \
		.columns = tool_columns,                                                       \
		.needs = tool_needs,                                                           \
		.options = tool_options,                                                       \
		.defaults = &mica_defaults,                                                    \
		.options_size = sizeof(struct mica_options),                                   \
		.state_size = sizeof(struct mica_state),                                       \
		.prepare = mica_prepare,                                                       \
		.finish = mica_finish,                                                         \
		.start = mica_start,                                                           \
		.stop = mica_stop,                                                             \
		.paths = mica_items,                                                           \
		.blocks = mica_items,                                                          \
		.path_addresses = true,                                                        \
		.report = mica_report,                                                         \
		.row = mica_row,                                                               \
		.also = mica_also,                                                             \
		.clear = mica_clear,                                                           \
		.merge = mica_merge,                                                           \
		.shares = tool_order == MICA_SHARED,                                           \
		.save = mica_save,                                                             \
		.load = mica_load,                                                             \
		.compare = tool_order == MICA_SHARED ? mica_compare : NULL,                    \
		.state_version = 2,                                                            \
		.state_options = mica_state_options,                                           \
	};                                                                                     \
	ANALYZER_MAIN(analyzer)

#endif
