/* SPDX-License-Identifier: MIT */
/* The instruction of the program that a piece of a backend's code stands for. */
#ifndef PROGRAM_PLACE_H
#define PROGRAM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct program_place {
	bool is_known;    /* false: the code is the program's own, or its origin is unknown */
	bool is_overhead; /* the code does not do the instruction's work but the recorder's */
	uint64_t pc;      /* pc of the instruction */
};

#endif
