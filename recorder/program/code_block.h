/* SPDX-License-Identifier: MIT */
/* From code bytes to a static basic block; shared by the backends. */
#ifndef CODE_BLOCK_H
#define CODE_BLOCK_H

#include "recorder/program/facts.h"
#include "recorder/program/functions.h"
#include "traceformat/traceisa.h"

enum {
	CODE_BLOCK_INSNS = 64, /* a block's length limit, instructions */
	CODE_BLOCK_BYTES = CODE_BLOCK_INSNS * TF_MAX_INSN_BYTES,
	CODE_BLOCK_VALUES = CODE_BLOCK_INSNS * ISA_MAX_VALUES,
};

/* A basic block and what the recorder needs to know of it. One allocation. */
struct code_block {
	struct code_block *next;            /* dictionary.c: at the same pc */
	struct tf_block trace;              /* .id is TF_NONE until it is in the trace */
	const struct isa_insn **facts;      /* of its trace.n_insns instructions, */
	const struct isa_effects **effects; /* and what they do; NULL for one that is opaque */
	uint16_t *extras;   /* where each instruction's extras start in the values */
	struct watch watch; /* what its first instruction's address means */
	uint32_t path;      /* its one-block path, TF_NONE until it is in the trace */
	uint32_t first_exit;
	enum { TRANSLATABLE_UNKNOWN, TRANSLATABLE, NOT_TRANSLATABLE } translatable;
	bool may_change; /* translations of it compare its bytes, see code_check.c */
	bool undecoded;  /* its instruction's length is not told by its bytes */
};

/* Where the code comes from. */
struct code_source {
	uint64_t pc;
	const struct module *module; /* NULL: code without a file */
	uint64_t module_offset;
	const uint8_t *code; /* bytes at pc */
	size_t available;
	enum isa_vendor vendor; /* of the processor that executes it */
	struct facts *facts;    /* what is known of its instructions, longer than the
					   block */
};

enum code_status { CODE_BLOCK, CODE_UNDECODABLE, CODE_MEMORY };

/*
 * Decodes the block at source->pc up to the first of: a control transfer, system call or trap; an
 * instruction that loads a control word or a segment base, so that the event of it has its place
 * between two blocks; an address that is watched; bytes that do not decode or are not available;
 * CODE_BLOCK_INSNS instructions. CODE_UNDECODABLE: the first instruction does not decode.
 * The block stays as long as source->facts.
 */
enum code_status code_block_build(const struct code_source *source, struct code_block **block);

/* The block of an instruction that no decoder knows, length bytes long, which stays as long. NULL:
 * memory is out. */
struct code_block *code_block_opaque(const struct code_source *source, unsigned length);

#endif
