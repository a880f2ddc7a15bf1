/* SPDX-License-Identifier: MIT */
/* Makes a static basic block of code bytes. Both backends use it. */
#ifndef CODE_BLOCK_H
#define CODE_BLOCK_H

#include "recorder/program/facts.h"
#include "recorder/program/functions.h"
#include "traceformat/traceisa.h"

enum {
	CODE_BLOCK_INSNS = 64, /* length limit of a block, in instructions */
	CODE_BLOCK_BYTES = CODE_BLOCK_INSNS * TF_MAX_INSN_BYTES,
	CODE_BLOCK_VALUES = CODE_BLOCK_INSNS * ISA_MAX_VALUES,
};

/* A basic block and the facts that the recorder needs, in one allocation. */
struct code_block {
	struct code_block *next;            /* for dictionary.c: the next block at the same pc */
	struct tf_block trace;              /* .id is TF_NONE until the block is in the trace */
	const struct isa_insn **facts;      /* facts of its trace.n_insns instructions */
	const struct isa_effects **effects; /* effects of each; NULL for an opaque one */
	uint16_t *extras;   /* where each instruction's extras start in the values */
	struct watch watch; /* the meaning of the first instruction's address */
	uint32_t path;      /* id of its one-block path; TF_NONE until that is in the trace */
	uint32_t first_exit;
	uint16_t n_exits; /* of that path, without its partial exit */
	enum { TRANSLATABLE_UNKNOWN, TRANSLATABLE, NOT_TRANSLATABLE } translatable;
	uint8_t excluded; /* enum tf_exclusion, or 0: it counts as filtered, see exclusion.h */
	uint8_t rule;     /* the name that excludes it */
	uint8_t marker;   /* the budget of its first instruction, see marker_budgets.h; 0: none */
	bool may_change;  /* translations compare its bytes, see code_check.c */
	bool undecoded;   /* the bytes do not give its instruction's length */
};

/* The origin of code. */
struct code_source {
	uint64_t pc;
	const struct module *module; /* NULL: code without a file */
	uint64_t module_offset;
	const uint8_t *code; /* bytes at pc */
	size_t available;
	enum isa_vendor vendor; /* of the processor that executes it */
	struct facts *facts;    /* facts of its instructions, which outlive the block */
};

enum code_status { CODE_BLOCK, CODE_UNDECODABLE, CODE_MEMORY };

/*
 * Decodes the block at source->pc up to the first of: a control transfer, system call or trap; an
 * instruction that loads a control word or a segment base, so that its event has its place between
 * two blocks; an instruction that is stepped, which has a block of its own; an address that is
 * watched; bytes that do not decode or are not available; CODE_BLOCK_INSNS instructions. Returns
 * CODE_UNDECODABLE if the first instruction does not decode. The block lives as long as
 * source->facts.
 */
enum code_status code_block_build(const struct code_source *source, struct code_block **block);

/*
 * Returns the block of an instruction of `length` bytes that the decoder does not know; NULL if
 * memory is out. The block lives as long as source->facts.
 */
struct code_block *code_block_opaque(const struct code_source *source, unsigned length);

#endif
