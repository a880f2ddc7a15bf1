/* SPDX-License-Identifier: MIT */
/* Static code: basic blocks, their instructions and the memory operands of these. */
#ifndef TRACEFORMAT_API_BLOCKS_H
#define TRACEFORMAT_API_BLOCKS_H

#include <stdint.h>

#include "traceformat/api/limits.h"

/* What an operand does to memory; LOAD | STORE is a read-modify-write. */
enum tf_access { TF_LOAD = 1, TF_STORE = 2, TF_PREFETCH = 4 };

/*
 * The shape of an operand, and the extra values that an execution of it has beside its address.
 */
enum tf_form {
	TF_PLAIN = 0,  /* size bytes at address; no extras */
	TF_MASKED = 1, /* lane i: size bytes at address + i * size, if bit i of extra[0] is set */
	TF_REP = 2,    /* extra[0] count before, extra[1] repetitions done, extra[2] enum tf_rep;
			   element i: size bytes at address + i * size (- if TF_REP_DOWN) */
	TF_LANES = 3,  /* gather, scatter: extra[0] mask, then the index vector, 8 bytes an extra;
			   lane i: size bytes at address + sign-extended index[i] * scale */
	TF_SIZED = 4,  /* extra[0] bytes at address (xsave and its kin) */
};

enum tf_rep {
	TF_REP_DOWN = 1,        /* direction flag set: addresses descend */
	TF_REP_ZF = 2,          /* zero flag after the last repetition */
	TF_REP_INTERRUPTED = 4, /* left by a signal before it was complete */
};

enum tf_operand_flags {
	TF_IMPLICIT = 1,  /* not written in the assembly: push, pop, call, ret, string ops */
	TF_ADDRESS32 = 2, /* lane addresses wrap at 4 GiB */
};

enum tf_segment { TF_SEGMENT_NONE = 0, TF_SEGMENT_FS = 1, TF_SEGMENT_GS = 2 };

/* One memory operand of a static instruction. */
struct tf_operand {
	uint16_t insn;      /* index of its instruction in the block */
	uint8_t access;     /* enum tf_access */
	uint8_t form;       /* enum tf_form */
	uint8_t flags;      /* enum tf_operand_flags */
	uint8_t segment;    /* enum tf_segment; addresses already contain its base */
	uint8_t lanes;      /* TF_MASKED, TF_LANES: number of lanes, else 0 */
	uint8_t index_size; /* TF_LANES: bytes of an index, 4 or 8, else 0 */
	uint8_t scale;      /* TF_LANES: 1, 2, 4, 8, else 0 */
	uint16_t extra;     /* where its extras start in an execution's values, if it has any;
				   the operands of one rep instruction share theirs */
	uint32_t size;      /* bytes of one access, element or lane; 0 for TF_SIZED */
};

enum tf_insn_flags {
	TF_INSN_REP = 1,    /* a repeated string instruction: its operands are TF_REP */
	TF_INSN_OPAQUE = 2, /* no decoder knew it (length from its execution), or its accesses
				   have no form: operands unknown */
};

/* One static instruction. */
struct tf_insn {
	uint16_t offset;        /* bytes from the block's start */
	uint8_t length;         /* bytes */
	uint8_t flags;          /* enum tf_insn_flags */
	uint16_t first_operand; /* its operands are first_operand .. + n_operands - 1 */
	uint8_t n_operands;
};

/* How a block's last instruction hands on control. */
enum tf_end {
	TF_END_NONE = 0,        /* falls through: length limit, or unreadable bytes follow */
	TF_END_CONDITIONAL = 1, /* jcc, loop, jrcxz, xbegin: target known */
	TF_END_JUMP = 2,        /* direct: target known */
	TF_END_INDIRECT_JUMP = 3,
	TF_END_CALL = 4, /* direct: target known */
	TF_END_INDIRECT_CALL = 5,
	TF_END_RETURN = 6,  /* ret, iret */
	TF_END_SYSCALL = 7, /* syscall, sysenter, int 0x80 */
	TF_END_TRAP = 8,    /* int3, int1, ud2, hlt, ... */
	TF_END_OPAQUE = 9,  /* an opaque instruction */
};

/*
 * A basic block: a straight run of instructions with one entry, its first, ended by the first
 * control transfer or by a length limit. Blocks may overlap: one block is one (pc, bytes,
 * module). An execution of it has n_values values: values[i] is the address of operand i for
 * i < n_operands; the extras follow.
 */
struct tf_block {
	uint32_t id;
	uint32_t module;        /* index, or TF_NONE: code without a file */
	uint64_t pc;            /* virtual address of the first instruction */
	uint64_t module_offset; /* the same as an ELF virtual address of the module */
	uint64_t target;        /* static target of its branch, 0 if there is none */
	uint8_t end;            /* enum tf_end */
	uint16_t n_insns;
	uint16_t n_operands;
	uint16_t n_values;
	uint16_t code_size; /* bytes */
	const uint8_t *code;
	const struct tf_insn *insns;
	const struct tf_operand *operands;
};

#endif
