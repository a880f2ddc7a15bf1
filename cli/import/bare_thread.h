/* SPDX-License-Identifier: MIT */
/*
 * A thread of a trace without code: instructions have a pc and accesses, but no bytes, and often no
 * length. They are opaque in the new trace. An instruction is as long as the distance to the next
 * one if control went on there; otherwise as it was before, or 1 byte.
 */
#ifndef BARE_THREAD_H
#define BARE_THREAD_H

#include "cli/import/import_job.h"
#include "cli/import/thread_writer.h"

struct bare_insn {
	uint64_t pc, target; /* target: static, 0 if it is not known */
	uint8_t end;         /* enum tf_end */
	bool taken;
	uint8_t length; /* bytes; 0: not known */
	unsigned n_accesses;
	struct code_access accesses[CODE_MAX_OPERANDS];
	uint64_t addresses[CODE_MAX_OPERANDS];
};

struct bare_place {
	uint64_t key;  /* pc */
	uint32_t insn; /* that was executed there last, or TF_NONE */
	uint32_t next; /* number of the place that came next the last time */
	uint8_t length;
};

struct bare_thread {
	struct import_job *job;
	struct thread_writer *thread;
	HASH_TABLE(struct bare_place) places;
	uint32_t at; /* number of the place of the last instruction, if there are any places */
	struct bare_insn held; /* whose successor is not known yet */
	bool holds;
};

/* The parts of a trace that a format has beside pcs. */
struct bare_format {
	const char *name;
	bool addresses, sizes, branches;
};

/* Creates the trace of a format without code, with its only thread. Returns NULL after an error. */
struct bare_thread *bare_thread_open(struct import_job *job, const struct bare_format *format);

/* Appends an instruction, which is copied. */
void bare_thread_insn(struct bare_thread *t, const struct bare_insn *insn);

/* Adds an access to an instruction. Returns false if it has no room. */
bool bare_insn_access(struct bare_insn *insn, unsigned access, uint64_t address, uint16_t size);

/*
 * States that instructions which are not in the file were executed here. instructions: their
 * number; 0: it is not known.
 */
void bare_thread_gap(struct bare_thread *t, uint64_t instructions);

/* Ends the thread and frees it; NULL is allowed. */
void bare_thread_close(struct bare_thread *t);

#endif
