/* SPDX-License-Identifier: MIT */
/* The call paths of threads as text, while the threads execute. */
#ifndef CALLS_STACKS_H
#define CALLS_STACKS_H

#include "analyzers/calls/walk.h"
#include "analyzers/common/symbol_names.h"

struct call_stacks {
	struct call_profile profile;
	struct symbol_names names;
	uint32_t n_threads;
	struct call_walk *walks; /* by thread */
	ARRAY(char *) texts;     /* by node; NULL: not asked for yet */
};

/* Initializes the paths of a loaded trace. All functions end the process if memory is out. */
void call_stacks_init(struct call_stacks *stacks, struct tf_reader *reader, bool has_slots,
		      bool mangled);
void call_stacks_free(struct call_stacks *stacks);

/* Takes an execution of a thread. Returns the node whose functions it is in, at its end. */
uint32_t call_stacks_block(struct call_stacks *stacks, uint32_t thread,
			   const struct tf_block_exec *exec);

void call_stacks_event(struct call_stacks *stacks, const struct tf_event *event);

/* Returns the functions of a node, the outermost first: "main;sort;compare". It is the stacks'. */
const char *call_stacks_text(struct call_stacks *stacks, uint32_t node);

#endif
