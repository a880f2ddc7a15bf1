/* SPDX-License-Identifier: MIT */
/*
 * A systematic sweep over the encodings of x86-64: every opcode of every map under the prefixes
 * that select instructions, with a memory operand at (%rax) (index vector 4 where it is VSIB)
 * and with registers; immediates are 0.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdint.h>

/* code: 15 bytes and more, some of which decode. */
typedef void sweep_fn(const uint8_t *code, void *opaque);

void sweep(sweep_fn *visit, void *opaque);

#endif
