/* SPDX-License-Identifier: MIT */
/* Writes the instructions of random programs at c->at. */
#ifndef RANDOM_INSNS_H
#define RANDOM_INSNS_H

#include "tests/unit/recorder/random_code.h"

/*
 * Write an instruction that does not jump, a string instruction, and one that replaces the flags.
 */
void put_insn(struct random_code *c);
void put_string(struct random_code *c);
void put_arithmetic(struct random_code *c);

void put(struct random_code *c, unsigned value);
void put32(struct random_code *c, uint32_t value);

/* mov reg, value */
void put_small(struct random_code *c, unsigned reg, unsigned value);

/* Return a register that may be overwritten, and whether a register holds a small number. */
unsigned random_target(void);
bool is_small(unsigned reg);

#endif
