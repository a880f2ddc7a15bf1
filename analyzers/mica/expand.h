/* SPDX-License-Identifier: MIT */
/* Converts the executions of a trace to the form that MICA's analyses need. */
#ifndef MICA_EXPAND_H
#define MICA_EXPAND_H

#include "analyzers/mica/code.h"

/* Collects events and hands them on in batches. */
struct mica_expander {
	const struct mica_code *code;
	void (*consume)(void *opaque, const struct mica_event *events, size_t count);
	/* Called for whole executions of superblocks; NULL: they are events like others. */
	void (*superblock)(void *opaque, const struct mica_superblock_exec *exec);
	void *opaque;
	uint64_t space; /* added to the addresses of what is expanded */
	size_t count;
	struct mica_event events[256];
};

/*
 * Hands on the executions of an item of blocks, or of paths with TF_ADDRESSES or TF_REPETITIONS.
 * Without addresses events have no accesses, and without repetitions a rep instruction has one
 * execution.
 */
void mica_expand(struct mica_expander *expander, const struct tf_item *item);

#endif
