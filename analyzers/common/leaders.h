/* SPDX-License-Identifier: MIT */
/*
 * Leaders: the instructions at which the blocks of a control flow graph begin. They are the targets
 * of direct branches, the instructions after control transfers (both from the code of all basic
 * blocks of the trace, so that branches not taken divide blocks as well), and all other places
 * where control arrived.
 */
#ifndef LEADERS_H
#define LEADERS_H

#include "analyzers/common/executed.h"
#include "traceformat/traceformat.h"

struct leaders;

/*
 * Finds the leaders of a loaded trace: in its executed code or, if that is NULL, in all code of the
 * dictionary. Ends the process if memory is out.
 */
struct leaders *leaders_of(const struct tf_reader *reader, const struct executed *executed);
void leaders_free(struct leaders *leaders);

/* Returns true if a block begins with instruction `index` of a basic block. */
bool leads(const struct leaders *leaders, const struct tf_block *block, unsigned index);

#endif
