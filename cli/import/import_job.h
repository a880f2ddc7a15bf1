/* SPDX-License-Identifier: MIT */
/* A trace that is being made from another tool's trace of executed instructions. */
#ifndef IMPORT_JOB_H
#define IMPORT_JOB_H

#include "cli/common/progress.h"
#include "cli/import/code_table.h"
#include "cli/import/thread_order.h"

/* Parts that the other trace lacks, or the new one cannot have; see import_loss_name(). */
enum import_loss {
	LOSS_MISSING, /* operands of instructions whose access is not in the trace */
	LOSS_SURPLUS, /* accesses that no operand makes */
	LOSS_SIZES,   /* accesses of another size than their operand's */
	LOSS_PLACES,  /* lanes and repetitions whose addresses are not those of an operand */
	LOSS_JUMPS,   /* control went on elsewhere for no known reason */
	LOSS_KERNEL,  /* instructions of the kernel */
	LOSS_UNKNOWN, /* records of unknown types */
	N_IMPORT_LOSSES
};

/* Returns a loss's name in results, for example "missing_accesses". */
const char *import_loss_name(enum import_loss loss);

struct import_process {
	uint32_t key; /* pid */
	uint32_t index;
};

struct import_job {
	const char *from, *to;
	struct code_table code;
	struct thread_order order;
	struct progress progress;
	bool quiet;
	bool cut; /* the trace ends early; the message has been given */
	uint64_t instructions, records;
	uint32_t process;                            /* of the thread that was added last */
	HASH_TABLE(struct import_process) processes; /* by pid */
	uint64_t done; /* bytes of the files that have been read to the end */
	uint64_t lost[N_IMPORT_LOSSES];
};

/* Creates the trace. Returns false after an error, which the code table keeps. */
bool import_begin(struct import_job *job, bool addresses);

/* Adds a META line to the trace. */
void import_note(struct import_job *job, const char *key, const char *value);

/*
 * Adds a thread, and its process if no thread before has this pid. Returns its index, or TF_NONE
 * after an error.
 */
uint32_t import_thread(struct import_job *job, uint32_t pid, uint32_t tid, bool *is_first);

/*
 * Shows the progress; read: bytes of the present file that have been read. Returns false after a
 * message if the trace takes too much memory for files of this size, or if the writer has failed.
 */
bool import_step(struct import_job *job, uint64_t read);

/* A format of --from. */
struct import_format {
	const char *name;
	const char *summary; /* one line: the tool that writes it */
	/* Returns false after a message. */
	bool (*run)(struct import_job *job);
};

/* Returns a format by its name, or NULL. */
const struct import_format *import_format(const char *name);

/* Makes the trace, and prints what it lacks. Returns an exit code. */
int import_executions(const struct import_format *format, struct import_job *job, uint64_t *bytes);

#endif
