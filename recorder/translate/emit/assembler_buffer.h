/* SPDX-License-Identifier: MIT */
/* Where an assembler writes: bytes of code, and the literals behind them. */
#ifndef ASSEMBLER_BUFFER_H
#define ASSEMBLER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASSEMBLER_LITERALS = 512 };

/*
 * Code is written at `at` and will run at `pc`. Where it does not fit, `full` is set and nothing
 * more is written. 8-byte literals are collected and placed behind the code.
 */
struct assembler {
	uint8_t *start, *at, *end;
	uint64_t pc; /* where the first byte will run */
	bool full;
	unsigned n_literals;
	struct {
		uint8_t *field; /* the rip-relative displacement that is to lead to it */
		uint64_t value;
	} literals[ASSEMBLER_LITERALS];
};

/* Begins at `at`, with room for size bytes that will run at pc. */
void asm_begin(struct assembler *a, uint8_t *at, size_t size, uint64_t pc);

/* Where the next byte will run. */
static inline uint64_t asm_here(const struct assembler *a)
{
	return a->pc + (uint64_t)(a->at - a->start);
}

void asm_bytes(struct assembler *a, const void *bytes, size_t size);

/* Four bytes that asm_end fills in: the distance of a literal of this value. */
void asm_literal(struct assembler *a, uint64_t value);

/* Places the literals behind the code. False: something did not fit. */
bool asm_end(struct assembler *a);

#endif
