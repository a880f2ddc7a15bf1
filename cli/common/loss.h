/* SPDX-License-Identifier: MIT */
/* What is said of a trace that lacks something. */
#ifndef LOSS_H
#define LOSS_H

#include "traceformat/traceformat.h"

/* Says on stderr what of the trace is not there; nothing if it is complete. */
void note_loss(const char *path, const struct tf_info *info);

/* Warns that there is nothing from instruction `from` of a thread, or of all (TF_MERGED), on. */
void note_beyond(struct tf_reader *reader, uint32_t thread, uint64_t from);

#endif
