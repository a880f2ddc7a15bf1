/* SPDX-License-Identifier: MIT */
/*
 * Warm-up: instructions before the counted ones, which fill the caches and predictors of a model
 * (T. F. Wenisch et al., "SMARTS", ISCA 2003). The analyzer is fed them, and then forgets what it
 * has counted (the hook clear). An analyzer that learns nothing is not fed them.
 * A slice states its own warm-up (slice_start.h).
 */
#ifndef WARMUP_H
#define WARMUP_H

#include "analyzers/common/options.h"
#include "analyzers/common/replay.h"

/*
 * Finds out whether there is a warm-up, and sets run->has_warmup. Returns 0, or an exit code after
 * a message.
 */
int warmup_begin(struct analysis *run, const struct settings *settings);

/*
 * Sets replay->first, count and warmup for a stream: a thread, or all with TF_MERGED. Returns 0, or
 * an exit code after a message.
 */
int warmup_of_stream(struct replay *replay, const struct settings *settings, uint32_t thread);

#endif
