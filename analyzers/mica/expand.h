/* SPDX-License-Identifier: MIT */
/* Makes executions as MICA's analyses want them of those of a trace. */
#ifndef MICA_EXPAND_H
#define MICA_EXPAND_H

#include "analyzers/mica/code.h"

/* Collects events and hands them on in batches. */
struct mica_expander {
	const struct mica_code *code;
	void (*consume)(void *opaque, const struct mica_event *events, size_t count);
	/* Called for plain instructions, may change it; NULL: they are events like others. */
	void (*stretch)(void *opaque, struct mica_stretch *stretch);
	void *opaque;
	struct mica_exit_count *exits;	/* mica_expand_unordered's */
	uint64_t times;			/* of what is being expanded; 0: 1 */
	size_t count;
	struct mica_event events[256];
};

/* Lets executions of paths wait until mica_expand_rest, and makes one of all that leave a path by
 * the same exit. stretch must not be NULL. */
void mica_expand_unordered(struct mica_expander *expander);

/* Hands on what waits. */
void mica_expand_rest(struct mica_expander *expander);

void mica_expander_free(struct mica_expander *expander);

/*
 * Hands on the executions of an item of blocks, or of paths with TF_REPETITIONS. Without addresses
 * events have no accesses, and without repetitions a rep instruction has one execution.
 */
void mica_expand(struct mica_expander *expander, const struct tf_item *item);

#endif
