/* SPDX-License-Identifier: MIT */
/* Changes text at the level of lines and words. */
#ifndef MUTATE_TEXT_H
#define MUTATE_TEXT_H

#include "traceformat/common/bytes.h"

/* Makes a few changes, each decided by the generator of mutate_trace.h. */
void mutate_text(struct buffer *text, uint64_t *state);

#endif
