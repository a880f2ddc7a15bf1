/* SPDX-License-Identifier: MIT */
/*
 * What instructions have to do with the x87 pointers: the address, opcode and operand address of the
 * last x87 instruction, which exception handlers ask for (Intel SDM 1, 8.1.8).
 */
#ifndef X87_H
#define X87_H

#include <stdbool.h>
#include <stdint.h>

enum x87_use {
	X87_NONE,
	X87_POINTS,	/* the pointers are its own from then on */
	X87_LOADS,	/* they become others, from memory, or 0 */
	X87_STORES,	/* them, and perhaps clears them */
	X87_STORES_COMPONENT,	/* where eax asks for the x87 component */
};

enum x87_use x87_use_of(const uint8_t *code, unsigned length);

/* Where the instruction's address and opcode are in what a storing instruction has written. */
struct x87_layout {
	uint8_t pointer, pointer_bytes;
	uint8_t opcode;		/* of 2 bytes; 0: none is told */
	uint8_t is_environment;	/* of fnstenv and fnsave, which always have the pointers */
};

struct x87_layout x87_layout_of(const uint8_t *code, unsigned length);

/* The 11 bits of an instruction's opcode. */
uint16_t x87_opcode_of(const uint8_t *code, unsigned length);

#endif
