/* SPDX-License-Identifier: MIT */
/*
 * The functions of a trace, and the functions of its basic blocks. A symbol defines a function; a
 * part of a function that compilers put elsewhere (f.cold) belongs to the function. The code of a
 * module that no symbol covers is one function.
 */
#ifndef CALLS_FUNCTIONS_H
#define CALLS_FUNCTIONS_H

#include "traceformat/common/array.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/traceformat.h"

struct call_function {
	struct call_function_key {
		const struct tf_symbol *symbol; /* or NULL */
		const char *label;              /* of what is no code, "[signal]"; else NULL */
		uint64_t module;                /* index, or TF_NONE */
	} key;
};

/* The instructions of a block that belong to one function. */
struct call_piece {
	uint32_t function;
	uint16_t first, end; /* indices of its first instruction, and of the one behind it */
	bool begins;         /* its first instruction is the function's first one */
};

struct call_functions {
	const struct tf_reader *reader;
	HASH_TABLE(struct call_function) functions;
	uint32_t *first_piece; /* by block id: its pieces; and the total */
	ARRAY(struct call_piece) pieces;
};

/* Finds the functions of all blocks. Ends the process if memory is out. */
void call_functions_init(struct call_functions *functions, const struct tf_reader *reader);
void call_functions_free(struct call_functions *functions);

/* Returns the number of a function that is no code. label: a string that lasts. */
uint32_t call_functions_label(struct call_functions *functions, const char *label);

#endif
