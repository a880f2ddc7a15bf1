/* SPDX-License-Identifier: MIT */
/* What a caller asks of the recorder, and the statistics of a recording. */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A function whose calls are to be events. */
struct record_function {
	const char *name; /* as in the symbol table, mangled */
	unsigned n_args;  /* 0 .. TF_MAX_CALL_ARGS */
	bool wanted;      /* warn if no module has it */
};

/* How much of the environment goes into the trace. */
enum record_environment { RECORD_ENV_NONE, RECORD_ENV_NAMES, RECORD_ENV_ALL };

struct record_options {
	size_t size;                 /* sizeof(struct record_options) */
	char *const *argv;           /* the program and its arguments, ended by NULL */
	pid_t pid;                   /* instead: a process that runs already; it is let go in the
					   end, and runs on natively */
	const char *output;          /* file, or "-": standard output; the program's own
					   standard output then goes to standard error */
	bool force;                  /* replace a regular file that exists */
	int mode;                    /* of the file, as of chmod; 0: its owner's alone */
	const char *backend;         /* NULL: the first of record_backends() */
	const char *command_options; /* what the user asked for, for the trace; may be NULL */
	int level;                   /* zstd level; 0: the default */
	uint64_t chunk_instructions; /* 0: the default */
	bool follow;                 /* record the processes that it starts as well */
	bool serial;                 /* threads and processes run one at a time, so that their
					   order is exact and the same each time */
	bool aslr;                   /* leave addresses randomised */
	bool no_addresses;           /* control flow and repetition counts alone */
	bool self_check;             /* compare what is recorded with the registers; translate */
	int cpu;                     /* level of x86-64 that the program is told of, 2 to 4; 0:
					   the machine's own processor */
	enum record_environment environment;

	/* What to record; all of them may be combined, see region.h. */
	const char *from, *to; /* symbols, NULL: not asked for */
	uint64_t skip, count;  /* instructions, count 0: no limit */
	double seconds;        /* 0: no limit */
	/* Windows: of every so much, so much is recorded. Both 0: all of it. Instructions go with
	 * instructions or, in the window, with a period in seconds. */
	struct record_extent {
		uint64_t instructions;
		double seconds; /* instead of them */
	} period, window;
	uint64_t max_size; /* bytes of the trace, 0: no limit */

	const char *sample; /* what hardware or the kernel samples meanwhile, see
					   sampling/spec.h; NULL: nothing */
	bool only_samples;  /* nothing else is recorded, and the program runs
					   natively */

	bool kill_on_error;   /* it does not go on natively if recording fails */
	double flush_seconds; /* make it readable this often; 0: chunk by chunk */
	const struct record_function *functions;
	size_t n_functions;

	/* Receives warnings and notes, each one line without its end. May be NULL. */
	void (*message)(void *opaque, const char *text);
	void *opaque;
};

/* Where the time of a recording went. */
struct record_stats {
	/* Stops of the program, and what it has asked for without one, by cause: */
	uint64_t exits;    /* a path was left for where nothing had been before */
	uint64_t indirect; /* an indirect jump led to where none had led before */
	uint64_t calls;    /* a watched function was called from another place */
	uint64_t buffers;  /* a buffer of records was full */
	uint64_t syscalls; /* system calls; those that call_table.h lacks take several stops
				   each */
	uint64_t stepped_blocks, stepped_insns; /* a stop an instruction */

	/* Translated: */
	uint64_t superblocks, joined; /* superblocks, and how many of them are extended */
	uint64_t insns, code_bytes;
	uint64_t flushes; /* how often all was thrown away */
	uint64_t checked; /* values compared by self_check */

	/* Seconds, while the program was stopped or waited, */
	double translating, stepping;
	double waiting;     /* for the encoder, */
	double writing;     /* doing its work; */
	double encoding;    /* of CPU, in the encoder's thread */
	double compressing; /* of CPU, in the writer's */
};

#endif
