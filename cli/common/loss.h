/* SPDX-License-Identifier: MIT */
#ifndef LOSS_H
#define LOSS_H

#include "traceformat/traceformat.h"

/* Says on stderr what of the trace is not there; nothing if it is complete. */
void note_loss(const char *path, const struct tf_info *info);

#endif
