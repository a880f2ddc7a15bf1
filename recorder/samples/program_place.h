/* SPDX-License-Identifier: MIT */
/* Which instruction of the program something that a backend executes in its place is of. */
#ifndef PROGRAM_PLACE_H
#define PROGRAM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct program_place {
	bool is_known;    /* else it is the program's own, or nobody knows */
	bool is_overhead; /* it does not do that instruction's work, but the recorder's */
	uint64_t pc;      /* of that instruction */
};

#endif
