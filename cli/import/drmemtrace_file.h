/* SPDX-License-Identifier: MIT */
/* The state of one file of drmemtrace while it is imported. */
#ifndef DRMEMTRACE_FILE_H
#define DRMEMTRACE_FILE_H

#include "cli/import/drmemtrace_functions.h"
#include "cli/import/drmemtrace_input.h"
#include "cli/import/drmemtrace_values.h"
#include "cli/import/thread_writer.h"

/* An instruction's place in the code, as this file last described it. */
struct code_place {
	uint64_t key;  /* pc */
	uint32_t insn; /* of the code table, or TF_NONE if its code is not known */
	uint32_t next; /* number of the place that came next the last time */
};

/* Where control should go behind an instruction. */
struct successor {
	bool is_known;
	uint64_t pc, other; /* two places behind a conditional branch of an unknown outcome */
};

struct drmemtrace_file {
	struct import_job *job;
	struct drmemtrace_functions *functions;
	struct drmemtrace_input *input;
	struct thread_writer *thread;
	uint32_t tid;
	HASH_TABLE(struct code_place) places;
	/* The parts of the next instruction that came before it. */
	uint8_t code[TF_MAX_INSN_BYTES];
	unsigned n_code;
	uint64_t target; /* 0: none */
	/* The present instruction, while its data records come. */
	bool has_insn;
	struct data_records data;
	/* The present or the last instruction. */
	bool has_place;
	uint32_t at;         /* number of its place */
	uint16_t type;       /* enum drmemtrace_type */
	uint64_t went_to;    /* target of an indirect branch, or 0 */
	bool is_branch_open; /* it is complete, but its outcome is not known yet */
	struct successor successor;
	struct insn_values values;
	/* Waiting events: numbers of thread_event(), or 0. */
	uint64_t jump;    /* that lacks the place where control goes on */
	uint64_t signal;  /* the last signal, for its number */
	uint64_t syscall; /* the last system call, for its arguments */
	uint64_t result;  /* the last result of one, for its time */
	uint64_t call;    /* the last call of a function, for its arguments */
	unsigned n_args;
	bool has_begun, has_time;
	uint64_t time;   /* that no event has taken, ns */
	uint64_t latest; /* ns */
	uint64_t function, window;
	bool has_window, aborts, in_kernel;
	bool repeats_time; /* the next time repeats the last one of the chunk before */
	bool has_ended, has_exited;
};

static inline uint64_t drmemtrace_nanoseconds(uint64_t time)
{
	return (time - DRMEMTRACE_UNIX_EPOCH) * 1000;
}

/* ---- drmemtrace_thread.c: return false after a message if such files cannot be imported ---- */

bool drmemtrace_check_version(struct drmemtrace_input *input, uint64_t version);
bool drmemtrace_check_file_type(struct drmemtrace_input *input, uint64_t type);

/* ---- drmemtrace_insns.c; those that return bool return false after a message ---- */

/* Begins an instruction. */
bool drmemtrace_insn(struct drmemtrace_file *f, uint16_t type, unsigned length, uint64_t pc);

/* A further repetition of the present instruction, which is not fetched again. */
bool drmemtrace_repetition(struct drmemtrace_file *f, unsigned length, uint64_t pc);

/* Instructions of one record: the first one is behind the present instruction. */
bool drmemtrace_bundle(struct drmemtrace_file *f, const struct drmemtrace_record *r);

/* Code bytes of the next instruction. */
bool drmemtrace_code(struct drmemtrace_file *f, const struct drmemtrace_record *r);

/* Completes the present instruction, if there is one. */
void drmemtrace_complete(struct drmemtrace_file *f);

/* Returns whether the present instruction is a rep string instruction. */
bool drmemtrace_is_rep(const struct drmemtrace_file *f);

/* Control went to pc. */
void drmemtrace_end_branch(struct drmemtrace_file *f, uint64_t pc);

/* Control is not known to go on behind the last instruction. */
void drmemtrace_lose_track(struct drmemtrace_file *f);

/* ---- drmemtrace_markers.c ---- */

bool drmemtrace_take_marker(struct drmemtrace_file *f, unsigned type, uint64_t value);

/* Control arrives at pc: tells the event that waits for the place. */
void drmemtrace_arrive(struct drmemtrace_file *f, uint64_t pc);

/* Appends the time that no event has taken. */
void drmemtrace_end_time(struct drmemtrace_file *f);

/* Instructions are missing. */
void drmemtrace_gap(struct drmemtrace_file *f);

/* Appends an event; returns its number. */
uint64_t drmemtrace_event(struct drmemtrace_file *f, const struct tf_event *event);

#endif
