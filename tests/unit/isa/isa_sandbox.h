/* SPDX-License-Identifier: MIT */
/*
 * A child in which single instructions are executed, one step each. Its memory is two windows
 * between inaccessible pages, one of them read-only. Registers are chosen so that an operand ends,
 * or begins, exactly at a window's edge or one byte beyond; isa_decode and isa_values predict
 * whether the step faults, how long the instruction is and where control goes.
 */
#ifndef ISA_SANDBOX_H
#define ISA_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/isa/stepped.h"
#include "traceformat/traceisa.h"

enum {
	CODE = 0x10000000,
	READ_WRITE = 0x20000000, /* windows, with GUARD bytes before and after */
	READ_ONLY = 0x30000000,
	AUXILIARY = 0x40000000, /* where operands are that are not under test */
	PAGE = 4096,
	WINDOW = 4 * PAGE,
	GUARD = 16 * PAGE,
	AUXILIARY_SIZE = 16 * PAGE,
	MAX_RANGES = ISA_MAX_OPERANDS * TF_MAX_LANES,
};

enum outcome { DONE, PAGE_FAULT, ILLEGAL, OTHER };

struct range {
	uint64_t address, size;
	bool store;
};

struct sandbox {
	struct stepped child;
	struct user_regs_struct after;
	uint32_t high128, opmask, high256, high16; /* offsets in the xstate, or 0 */
	enum isa_vendor vendor;                    /* of the processor here */
	struct isa_registers registers;            /* what the next instruction begins with */
};

struct sandbox_count {
	long encodings, unimplemented;
	long steps, unclear; /* unclear: another fault came first */
	long controls;       /* length or target compared */
	long directions;     /* loads or not compared */
	long failures;
};

/* The only sandbox. */
extern struct sandbox sandbox;
extern struct sandbox_count sandbox_count;

void sandbox_open(void);
void sandbox_close(void);

/* Put an instruction at CODE, and suitable values into the registers. */
void sandbox_put(const uint8_t *code, size_t size);
void sandbox_reset(const struct isa_insn *insn);

/* Executes the instruction once. */
enum outcome sandbox_step(void);

/* Finds the ranges of operand `only`, or of all operands if it is -1. Returns their number. */
int sandbox_ranges(const struct isa_insn *insn, int only, struct range *ranges);

/* Executes with the present registers and compares. Returns the outcome. */
enum outcome sandbox_compare(const uint8_t *code, const struct isa_insn *insn, const char *what);

/* Tries the instruction with each operand at each edge of its window. */
void sandbox_try_edges(const uint8_t *code, const struct isa_insn *insn);

/* Prints and counts a failure. */
void sandbox_complain(const uint8_t *code, const struct isa_insn *insn, const char *what);

#endif
