/* SPDX-License-Identifier: MIT */
/* Tells which code is excluded by the rules of exclusion_rules.h. */
#ifndef EXCLUSION_H
#define EXCLUSION_H

#include "recorder/program/code_block.h"

/* The reason why code is excluded, and the rule that excludes it. */
struct exclusion {
	enum tf_exclusion reason; /* 0: not excluded */
	unsigned rule;
};

/*
 * Returns why the instruction at source->pc is excluded, and in *limit how many bytes from there
 * on are alike, at most source->available.
 */
struct exclusion exclusion_of(const struct task *task, const struct code_source *source,
			      size_t *limit);

#endif
