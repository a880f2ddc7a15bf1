/* SPDX-License-Identifier: MIT */
/*
 * interpreter N: counts the primes below N in bytecode for a small register machine. Each operation
 * has an indirect jump; a few addresses are used again and again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum opcode { SET, MOVE, ADD, MULTIPLY, REMAINDER, LESS, JUMP, JUMP_IF, JUMP_UNLESS, HALT };

struct instruction {
	uint8_t opcode, to, a, b;
	int32_t value;
};

enum { N, NUMBER, DIVISOR, COUNT, ONE, SCRATCH, REGISTERS };

/* for (number = 2; number < n; number++) if (is_prime(number)) count++; */
static const struct instruction program[] = {
	{ SET, NUMBER, 0, 0, 2 },
	{ SET, COUNT, 0, 0, 0 },
	{ SET, ONE, 0, 0, 1 },
	/* 3: next number */
	{ LESS, SCRATCH, NUMBER, N, 0 },
	{ JUMP_UNLESS, 0, SCRATCH, 0, 16 },
	{ SET, DIVISOR, 0, 0, 2 },
	/* 6: next divisor */
	{ MULTIPLY, SCRATCH, DIVISOR, DIVISOR, 0 },
	{ LESS, SCRATCH, NUMBER, SCRATCH, 0 },
	{ JUMP_IF, 0, SCRATCH, 0, 13 },
	{ REMAINDER, SCRATCH, NUMBER, DIVISOR, 0 },
	{ JUMP_UNLESS, 0, SCRATCH, 0, 14 },
	{ ADD, DIVISOR, DIVISOR, ONE, 0 },
	{ JUMP, 0, 0, 0, 6 },
	/* 13: a prime */
	{ ADD, COUNT, COUNT, ONE, 0 },
	/* 14: composite */
	{ ADD, NUMBER, NUMBER, ONE, 0 },
	{ JUMP, 0, 0, 0, 3 },
	/* 16 */
	{ HALT, 0, 0, 0, 0 },
};

static int64_t run(int64_t n)
{
	int64_t registers[REGISTERS] = { [N] = n };
	const struct instruction *at = program;

	for (;;) {
		const struct instruction *i = at++;
		int64_t a = registers[i->a], b = registers[i->b];

		switch ((enum opcode)i->opcode) {
		case SET: registers[i->to] = i->value; break;
		case MOVE: registers[i->to] = a; break;
		case ADD: registers[i->to] = a + b; break;
		case MULTIPLY: registers[i->to] = a * b; break;
		case REMAINDER: registers[i->to] = a % b; break;
		case LESS: registers[i->to] = a < b; break;
		case JUMP: at = program + i->value; break;
		case JUMP_IF: at = a ? program + i->value : at; break;
		case JUMP_UNLESS: at = a ? at : program + i->value; break;
		case HALT: return registers[COUNT];
		}
	}
}

int main(int argc, char **argv)
{
	printf("%ld\n", (long)run(argc > 1 ? strtol(argv[1], NULL, 0) : 10000));
	return 0;
}
