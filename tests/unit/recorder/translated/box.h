/* SPDX-License-Identifier: MIT */
/*
 * A child that runs random programs: natively by single steps, which gives their correct states,
 * then in the code cache. There is one child.
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
	STEPS = 400,  /* most steps of a program */
	BLOCKS = 64,  /* most blocks of a superblock */
	FUNCTION = 7, /* the number of every function */
};

/* The program's state before one of its steps. */
struct boundary {
	struct user_regs_struct regs;
	unsigned executed; /* instructions, including one that is being repeated */
	uint64_t top;      /* of the stack */
	uint16_t x87_control;
	uint32_t mxcsr;
	struct isa_registers *wide; /* if the instruction uses vectors, or NULL */
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
	bool faulted; /* the last instruction faults */
	bool nowhere; /* a jump to a non-canonical address was executed in the cache */
	/* By executed instructions: the boundary before an instruction, and the last one of its
	 * repetitions. */
	unsigned before[STEPS + 1], end[STEPS + 1];

	unsigned at;       /* boundary reached in the cache */
	unsigned recorded; /* instructions in complete records */
	uint64_t read_to;  /* the records before this address have been checked */
	bool expect_return;
	bool counted; /* counting variants are tested, and nothing is recorded */
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

/* Begins with a program and an empty cache; ends with it. */
void box_begin(struct random_code *code, uint64_t seed);
void box_end(void);

/* Runs programs number 1 to n_programs. The environment can choose others: TRANSLATE_SEED is the
 * only one (returns true), or TRANSLATE_FIRST and TRANSLATE_PROGRAMS are the first and the last
 * one. */
bool run_programs(uint64_t n_programs, void (*run)(uint64_t seed));

/* Puts the child at the program's beginning. */
void box_start(const struct random_code *code);

/* Executes one instruction. Returns false if it faults. */
bool box_step(void);

void general_registers(const struct user_regs_struct *r, uint64_t to[16]);

/* ---- native.c ---- */

/* Returns the block at pc as far as it can be translated, or NULL. */
struct code_block *block_at_pc(uint64_t pc);

/* Runs the program natively and stores every boundary. */
void run_native(const struct random_code *code);

/* ---- states.c ---- */

/* Returns true if these registers, and the present memory, are those of the boundary. For counting
 * variants, dead flags may differ. */
bool is_at(const struct user_regs_struct *registers, const struct boundary *boundary);

/* Prints the differences from the boundary reached. */
void show_difference(const struct user_regs_struct *found, uint64_t cache_pc);

/* ---- records.c ---- */

/* Compares the values of a superblock's first n instructions with the native run. */
void check_values(const struct translation *t, unsigned n, const uint64_t *slots, unsigned n_slots);

/* Returns the record at an address of the child. */
uint64_t *local_record(uint64_t at);

/* Checks the completed records up to `to`. */
void check_records(uint64_t to);

/* ---- superblocks.c ---- */

/* Return the superblock at pc, and make one if there is none. */
struct translation *path_to(uint64_t pc);
struct translation *add_superblock(uint64_t pc);
struct translation *bounded_superblock_to(uint64_t pc);

/* Returns the exit at whose trap the child stands, and its superblock, or -1. The trap of an
 * unanswered request counts as its exit's; the registers are then made those at the exit. */
int exit_at(uint64_t pc, struct translation **superblock);

/* Prepares the child to continue in the cache, and chooses whether its requests are polled. */
void begin_requests(void);

/* Answers a child's request as the recorder does, or often does nothing. The code where the program
 * continues must be translatable. */
void answer_some(uint64_t program_pc);

/* Extends a superblock at one of its exits, if possible, to pc. */
void extend(struct translation *superblock, unsigned exit, uint64_t pc);

/* Extends superblocks at any indirect jump, to its next target. */
void extend_some(void);

#endif
