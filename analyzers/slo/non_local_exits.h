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
		uint32_t from; /* node whose call did not return */
		uint32_t to;   /* node of the same function at which control came back */
	} * edges;             /* sorted by from, then by to; each once */
};

/*
 * Lists the non-local exits of a trace, with up to so many jobs. code: complete except for the
 * loops that these exits add. Damaged parts of the trace are left out. Returns 0, or a negative
 * status with *error filled; the caller frees the edges in both cases. Ends the process if memory
 * is out.
 */
int slo_non_local_exit_list(const struct slo_code *code, struct tf_reader *reader, unsigned jobs,
			    struct slo_non_local_exit *landed, struct tf_error *error);

#endif
