/* SPDX-License-Identifier: MIT */
/* The memory that an assembler writes to: bytes of code, followed by literals. */
#ifndef ASSEMBLER_BUFFER_H
#define ASSEMBLER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASSEMBLER_LITERALS = 512 };

/*
 * Code is written at `at` and will run at `pc`. If code does not fit, `full` is set and nothing
 * more is written. 8-byte literals are collected and placed after the code.
 */
struct assembler {
	uint8_t *start, *at, *end;
	uint64_t pc; /* address at which the first byte will run */
	bool full;
	unsigned n_literals;
	struct {
		uint8_t *field; /* rip-relative displacement to be filled in */
		uint64_t value;
	} literals[ASSEMBLER_LITERALS];
};

/* Begins at `at`, with room for `size` bytes that will run at pc. */
void asm_begin(struct assembler *a, uint8_t *at, size_t size, uint64_t pc);

/* Returns the address at which the next byte will run. */
static inline uint64_t asm_here(const struct assembler *a)
{
	return a->pc + (uint64_t)(a->at - a->start);
}

void asm_bytes(struct assembler *a, const void *bytes, size_t size);

/* Writes four bytes that asm_end() replaces by the distance to a literal of this value. */
void asm_literal(struct assembler *a, uint64_t value);

/* Places the literals after the code. Returns false if something did not fit. */
bool asm_end(struct assembler *a);

#endif
