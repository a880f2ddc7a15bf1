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
	X87_LOADS_COMPONENT,  /* loads the pointers if eax asks for the x87 component */
	X87_STORES,           /* stores the pointers to memory, and perhaps clears them */
	X87_STORES_COMPONENT, /* stores the pointers if eax asks for the x87 component */
};

/* Returns the use of the pointers by an instruction of `length` bytes. */
enum x87_use x87_use_of(const uint8_t *code, unsigned length);

/* The pointers of one thread. */
struct x87_pointers {
	uint64_t pc, operand; /* of the last x87 instruction; 0: the pointers are clear */
	uint16_t opcode;      /* 11 bits */
	uint16_t code_segment, data_segment;
};

/*
 * The places of the pointers in the memory that an X87_STORES or X87_LOADS instruction uses:
 * offsets and sizes, bytes. Offset 0: the layout does not have the value.
 */
struct x87_layout {
	uint8_t pointer, operand, pointer_bytes;    /* both have the same size */
	uint8_t opcode, code_segment, data_segment; /* of 2 bytes each */
	uint8_t is_environment; /* of fnstenv and fnsave, which always have the pointers */
};

enum { X87_LAYOUT_BYTES = 28 }; /* what any layout has of the pointers */

/* Returns the layout that a storing or loading instruction of `length` bytes uses. */
struct x87_layout x87_layout_of(const uint8_t *code, unsigned length);

/* Reads the pointers from X87_LAYOUT_BYTES bytes. */
struct x87_pointers x87_unpack(const struct x87_layout *layout, const uint8_t *bytes);

/* Writes the pointers to such bytes, and leaves the rest as is. */
void x87_pack(const struct x87_layout *layout, const struct x87_pointers *pointers, uint8_t *bytes);

/* True if the instruction clears the pointers after what else it does: fninit, fnsave. */
bool x87_clears(const uint8_t *code, unsigned length);

/* True if the instruction's operand in memory is on the stack, by its base register. */
bool x87_is_on_stack(const uint8_t *code, unsigned length);

/* True if this processor keeps the pointers over a context switch only while an x87 exception is
 * pending, as AMD's do. */
bool x87_loses_pointers(void);

/* Returns the 11 bits of an x87 instruction's opcode, as FOP has them. */
uint16_t x87_opcode_of(const uint8_t *code, unsigned length);

#endif
