/* SPDX-License-Identifier: MIT */
/*
 * A child that runs random programs: by single steps as they are, which tells what they do, then in
 * the code cache. There is one.
 */
#ifndef TRANSLATED_BOX_H
#define TRANSLATED_BOX_H

#include <sys/user.h>

#include "recorder/program/code_block.h"
#include "recorder/translate/cache/space_cache.h"
#include "recorder/translate/records/records.h"
#include "recorder/translate/records/self_check.h"
#include "tests/unit/recorder/random_code.h"

enum {
	STEPS = 300,  /* of a program, at most */
	FUNCTION = 7, /* the number of every function */
};

/* Where the program stood before one of its steps. */
struct boundary {
	struct user_regs_struct regs;
	unsigned executed; /* instructions; one that is being repeated counts */
	uint64_t top;      /* of the stack */
	uint16_t x87_control;
	uint32_t mxcsr;
	struct isa_registers *wide; /* where the instruction has vectors, or NULL */
	uint8_t memory[DATA_BYTES];
};

struct box {
	struct session session;
	struct record_options options;
	struct process process;
	struct task task;
	struct thread thread;
	struct user_regs_struct initial;

	struct code_block *blocks[CODE_BYTES];
	uint8_t first_memory[DATA_BYTES];
	unsigned n;
	struct boundary native[STEPS + 1];
	bool faulted; /* the last one cannot be left */
	bool nowhere; /* in the cache it has been, by a jump */
	/* By instruction executed: the boundary before it, and the last one of its repetitions. */
	unsigned before[STEPS + 1], end[STEPS + 1];

	unsigned at;       /* boundary reached in the cache */
	unsigned recorded; /* instructions in complete records */
	uint64_t read_to;  /* the records before it have been checked */
	bool expect_return;
	bool counted; /* nothing is recorded: instructions are only counted */
	uint64_t seed;
};

struct box_counts {
	long programs, steps, instructions, values, partial, records, calls, returns, flushes,
		replaced, extended, guards, faults, slots, nowhere, control_words, wrong, copies,
		syscalls, entries, answers, bases;
};

extern struct box box;
extern struct box_counts count;

/* ---- box.c ---- */

void box_open(void);
void box_close(void);

/* Begins with a program, and an empty cache; ends with it. */
void box_begin(struct random_code *code, uint64_t seed);
void box_end(void);

/* Runs programs number 1 to n_programs; by hand: TRANSLATE_SEED is the only one (returns true), or
 * TRANSLATE_FIRST and TRANSLATE_PROGRAMS the first and the last one. */
bool run_programs(uint64_t n_programs, void (*run)(uint64_t seed));

/* Puts the child at the program's beginning. */
void box_start(const struct random_code *code);

/* Executes one instruction. Returns false if it faults. */
bool box_step(void);

void general_registers(const struct user_regs_struct *r, uint64_t to[16]);

/* ---- native.c ---- */

/* The block at pc; as far as it can be translated. NULL: not at all. */
struct code_block *block_at_pc(uint64_t pc);

/* Runs the program as it is, and notes every boundary. */
void run_native(const struct random_code *code);

/* ---- states.c ---- */

/* Are these registers, and memory as it is now, those of the boundary? Where instructions are only
 * counted, flags that the program does not read need not be. */
bool is_at(const struct user_regs_struct *registers, const struct boundary *boundary);

/* Prints how they differ from those of the boundary reached. */
void show_difference(const struct user_regs_struct *found, uint64_t cache_pc);

/* ---- records.c ---- */

/* Compares what the first n instructions of a superblock tell with the native run. */
void check_values(const struct translation *t, unsigned n, const uint64_t *slots, unsigned n_slots);

/* The record at an address of the child. */
uint64_t *local_record(uint64_t at);

/* Reads the records that have been completed, up to `to`. */
void check_records(uint64_t to);

/* ---- superblocks.c ---- */

/* The superblock at pc, a new one if there is none. */
struct translation *path_to(uint64_t pc);
struct translation *add_superblock(uint64_t pc);
struct translation *bounded_superblock_to(uint64_t pc);

/* Returns the exit at whose trap the child stands, and its superblock; -1: at none. What it has asked for
 * in vain is at one as well; its registers are then as they were at the exit. */
int exit_at(uint64_t pc, struct translation **superblock);

/* The child goes on in the cache: may it be attended? */
void begin_requests(void);

/* Does what the recorder does for a child that asks for a translation and has not been answered
 * yet: often nothing. Where the program goes on there must be code that can be translated. */
void answer_some(uint64_t program_pc);

/* Lets a superblock go on behind one of its exits, if it can, to pc. */
void extend(struct translation *superblock, unsigned exit, uint64_t pc);

/* The same for any indirect jump, to where it leads next. */
void extend_some(void);

#endif
