/* SPDX-License-Identifier: MIT */
/* Decodes the code bytes of every block again, with two decoders, and compares. */
#ifndef DECODE_CHECK_H
#define DECODE_CHECK_H

#include "traceformat/traceformat.h"

struct decode_counts {
	uint64_t insns;   /* static instructions compared */
	uint64_t stale;   /* Zydis decodes the bytes differently from the stored block */
	uint64_t differ;  /* Zydis and capstone disagree */
	uint64_t excused; /* they disagree where capstone is known to be wrong */
	uint64_t one;     /* capstone does not know the instruction */
};

/*
 * Compares the facts that each block stores of its instructions (lengths, control transfer, memory
 * operands) with those that Zydis decodes from the code bytes, and these with capstone's. Calls
 * difference(opaque, text) for each instruction that is stale or differs; text is one line without
 * the file's name. Returns 0, or a negative status with *error set.
 */
int decode_check(struct tf_reader *reader, void (*difference)(void *opaque, const char *text),
		 void *opaque, struct decode_counts *counts, struct tf_error *error);

#endif
