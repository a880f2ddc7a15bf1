/* SPDX-License-Identifier: MIT */
/* Executes code and collects its basic block vectors, in one thread. */
#ifndef BBV_MACHINE_H
#define BBV_MACHINE_H

#include <stdio.h>

#include "analyzers/bbv/bbv.h"
#include "tests/unit/traces/synthetic.h"

enum { MACHINE_BLOCKS = 8 };

/* The code, its one thread, and the vectors that the thread wrote. */
struct machine {
	struct synthetic_block blocks[MACHINE_BLOCKS];
	uint32_t n_blocks;
	struct bbv *bbv;
	struct bbv_thread *thread;
	uint64_t ordinal;
	char *text;
	size_t size;
	FILE *out;
};

/* The only machine. */
extern struct machine machine;

void machine_begin(uint64_t interval);
void machine_begin_by(enum bbv_rules rules, uint64_t interval);

/* Replaces the bbv and the thread, for code of more blocks. */
void machine_new_bbv(uint32_t n_code, enum bbv_rules rules, uint64_t interval);

void machine_end(void);

const struct tf_block *machine_code(uint64_t pc, const char *bytes, size_t size);

/* Executes the first instructions of a block. */
void machine_part(const struct tf_block *block, unsigned executed, enum tf_outcome outcome,
		  const uint64_t *values);

void machine_run(const struct tf_block *block, enum tf_outcome outcome);

/* A rep stosb or scasb, which has one operand: its address and three extras. */
void machine_run_rep(const struct tf_block *block, uint64_t before, uint64_t done, uint64_t flags);

/* Compares the vectors that have been written so far. */
void machine_assert_lines(const char *expected);

/* Compares the addresses of blocks 1, 2, ... with `pcs`. */
void machine_assert_starts(const uint64_t *pcs, uint32_t count);

#define NOP5        "\x90\x90\x90\x90\x90"
#define NOP10       NOP5 NOP5
#define JMP         "\xeb\x10"
#define JZ          "\x74\x10"
#define LOOP        "\xe2\x10"
#define REP_STOSB   "\xf3\xaa"
#define REPNE_SCASB "\xf2\xae"
#define REP_LODSB   "\xf3\xac"
#define PAUSE       "\xf3\x90"
#define CLFLUSH     "\x0f\xae\x38"
#define CLFLUSHOPT  "\x66\x0f\xae\x38"
#define FLDCW       "\xd9\x28"
#define FMA         "\xc4\xe2\x75\xa8\xd0"
#define FXRSTOR     "\x0f\xae\x08"

#endif
