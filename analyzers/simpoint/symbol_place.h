/* SPDX-License-Identifier: MIT */
/* Places in a trace that are given by the name of a function. */
#ifndef SYMBOL_PLACE_H
#define SYMBOL_PLACE_H

#include "traceformat/traceformat.h"

/*
 * Finds where a thread (TF_MERGED: any, in the merged order) executes the first instruction of
 * a function for the nth time, from 1. *ordinal receives its ordinal, or step. Returns false
 * after a message: no such symbol, or not so many calls.
 */
bool symbol_find(struct tf_reader *reader, uint32_t thread, const char *name, uint64_t nth,
		 uint64_t *ordinal);

#endif
