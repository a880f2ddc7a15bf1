/* SPDX-License-Identifier: MIT */
/* The options and the statistics of a recording. */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tf_vector_count;

/* The level that takes least time: a third of that of level 1, for 1.5 to 2.5 times the bytes. */
enum { LEVEL_FASTEST = -50 };

/* A function whose calls become events. */
struct record_function {
	const char *name; /* mangled, as in the symbol table */
	unsigned n_args;  /* 0 .. TF_MAX_CALL_ARGS */
	bool wanted;      /* warn if no module has it */
};

/* The part of the environment that goes into the trace. */
enum record_environment { RECORD_ENV_NONE, RECORD_ENV_NAMES, RECORD_ENV_ALL };

/* An instruction of a module and one of its executions. Addresses as in the run that named it. */
struct record_marker {
	const char *module;   /* last part of its path; NULL: the code is in no module */
	const char *build_id; /* hexadecimal; NULL: unknown */
	uint64_t offset, pc;  /* from the lowest address of the module; virtual address */
	uint64_t count;       /* the execution by any thread that is meant, from 1; 0: no marker */
	bool is_head;         /* of a loop or a function, in code that is not excluded */
};

/* A place in the execution of a program: before the marked execution, if there is a marker. */
struct record_place {
	struct record_marker marker;
	/* of all threads before that place in an earlier run, and the filtered ones of them */
	uint64_t instructions, filtered;
};

/* A part to record, from `first` to before `end`; see points.h. */
struct record_slice {
	struct record_place first, end;
	uint64_t warmup; /* instructions before `first` to record, too */
};

/* The end of an interval of an earlier run with vectors, see tf_interval. */
struct record_interval {
	uint64_t number;
	uint64_t instructions; /* of all threads up to it; with `filtered` those */
	uint8_t hash[16];
};

struct record_options {
	size_t size;       /* sizeof(struct record_options) */
	char *const *argv; /* the program and its arguments, ended by NULL */
	/* instead: a running process, which is released at the end and runs on natively */
	pid_t pid;
	const char *output;          /* file, or "-": standard output; the program's own
					   standard output then goes to standard error */
	bool force;                  /* replace a regular file that exists */
	int mode;                    /* of the file, as for chmod; 0: access for its owner only */
	const char *backend;         /* NULL: the first of record_backends() */
	const char *command_options; /* the user's options as text, for the trace; may be NULL */
	int level;                   /* zstd level, or LEVEL_FASTEST; 0: the default */
	uint64_t chunk_instructions; /* 0: the default */
	bool follow;                 /* also record the processes that the program starts */
	bool serial;                 /* threads and processes run one at a time, so that their
					   order is exact and the same each time */
	bool aslr;                   /* leave addresses randomized */
	bool no_addresses;           /* record only control flow and repetition counts */
	bool stats;                  /* measure record_stats.phases */
	bool self_check;             /* compare records with registers; for the translate backend */
	/* folder of the persistent code cache; NULL: none */
	const char *cache;
	uint64_t cache_size; /* most bytes of its files; 0: the default */
	/* level of x86-64 that cpuid reports to the program, 2 to 4; 0: the machine's own
	 * processor */
	int cpu;
	enum record_environment environment;

	/* Limits of the recording; all of them may be combined, see region.h. */
	const char *from, *to; /* symbols, NULL: not asked for */
	uint64_t skip, count;  /* instructions, count 0: no limit */
	double seconds;        /* 0: no limit */
	/*
	 * Windows: of each `period`, `window` is recorded. Both are 0 if everything is recorded.
	 * Instructions go with instructions or, in the window, with a period in seconds.
	 */
	struct record_extent {
		uint64_t instructions;
		double seconds; /* instead of instructions */
	} period, window;
	uint64_t max_size; /* bytes of the trace, 0: no limit */

	/* Instead of executions, record how often each exit was taken in each interval of so many
	 * instructions, see intervals.h. 0: record executions */
	uint64_t interval;
	enum record_boundary { BOUNDARY_EARLY, BOUNDARY_EXACT, BOUNDARY_LOOP } boundary;
	const char *exclude;       /* names of code that is not filtered, see exclusion.h */
	const char *marker_images; /* modules with markers, see loop_heads.h; NULL: the program */

	/* Record only these slices, see points.h. NULL: everything */
	const struct record_slice *slices;
	size_t n_slices;
	/* Places on the way, from which follows how far the program is */
	const struct record_place *guides;
	size_t n_guides;
	bool filtered;    /* instructions are counted without excluded ones up to the slices */
	uint64_t give_up; /* instructions after which a place is no longer waited for */
	/* Ends of the earlier run's intervals, with which this run is compared, see run_check.h */
	const struct record_interval *intervals;
	size_t n_intervals;
	bool ordinal_on_miss; /* use instructions for places whose markers are not reached */
	bool strict;          /* end the recording at the first difference */
	bool kill_at_end;     /* kill the program after the last slice */
	/* Instead of slices that are known: choose them while the program runs, see online.h */
	struct record_online {
		uint64_t interval;     /* instructions; 0: not so */
		uint64_t warmup;       /* instructions to record before each slice, too */
		double radius;         /* of a cluster, see interval_clusters.h */
		uint32_t max_clusters; /* at least 1 */
	} online;

	/* events that hardware or kernel sample during the recording, see sampling/spec.h; NULL:
	 * none */
	const char *sample;
	bool only_samples; /* record only samples, while the program runs natively */

	/* kill the program if recording fails, instead of letting it go on natively */
	bool kill_on_error;
	/* seconds after which the trace is made readable again; 0: chunk by chunk */
	double flush_seconds;
	const struct record_function *functions;
	size_t n_functions;

	/* Receives warnings and notes, each one line without a newline. May be NULL. */
	void (*message)(void *opaque, const char *text);
	void *opaque;
};

/*
 * Phases of the recording thread. Without translation, RECORD_TRANSLATE and RECORD_SYNCHRONIZE take
 * no time.
 */
enum record_phase {
	RECORD_RUN,         /* waits for the program and serves its stops */
	RECORD_LAUNCH,      /* starts the program, or what it executes, and prepares its threads */
	RECORD_TRANSLATE,   /* translates code */
	RECORD_LOAD,        /* translates what the code cache knows; reads and writes that */
	RECORD_SYNCHRONIZE, /* takes tasks out of translated code */
	RECORD_WRITE,       /* writes records, or waits until the encoder has */
	RECORD_EXIT,        /* ends threads, processes and the trace */
	RECORD_PHASES
};

/* Where the time of a recording went. */
struct record_stats {
	/* Stops of the program and requests without a stop, by cause. */
	uint64_t exits;    /* an exit had no translation to go to */
	uint64_t indirect; /* an indirect jump had a new target */
	uint64_t calls;    /* a watched function was called from a new place */
	uint64_t buffers;  /* a buffer of records was full */
	uint64_t syscalls; /* system calls; a call that call_table.h lacks takes several stops */
	uint64_t stepped_blocks, stepped_insns; /* each instruction takes a stop */

	/* Translations. */
	uint64_t superblocks, extended; /* superblocks, and the extended ones among them */
	uint64_t insns, code_bytes;
	uint64_t flushes; /* how often a cache was emptied */
	uint64_t checked; /* values compared by self_check */

	/* The persistent code cache on disk. */
	uint64_t cache_loaded, cache_stale; /* superblocks translated because it has them, or not */
	uint64_t cache_added;               /* trees of superblocks that it did not have */
	uint64_t cache_damaged;             /* files that were ignored */
	uint64_t cache_bytes, cache_written;

	/* Seconds. The first four are time in which the program was stopped or waited. */
	double translating, stepping;
	double waiting;     /* for the encoder */
	double writing;     /* doing the encoder's work */
	double encoding;    /* CPU time of the encoder's threads */
	double compressing; /* CPU time of the writer's threads */

	/* Times of the recording thread, from the begin to the end of record_run(); phase_times.h */
	struct record_seconds {
		double elapsed, cpu;
	} phases[RECORD_PHASES];
};

/* How a run compares with the earlier one of options.intervals. */
struct record_check {
	uint64_t compared; /* intervals that are the same */
	bool differs;
	size_t interval; /* the first that differs, in options.intervals */
	/* The executions in that interval, of all threads, by exit of the trace. */
	struct tf_vector_count *counts;
	size_t n_counts;
};

/* The parts of a run that were recorded for options.slices. */
struct record_windows {
	struct record_window {
		uint64_t executed; /* instructions of all threads before the window */
		uint64_t recorded; /* those of them that are in the trace */
		uint64_t filtered; /* those of them that are filtered */
	} * at;
	size_t n;
	/* How often the instruction of each marker was executed before each window, and at the end:
	 * that of marker m before window w is executions[w * n_markers + m]. */
	uint64_t *executions;
	size_t n_markers;
	/* By slice: the numbers of the markers of its places, UINT32_MAX if a place has none. missed: by
	 * how many executions the begin was passed unrecorded; 0: it was not. */
	struct record_slice_markers {
		uint32_t first, end;
		uint64_t missed;
	} * slices;
	uint64_t executed;  /* instructions of all threads that were counted or recorded */
	uint32_t *excluded; /* blocks of the trace that are not filtered, ascending */
	size_t n_excluded;
	struct record_check check;
};

/* The clusters of the intervals of a run with options.online, and the slices that were recorded. */
struct record_clusters {
	struct record_cluster {
		uint64_t intervals, filtered; /* filtered instructions of all its intervals */
		uint64_t first;               /* its first interval */
		double distance;              /* mean, of its intervals from the first */
		double radius;                /* largest such distance */
		uint64_t slice;               /* the interval that was recorded; UINT64_MAX: none */
		/* The slice's first step in the trace, after `warmup` steps; instructions and filtered
		 * instructions of all threads before its begin and its end. */
		uint64_t step, warmup;
		uint64_t start, end, filtered_start, filtered_end;
	} * at;
	size_t n;
	struct record_member {
		uint64_t end, filtered; /* instructions of the run up to its end */
		double distance;        /* from the first of the cluster */
		uint32_t cluster;
	} * intervals;
	size_t n_intervals;
	uint64_t dropped; /* intervals that were recorded in vain */
	/* Distance of the sketch of the run from the weighted sum of those of the slices; NaN: no
	 * filtered instructions were recorded. */
	double error;
};

#endif
