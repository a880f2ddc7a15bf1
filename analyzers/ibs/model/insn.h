/* SPDX-License-Identifier: MIT */
/* The model's facts about a static instruction: the ops into which it is divided. */
#ifndef IBS_INSN_H
#define IBS_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/ibs/model/machine.h"
#include "traceformat/traceisa.h"

enum { IBS_MAX_OPS = 64, IBS_MOST_DIRECT_OPS = 2 };

/*
 * Instructions that are several ops on AMD's processors, and slower than others of their class. The
 * numbers are estimates for Zen 4, none of them measured: to check them, see AMD, Software
 * Optimization Guide for the AMD Zen4 Microarchitecture (57647), and A. Fog, Instruction Tables. An
 * instruction that is not in the table is one op, also an operation with a memory operand, which
 * AMD does not divide before execution. Instructions of more than two ops come from microcode.
 */
struct ibs_op_count {
	const char *iclass;        /* XED's */
	uint8_t registers, memory; /* ops without, and with a memory operand */
	uint16_t latency;          /* cycles without memory; 0: the latency of its class */
};

/* Returns an instruction's entry, or NULL if the instruction is one op. */
const struct ibs_op_count *ibs_find_op_count(const char *iclass);

/* Registers beyond those of isa_facts. */
enum {
	IBS_FLAGS = ISA_N_REGISTERS,
	IBS_INTERNAL, /* between ops of one instruction */
	IBS_KNOWN,    /* never written; its value is always known */
	IBS_IGNORED,  /* never read */
	IBS_N_REGISTERS,
	IBS_MAX_REGISTERS = ISA_MAX_FACT_REGISTERS + 2,
	IBS_PLAIN_SOURCES = 2, /* the most of an op of the form IBS_PLAIN */
	/* Loops over registers need no test for these first ones: IBS_KNOWN and IBS_IGNORED fill up
	 * the sources and results that an op does not have. */
	IBS_LEAST_SOURCES = 4,
	IBS_LEAST_RESULTS = 2,
};

/*
 * An op. In an instruction with several ops, the first does the loads; the last does the stores and
 * the branch, takes the latency, and gives the results; the ops between take a cycle each.
 */
struct ibs_op_facts {
	uint64_t pc;
	uint32_t insn;     /* index of the static instruction */
	uint16_t latency;  /* cycles, without memory */
	uint8_t length;    /* bytes of the instruction */
	uint8_t n_ops;     /* of the instruction */
	uint8_t end;       /* enum tf_end; TF_END_NONE unless it is the last op */
	uint8_t kinds;     /* enum access_kind of its operands, or-ed */
	uint8_t moved;     /* a result that does not wait for memory, or IBS_IGNORED */
	bool is_stack;     /* moved is rsp, which is known at dispatch */
	bool crosses_line; /* the instruction crosses a line */
	bool continues;    /* not the first op of the instruction */
	bool serializes;   /* waits until all earlier ops have retired */
	bool locked, is_prefetch;
	uint8_t n_sources, n_results; /* whole registers: rax for al */
	uint8_t sources[IBS_MAX_REGISTERS], results[IBS_MAX_REGISTERS];
};

/*
 * Divides the instruction at code into ops, whose `insn` is left 0. Returns how many there are.
 * Bytes that no decoder knows are an op without registers.
 */
unsigned ibs_insn_decode(struct ibs_op_facts ops[IBS_MAX_OPS], const struct machine *machine,
			 enum isa_vendor vendor, const uint8_t *code, size_t length, uint64_t pc);

/* Decodes instruction `index` of a block likewise. The trace may withhold its code. */
unsigned ibs_insn_of_block(struct ibs_op_facts ops[IBS_MAX_OPS], const struct machine *machine,
			   enum isa_vendor vendor, const struct tf_block *block, unsigned index);

#endif
