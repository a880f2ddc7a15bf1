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

/* Sums over some instructions. Each repetition and each active lane is an access. */
struct mix_counts {
	uint64_t instructions;
	uint64_t loads, stores; /* accesses that read, that write */
	uint64_t
		load_stores; /* accesses that load and store; counted in loads and in stores, too */
	uint64_t prefetches;
	uint64_t bytes_loaded, bytes_stored;
	uint64_t taken, not_taken;      /* conditional branches */
	uint64_t jumps, calls, returns; /* unconditional */
	uint64_t indirect;              /* indirect ones among jumps and calls */
	uint64_t syscalls;
	uint64_t repetitions; /* of rep string instructions */
	uint64_t opaque;
	uint64_t unmeasured;             /* executions of operands of which the trace does not say
					   how much they moved: they are missing above */
	uint64_t classes[ISA_N_CLASSES]; /* instructions */
};

/* An operand of a path, of variable extent. */
struct mix_extent {
	uint32_t insn;  /* of the path; UINT32_MAX behind the last one */
	size_t operand; /* in arrays by operand */
};

/* The static side, shared by all states. */
struct mix_code {
	const struct tf_reader *reader;
	size_t n_blocks, n_exits;
	size_t *first_insn; /* by block: index of its first instruction in arrays by instruction */
	size_t *first_operand; /* by block: of its first operand; the last element of both is the total */
	uint8_t *classes;     /* by instruction: enum isa_class */
	bool *partial_exit;   /* by exit */
	size_t *first_extent; /* by exit: of its path, in extents */
	struct mix_extent *extents;
	bool variable; /* the trace has operands whose extent depends on registers */
	bool measured; /* executions come with the values of these operands */
};

struct mix_block {
	uint64_t whole; /* executions that reached the end */
	uint64_t taken; /* of these, executions whose branch was taken */
};

struct mix {
	const struct mix_code *code;
	uint64_t *exits; /* executions by exit, if paths are counted */
	struct mix_block *blocks;
	uint64_t *cuts;    /* by instruction: executions of its block that ended after it, early */
	uint64_t *amounts; /* by operand of variable extent: accesses; TF_SIZED: bytes */
};

/* Reads the static side of a loaded trace. Returns false if memory is out. */
bool mix_code_init(struct mix_code *code, struct tf_reader *reader);
void mix_code_free(struct mix_code *code);

/* Initializes counts. Returns false if memory is out; mix_free is allowed in either case. */
bool mix_init(struct mix *mix, const struct mix_code *code);
void mix_free(struct mix *mix);
void mix_clear(struct mix *mix);
void mix_merge(struct mix *mix, const struct mix *other);

/* All numbers of a mix, for code that treats them alike. */
enum { MIX_ARRAYS = 4 };
struct mix_numbers {
	struct {
		uint64_t *at;
		size_t count;
	} arrays[MIX_ARRAYS];
};
struct mix_numbers mix_numbers(struct mix *mix);

/* Counts the executions of an item of paths; with TF_EXTENTS if code->measured. */
void mix_paths(struct mix *mix, const struct tf_item *item);
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
