/* SPDX-License-Identifier: MIT */
/*
 * Random programs: blocks of instructions at CODE that mostly use memory at DATA, and jump to each
 * other in all ways. Registers are of two kinds, pointers into DATA and small numbers, so that most
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
	DATA = 0x20000000, /* the stack is in it */
	DATA_BYTES = PAGE,
	TABLE = 0x20002000, /* addresses of blocks, read-only */
	STACK = DATA + 3072,
	CODE_BLOCKS = 24,
	NO_FUNCTION = 99,
};

struct random_code {
	uint64_t registers[16];
	uint8_t *at;
	uint32_t targets[CODE_BLOCKS]; /* of forward jumps: filled in when blocks have begun */
	bool wild;                     /* anything may happen to rsp */
	bool compares;                 /* its blocks often begin and end by replacing the flags */
	struct {
		uint8_t *field;
		unsigned block;
		bool relative;
	} jumps[2 * CODE_BLOCKS];
	unsigned n_jumps;
};

/* Makes the program of that seed at CODE, and what DATA holds at its beginning. */
void random_code_begin(struct random_code *c, uint64_t seed, uint8_t *memory);
void random_code_registers(const struct random_code *c, struct user_regs_struct *r);

/* 0 .. n - 1, by the seed. */
unsigned pick(unsigned n);

/* Where a block begins. */
uint64_t random_code_target(void);

/* Arguments of the function that begins there, or NO_FUNCTION. */
unsigned code_args(uint64_t pc);

/* Bytes from pc to the next function, where blocks end. */
size_t code_until_function(uint64_t pc);

#endif
