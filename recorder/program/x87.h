/* SPDX-License-Identifier: MIT */
/*
 * How instructions use the x87 pointers: the address, opcode and operand address of the last x87
 * instruction, which exception handlers ask for (Intel SDM, volume 1, 8.1.8).
 */
#ifndef X87_H
#define X87_H

#include <stdbool.h>
#include <stdint.h>

enum x87_use {
	X87_NONE,
	X87_POINTS,           /* sets the pointers to its own address and operand */
	X87_LOADS,            /* loads the pointers from memory, or clears them */
	X87_STORES,           /* stores the pointers to memory, and perhaps clears them */
	X87_STORES_COMPONENT, /* stores the pointers if eax asks for the x87 component */
};

/* Returns the use of the pointers by an instruction of `length` bytes. */
enum x87_use x87_use_of(const uint8_t *code, unsigned length);

/* The places of the last instruction's address and opcode in the memory that an X87_STORES instruction
 * writes: offsets and sizes, bytes. */
struct x87_layout {
	uint8_t pointer, pointer_bytes;
	uint8_t opcode;         /* of 2 bytes; 0: the layout has no opcode */
	uint8_t is_environment; /* of fnstenv and fnsave, which always have the pointers */
};

/* Returns the layout that a storing instruction of `length` bytes writes. */
struct x87_layout x87_layout_of(const uint8_t *code, unsigned length);

/* Returns the 11 bits of an x87 instruction's opcode, as FOP has them. */
uint16_t x87_opcode_of(const uint8_t *code, unsigned length);

#endif
