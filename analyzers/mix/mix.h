/* SPDX-License-Identifier: MIT */
/*
 * Instruction counts from execution counts. The effects of a block's execution are static, except
 * for three that are counted as they happen: how often a branch was taken, how many of a block's
 * instructions ran if it was left inside, and how much the operands whose extent depends on
 * registers (rep, masked, gathered, sized) moved. Everything else follows at the end from one count
 * an exit or block.
 */
#ifndef MIX_H
#define MIX_H

#include "traceformat/traceformat.h"
#include "traceformat/traceisa.h"
#include "traceformat/tracesamples.h"

/* Sums over some instructions. Accesses: each repetition and active lane is one. */
struct mix_counts {
	uint64_t instructions;
	uint64_t loads, stores; /* accesses that read, that write */
	uint64_t load_stores;   /* accesses that do both; in loads and in stores, too */
	uint64_t prefetches;
	uint64_t bytes_loaded, bytes_stored;
	uint64_t taken, not_taken;      /* conditional branches */
	uint64_t jumps, calls, returns; /* unconditional */
	uint64_t indirect;              /* of the jumps and calls */
	uint64_t syscalls;
	uint64_t repetitions; /* of rep string instructions */
	uint64_t opaque;
	uint64_t unmeasured;             /* executions of operands of which the trace does not say
					   how much they moved: they are missing above */
	uint64_t classes[ISA_N_CLASSES]; /* instructions */
};

/* The static side, shared by all states. */
struct mix_code {
	const struct tf_reader *reader;
	size_t n_blocks, n_exits;
	size_t *first_insn;    /* by block: where its instructions are in arrays by instruction */
	size_t *first_operand; /* likewise; both have a last element, the total */
	uint8_t *classes;      /* by instruction: enum isa_class */
	bool *partial_exit;    /* by exit */
	bool variable;         /* there are operands whose extent depends on registers */
	bool measured;         /* and their values are handed out */
};

struct mix_block {
	uint64_t whole; /* executions to the end */
	uint64_t taken; /* of these */
};

struct mix {
	const struct mix_code *code;
	uint64_t *exits; /* executions by exit, if paths are counted */
	struct mix_block *blocks;
	uint64_t *cuts;    /* by instruction: executions left after it, inside */
	uint64_t *amounts; /* by operand of variable extent: accesses; TF_SIZED: bytes */
};

/* Reads the static side of a loaded trace. Returns false if memory is out. */
bool mix_code_init(struct mix_code *code, struct tf_reader *reader);
void mix_code_free(struct mix_code *code);

/* Returns false if memory is out; mix_free is safe then, too. */
bool mix_init(struct mix *mix, const struct mix_code *code);
void mix_free(struct mix *mix);
void mix_clear(struct mix *mix);
void mix_merge(struct mix *mix, const struct mix *other);

void mix_paths(struct mix *mix, const struct tf_path_exec *paths, size_t count);
void mix_blocks(struct mix *mix, const struct tf_block_exec *blocks, size_t count);
void mix_vector(struct mix *mix, const struct tf_vector *vector);

/*
 * Adds all counts to the rows that row_of returns for each static instruction executed. Returns
 * false if memory is out.
 */
bool mix_sum(const struct mix *mix,
	     struct mix_counts *(*row_of)(void *opaque, const struct tf_block *block,
					  const struct tf_insn *insn),
	     void *opaque);

#endif
