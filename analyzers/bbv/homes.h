/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks of a trace that begin inside a block of the control flow graph: where the trace
 * divides straight code, and where execution went on after an interruption. Executions that are
 * only counted do not tell what came before, so this table has the leader before each such place.
 */
#ifndef BBV_HOMES_H
#define BBV_HOMES_H

#include "analyzers/bbv/ids.h"
#include "analyzers/common/leaders.h"

struct bbv_homes;

/* Makes the table. Ends the process if memory is out. */
struct bbv_homes *bbv_homes_new(const struct tf_reader *reader, const struct leaders *leaders);
void bbv_homes_free(struct bbv_homes *homes);

/* Returns the leader of the block of the graph that has the basic block's first instruction. */
struct bbv_start bbv_home(const struct bbv_homes *homes, const struct tf_block *block);

#endif
