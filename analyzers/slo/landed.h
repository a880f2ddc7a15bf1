/* SPDX-License-Identifier: MIT */
/* From which calls control came back by landing in the middle of their function: longjmp, exceptions. */
#ifndef SLO_LANDED_H
#define SLO_LANDED_H

#include "analyzers/slo/code.h"

struct slo_landed {
	size_t count;
	struct slo_landed_edge {
		uint32_t from, to;	/* nodes of one function: one that calls, one that is
					   landed at */
	} *edges;			/* by from */
};

/*
 * Lists all such pairs of a trace, each once; code is complete but for what they add to its loops.
 * Parts of the trace that are damaged are left out. Returns 0, or a negative status with *error
 * filled; free the edges in both cases. Memory that is out ends the process.
 */
int slo_landed_list(const struct slo_code *code, struct tf_reader *reader,
		    struct slo_landed *landed, struct tf_error *error);

#endif
