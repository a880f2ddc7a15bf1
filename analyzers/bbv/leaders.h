/* SPDX-License-Identifier: MIT */
/*
 * Where the blocks of a control flow graph begin: at the targets of direct branches and behind
 * every control transfer (taken from the code of all basic blocks of the trace, so that ways not
 * taken divide blocks as well), and wherever else control arrived.
 */
#ifndef BBV_LEADERS_H
#define BBV_LEADERS_H

#include "traceformat/traceformat.h"

struct bbv_leaders;

/* reader: loaded. Ends the process if memory is out. */
struct bbv_leaders *bbv_leaders_of(const struct tf_reader *reader);
void bbv_leaders_free(struct bbv_leaders *leaders);

/* Whether a block begins with instruction `index` of a basic block. */
bool bbv_leads(const struct bbv_leaders *leaders, const struct tf_block *block, unsigned index);

#endif
