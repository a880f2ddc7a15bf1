/* SPDX-License-Identifier: MIT */
/*
 * Where the blocks of a control flow graph begin: at the targets of direct branches and behind
 * every control transfer (taken from the code of all basic blocks of the trace, so that ways not
 * taken divide blocks as well), and wherever else control arrived.
 */
#ifndef LEADERS_H
#define LEADERS_H

#include "traceformat/traceformat.h"

struct leaders;

/* reader: loaded. Ends the process if memory is out. */
struct leaders *leaders_of(const struct tf_reader *reader);
void leaders_free(struct leaders *leaders);

/* Whether a block begins with instruction `index` of a basic block. */
bool leads(const struct leaders *leaders, const struct tf_block *block, unsigned index);

#endif
