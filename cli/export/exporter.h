/* SPDX-License-Identifier: MIT */
/*
 * A format of another tool, and what its writer has: an exporter is a row of the table in
 * formats.c.
 */
#ifndef EXPORTER_H
#define EXPORTER_H

#include <sys/types.h>

#include "cli/common/pack.h"
#include "cli/export/linear.h"

/* Parts of a trace that a format has no room for. loss_name() gives their names. */
enum export_loss {
	LOSS_OPAQUE,       /* instructions whose accesses and registers are not known */
	LOSS_REGISTERS,    /* registers of instructions that have more than the format allows */
	LOSS_ACCESSES,     /* accesses of instructions that have more than the format allows */
	LOSS_ADDRESS_ZERO, /* accesses at address 0, which means "none" */
	LOSS_PREFETCHES,   /* prefetches, in formats without them */
	LOSS_SUCCESSORS,   /* taken branches whose next record is not their target */
	LOSS_DISTANCES,    /* branches that are moved, as too many instructions precede them */
	LOSS_LONE_STORES,  /* stores that had to be written as a load and a store */
	LOSS_BUBBLES,      /* instructions without accesses that no line counts */
	LOSS_EDGES,        /* steps between branches that differ from the first of their kind */
	LOSS_BRANCHES,     /* branches that are left out, as their successor is not in the trace */
	LOSS_RESTARTS,     /* interrupted rep instructions that are one with their continuation */
	LOSS_FLUSHES,      /* instructions that flush cache lines, whose addresses are not known */
	LOSS_SYSCALLS,     /* system calls without an event, and events without an instruction */
	LOSS_CALLS,        /* calls and returns of traced functions that no branch precedes */
	N_LOSSES
};

/* Return the name of a loss in results, for example "opaque_instructions", and its meaning. */
const char *loss_name(enum export_loss loss);
const char *loss_meaning(enum export_loss loss);

enum export_registers { REGISTERS_WHOLE, REGISTERS_PIN };

struct export_options {
	unsigned registers;   /* enum export_registers */
	uint64_t split_lines; /* bytes; 0: an access that crosses lines stays one */
	bool rep_once;        /* one record for a rep string instruction, not one a repetition */
	bool drop;            /* operands for which a record has no room are dropped, not split */
	uint64_t period;      /* simulated time of an instruction, ticks */
	uint64_t version;     /* of drmemtrace's format */
	uint64_t chunk;       /* instructions of a component of a zip archive */
	bool plain;           /* files of a folder are not compressed */
	bool syscall_args;    /* arguments and results of system calls are written */
	bool regdeps;         /* synthetic instructions stand for the code bytes */
	bool functions;       /* calls and returns of traced functions are written, */
	bool blocking;        /* and system calls that may block are marked */
	uint64_t v2p_seed;    /* of synthetic physical addresses; UINT64_MAX: there are none */
	bool lanes;           /* each active lane of a masked operand is an access */
};

struct exporter;

/* A folder that has the files of all threads. */
struct export_folder {
	const char *path;
	struct tf_reader *reader;
	const struct export_options *options;
	mode_t mode; /* of files */
};

/* An export in progress: one thread, one file. */
struct export_run {
	const struct exporter *format;
	const struct export_options *options;
	struct tf_reader *reader;
	uint32_t process; /* of the thread */
	uint32_t thread;
	uint64_t first; /* instruction of the thread */
	bool addresses; /* instructions have values */
	bool parts;     /* only instructions inside of a region are exported */
	struct pack *out;
	void *state;  /* the format's own, state_size zeroed bytes */
	void *shared; /* what prepare has returned */
	uint64_t instructions, repetitions, records;
	uint64_t bytes; /* of the whole file, before compression */
	uint64_t lost[N_LOSSES];
};

struct exporter {
	const char *name;    /* of --to */
	const char *summary; /* one line: the tool that reads it */
	size_t state_size;
	const char *suffixes; /* of the compressed files that its tools read; NULL: not known */
	bool addresses;       /* the format needs them; optional_addresses: it can do without */
	bool optional_addresses;
	bool code; /* the format has code bytes */
	/*
	 * For formats whose output is a folder: makes the name of a thread's file in the folder,
	 * which the caller frees, and tells whether a file belongs to such a folder.
	 */
	char *(*file_name)(struct tf_reader *reader, const void *shared, uint32_t thread,
			   const struct export_options *options);
	bool (*is_file_name)(const char *name);
	/* Make and free what all threads share. prepare returns NULL after a message. */
	void *(*prepare)(struct tf_reader *reader);
	void (*release)(void *shared);
	/* Writes files of a folder beside those of the threads. Returns an exit code. */
	int (*finish)(const struct export_folder *folder, const void *shared);
	/* NULL for a step that a format does not need. count sees all instructions before begin. */
	void (*count)(struct export_run *e, const struct linear_insn *insn);
	bool (*count_block)(struct export_run *e, const struct tf_block *block,
			    const uint64_t *values, uint64_t ordinal); /* as block */
	void (*begin)(struct export_run *e);
	void (*insn)(struct export_run *e, const struct linear_insn *insn);
	/*
	 * Writes all instructions of a block but the last one, none of which is opaque or repeats.
	 * Returns false, without a change, if they are to be written one by one.
	 */
	bool (*block)(struct export_run *e, const struct tf_block *block, const uint64_t *values,
		      uint64_t ordinal);
	void (*event)(struct export_run *e, const struct tf_event *event);
	void (*end)(struct export_run *e);
	void (*free)(struct export_run *e);
	const void *layout; /* of formats that share their functions */
};

/*
 * Begins to iterate over the accesses of an instruction with values, of which the options may
 * leave out all repetitions but the first.
 */
static inline void export_accesses(const struct export_run *e, const struct linear_insn *insn,
				   struct linear_accesses *it)
{
	linear_accesses_begin(it, insn);
	if (e->options->rep_once && it->repetitions > 1)
		it->repetitions = 1;
}

/* Writes a record of size bytes, and counts it. */
static inline void export_record(struct export_run *e, const void *record, size_t size)
{
	pack_write(e->out, record, size);
	e->records++;
}

/* Ends a record that has been made in the room of the output, and counts it. */
static inline void export_advance(struct export_run *e, const uint8_t *end)
{
	pack_advance(e->out, (size_t)(end - pack_room(e->out)));
	e->records++;
}

#endif
