/* SPDX-License-Identifier: MIT */
/* Finds the targets of a trace's indirect jumps, indirect calls and returns. */
#ifndef SLO_TRANSFERS_H
#define SLO_TRANSFERS_H

#include "analyzers/slo/graph.h"

/*
 * Lists all pairs of blocks that one of these went from and to, each once. Free the list.
 * Parts of the trace that are damaged are left out. Returns 0, or a negative status with *error
 * filled. Memory that is out ends the process.
 */
int slo_transfers_list(struct tf_reader *reader, struct slo_transfer **transfers, size_t *count,
		       struct tf_error *error);

#endif
