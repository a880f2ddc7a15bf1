/* SPDX-License-Identifier: MIT */
/* What the models of costs have in common. */
#ifndef CALLS_MODEL_OPTIONS_H
#define CALLS_MODEL_OPTIONS_H

#include "analyzers/common/analyzer.h"

enum call_model_kind { CALL_NO_MODEL, CALL_MISSES, CALL_CYCLES };

/* What a model needs to know. */
struct call_model_options {
	unsigned kind;       /* enum call_model_kind */
	const char *caches;  /* as trace-cache --levels; NULL: as without that option */
	uint64_t level;      /* whose misses count, from 1 */
	const char *machine; /* a preset or file of trace-ibs --machine; NULL: the default */
};

/* The cost of an instruction that became known with a later one, or with the end of the thread. */
struct call_model_late {
	const struct tf_block *block; /* NULL: there is none */
	unsigned insn;
	uint64_t cost;
};

#endif
