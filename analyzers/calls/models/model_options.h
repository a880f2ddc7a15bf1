/* SPDX-License-Identifier: MIT */
/* Declarations that the models of costs share. */
#ifndef CALLS_MODEL_OPTIONS_H
#define CALLS_MODEL_OPTIONS_H

#include "analyzers/common/analyzer.h"

enum call_model_kind { CALL_NO_MODEL, CALL_MISSES, CALL_CYCLES };

/* The options of a model. */
struct call_model_options {
	unsigned kind;       /* enum call_model_kind */
	const char *levels;  /* as trace-cache --levels; NULL: 32Ki/8,1Mi/16,32Mi/16 */
	uint64_t level;      /* whose misses count, from 1; 0: not given, the first */
	const char *machine; /* a preset or file of trace-ibs --machine; NULL: the default */
};

/* The cost of an instruction that became known with a later one, or with the end of the thread. */
struct call_model_late {
	const struct tf_block *block; /* NULL: there is none */
	unsigned insn;
	uint64_t cost;
};

#endif
