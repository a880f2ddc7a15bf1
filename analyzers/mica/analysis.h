/* SPDX-License-Identifier: MIT */
/*
 * The interface of MICA's analyses. Each is a pure function of a sequence of executions; none knows
 * of traces. The definitions are MICA's own (Hoste and Eeckhout, "Microarchitecture-Independent
 * Workload Characterization", IEEE Micro 2007, and the programs of that name), at its v0.40.
 */
#ifndef MICA_ANALYSIS_H
#define MICA_ANALYSIS_H

#include "analyzers/common/analyzer.h"
#include "analyzers/mica/superblock.h"
#include "cli/common/checked.h"

/* clang-format off */
enum { MICA_MAX_WINDOWS = 16, MICA_MAX_NUMBERS = 2100, MICA_PPM_LENGTHS = 3,
       MICA_LINE_CELLS = 3, MICA_STACK_NUMBERS = 21 };
/* clang-format on */

struct itypes_groups;

/* Registers of dependences: those of isa_facts, and the flags if they are wanted. */
enum { MICA_FLAGS = ISA_N_REGISTERS, MICA_N_REGISTERS };

/* The parameters of an analysis. */
struct mica_setup {
	struct mica_numbers numbers;
	const struct mica_insn *insns;          /* all, by index */
	unsigned block_shift, page_shift;       /* log2 of bytes, below 64 */
	bool intervals;                         /* end will be called more than once */
	bool exact_intervals;                   /* ilp: cycles go to the interval they belong to */
	bool parts;                             /* states are of parts, or loaded */
	bool one_state;                         /* states cannot be merged, though there is merge */
	bool keeps_all;                         /* all will be called */
	bool ilp_one;                           /* ilp: boundaries as MICA's ilp_one has them */
	unsigned n_windows;                     /* ilp */
	uint32_t windows[MICA_MAX_WINDOWS];     /* instructions; 0: unlimited */
	bool no_avx2;                           /* ilp: do without, as on processors that lack it */
	const uint32_t *latencies;              /* ilp: cycles by static instruction; NULL: all 1 */
	const struct itypes_groups *groups;     /* itypes */
	bool register_transfers;                /* itypes: SPECIAL reg_transfer has a meaning */
	unsigned ppm_lengths[MICA_PPM_LENGTHS]; /* bits of history, 1 .. 16 */
	unsigned jobs;                          /* ppm: threads; 0 is the same as 1 */
	bool stack_writes;                      /* stackdist: stores count */
	bool stack_rounds_up;   /* stackdist: buckets end at powers of two, not before */
	bool zero_instructions; /* linecount: summaries say 0 instructions */
	void (*put_lines)(void *opaque, uint64_t (*lines)[MICA_LINE_CELLS], size_t count);
	void *opaque; /* put_lines's */
};

struct mica_analysis {
	/* Returns a state; the setup must outlive it. Ends the process if memory is out. */
	void *(*start)(const struct mica_setup *setup);
	void (*feed)(void *self, const struct mica_event *events, size_t count);
	/*
	 * Does what feed does for these executions, but faster; NULL: the analysis has only feed.
	 */
	void (*superblock)(void *self, const struct mica_superblock_exec *exec);
	/*
	 * Ends an interval, or the program if there are none: writes its numbers, and forgets what
	 * MICA forgets there. Returns the number of numbers, at most MICA_MAX_NUMBERS.
	 */
	unsigned (*end)(void *self, bool last, uint64_t *numbers);
	/*
	 * Writes the numbers of everything, as `end` would if no interval had ended before; called
	 * behind the last `end`, if setup->keeps_all. NULL: intervals change these numbers.
	 */
	void (*all)(void *self, uint64_t *numbers);
	void (*stop)(void *self);
	/* An interval's numbers do not depend on what came before it: the analysis needs no warm-up. */
	bool forgets_all;
	/*
	 * The results depend on everything before: merge only adds counts, of states that have been
	 * warmed up, each by the executions before its own. Then complete counts what has been fed
	 * but not counted yet; nothing is fed behind it.
	 */
	bool sequential;
	void (*complete)(void *self);
	/*
	 * Makes a fresh state do only a share of the work, of n; merge then adds the results of
	 * other shares, in any order. NULL: the work cannot be divided.
	 */
	void (*divide)(void *self, uint64_t share, uint64_t n);
	bool uses_jobs; /* it has setup->jobs threads */
	/* Called for a fresh state that is to be merged, saved or loaded; NULL: nothing to do. */
	void (*expect_merge)(void *self);
	/*
	 * Adds what `later` has been fed to what self has been fed, as if self had been fed all of
	 * it; both have started with the same setup, and no interval has ended. Returns 0 or
	 * ANALYZER_FEED_AGAIN. NULL: results cannot be merged.
	 */
	int (*merge)(void *self, const void *later);
	/* Write such a state, and read it back into one that has started; with merge. */
	void (*save)(void *self, struct state_writer *writer);
	void (*load)(void *self, struct state_reader *reader);
};

extern const struct mica_analysis mica_ilp, mica_itypes, mica_ppm, mica_reg, mica_stride,
	mica_footprint, mica_stackdist, mica_linecount;

#endif
