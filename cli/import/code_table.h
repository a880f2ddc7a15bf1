/* SPDX-License-Identifier: MIT */
/*
 * The instructions and blocks of a trace that is made from another tool's trace. An instruction is
 * added when its code or its operands are new, a block when its instructions first follow each
 * other. Each block has a path of its own.
 */
#ifndef CODE_TABLE_H
#define CODE_TABLE_H

#include "traceformat/common/hash_table.h"
#include "traceformat/traceisa.h"
#include "traceformat/tracewriter.h"

enum {
	CODE_BLOCK_INSNS = 64,    /* a longer run is cut, as trace-record does */
	CODE_BLOCK_VALUES = 2048, /* likewise */
	CODE_MAX_OPERANDS = 16,
};

/* How an instruction without code accesses memory: enum tf_access, and bytes. */
struct code_access {
	uint16_t access, size;
};

/* All that makes an instruction different from others. Unused members are 0. */
struct code_key {
	uint64_t pc;
	uint8_t length;     /* bytes */
	uint8_t end;        /* enum tf_end; only without code */
	uint8_t n_accesses; /* only without code */
	uint8_t absent;     /* bit i: operand i of the decoded instruction made no access */
	uint32_t has_code;  /* 0: the code is not known */
	uint64_t target;    /* only without code: static target of the branch, or 0 */
	union {
		uint8_t code[TF_MAX_INSN_BYTES];
		struct code_access accesses[CODE_MAX_OPERANDS];
	};
};

struct code_insn {
	struct code_key key;
	uint64_t target; /* static target of a branch, 0 if none */
	uint8_t end;     /* enum tf_end */
	uint8_t flags;   /* enum tf_insn_flags */
	uint8_t n_operands;
	uint16_t n_values;
	uint32_t block;    /* the last block executed that begins with it, or TF_NONE */
	uint32_t operands; /* of the table: where its own begin */
};

struct code_block {
	uint32_t insns; /* of the table: where its own begin */
	uint32_t path;
	uint32_t exit; /* key of its first exit; that of the taken one, if both exist, is next */
	uint16_t n_insns, n_operands;
	uint16_t n_slots;
	uint8_t end; /* enum tf_end */
};

/* Addresses at which a module is. */
struct module_place {
	uint64_t first, end;
	uint64_t bias; /* address - offset in the module */
	uint32_t module;
};

/* All of a trace. Set writer, addresses, vendor; other members are 0 at first. */
struct code_table {
	struct tf_writer *writer;
	bool addresses;                    /* false: the trace has header feature 1 */
	ARRAY(struct module_place) places; /* of modules: ascending, and apart */
	HASH_TABLE(struct code_insn) insns;
	ARRAY(struct tf_operand) operands;
	ARRAY(struct code_block) blocks;
	ARRAY(uint32_t) lists; /* instructions of blocks */
	ARRAY(uint32_t) exits; /* ids, by key */
	struct hash_index by_insns;
	struct tf_error error; /* the first one that the writer gave */
	int status;            /* negative after it */
};

/* Returns the number of an instruction, or TF_NONE after an error. */
uint32_t code_insn(struct code_table *code, const struct code_key *key);

/*
 * Returns the block of n instructions, or NULL after an error. is_cut: any block that begins with
 * these instructions will do.
 */
const struct code_block *code_block(struct code_table *code, const uint32_t *insns, unsigned n,
				    bool is_cut);

/* Returns the bytes of memory that the table takes. */
uint64_t code_table_size(const struct code_table *code);

/* Returns false, and keeps the status and error, if `status` is negative. */
bool code_check(struct code_table *code, int status, const struct tf_error *error);

void code_table_free(struct code_table *code);

#endif
