/* SPDX-License-Identifier: MIT */
/*
 * Finds calls from which control came back into the middle of their function: longjmp, exceptions.
 */
#ifndef SLO_NON_LOCAL_EXITS_H
#define SLO_NON_LOCAL_EXITS_H

#include "analyzers/slo/code.h"

struct slo_non_local_exit {
	size_t count;
	struct slo_non_local_exit_edge {
		uint32_t from, to; /* nodes of one function: one that calls, one that is
					   landed at */
	} * edges;                 /* by from */
};

/*
 * Lists all such pairs of a trace, each once; code is complete but for what they add to its loops.
 * Parts of the trace that are damaged are left out. Returns 0, or a negative status with *error
 * filled; free the edges in both cases. Memory that is out ends the process.
 */
int slo_non_local_exit_list(const struct slo_code *code, struct tf_reader *reader,
			    struct slo_non_local_exit *landed, struct tf_error *error);

#endif
