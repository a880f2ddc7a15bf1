/* SPDX-License-Identifier: MIT */
/*
 * Makes random programs: blocks of instructions at CODE that mostly use memory at DATA, and jump to
 * each other in all ways. Registers are either pointers into DATA or small numbers, so that most
 * addresses are valid; some are not. There is one program at a time.
 */
#ifndef RANDOM_CODE_H
#define RANDOM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum {
	PAGE = 4096,
	CODE = 0x10000000,
	CODE_BYTES = 4 * PAGE,
	DATA = 0x20000000, /* with the stack */
	DATA_BYTES = PAGE,
	TABLE = 0x20002000, /* addresses of blocks, read-only */
	STACK = DATA + 3072,
	CODE_BLOCKS = 24,
	NO_FUNCTION = 99,
};

struct random_code {
	uint64_t registers[16];
	uint8_t *at;
	uint32_t targets[CODE_BLOCKS]; /* of forward jumps, filled in when the blocks have begun */
	bool wild;                     /* rsp may get any value */
	bool compares;                 /* blocks often begin and end by replacing the flags */
	struct {
		uint8_t *field;
		unsigned block;
		bool relative;
	} jumps[2 * CODE_BLOCKS];
	unsigned n_jumps;
};

/* Makes the program of a seed at CODE, and the initial contents of DATA. */
void random_code_begin(struct random_code *c, uint64_t seed, uint8_t *memory);
void random_code_registers(const struct random_code *c, struct user_regs_struct *r);

/* Returns 0 .. n - 1, depending on the seed. */
unsigned pick(unsigned n);

/* Returns the address of a block. */
uint64_t random_code_target(void);

/* Returns the number of arguments of the function that begins at pc, or NO_FUNCTION. */
unsigned code_args(uint64_t pc);

/* Returns the bytes from pc to the next function, where blocks end. */
size_t code_until_function(uint64_t pc);

#endif
