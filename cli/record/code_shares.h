/* SPDX-License-Identifier: MIT */
/*
 * How the executed instructions of an interval are distributed over the code, so that intervals of
 * two runs can be compared. An instruction is known by its module, which has a build-id or a name,
 * and its offset there; so neither ids of a trace nor the blocks that code is cut into matter.
 */
#ifndef CODE_SHARES_H
#define CODE_SHARES_H

#include "traceformat/tracesamples.h"

struct code_shares;

struct code_shares *code_shares_new(void);
void code_shares_free(struct code_shares *shares);

/*
 * Adds the instructions of a trace from `first` to before `end`, ordinals of its only thread, or
 * steps of the merged order of several. With several threads, blocks at these bounds count whole.
 * Returns 0, or a negative status with *error filled in.
 */
int code_shares_add_trace(struct code_shares *shares, struct tf_reader *reader, uint64_t first,
			  uint64_t end, struct tf_error *error);

/* Adds a vector of a thread. */
void code_shares_add_vector(struct code_shares *shares, struct tf_reader *reader,
			    const struct tf_vector *vector);

/* Adds a block as executed once. */
void code_shares_add_block(struct code_shares *shares, struct tf_reader *reader,
			   const struct tf_block *block);

/* Removes the executions of all instructions that `excluded` has. */
void code_shares_exclude(struct code_shares *shares, const struct code_shares *excluded);

/*
 * Returns half the sum of the differences of the shares p and q of each instruction, 1/2 sum |p -
 * q|: the part of the instructions that is elsewhere, 0 to 1. Sets *where, which may be NULL, to
 * the function that differs most, as "MODULE FUNCTION", which the caller frees.
 */
double code_shares_distance(const struct code_shares *a, const struct code_shares *b, char **where);

#endif
