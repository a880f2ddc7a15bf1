/* SPDX-License-Identifier: MIT */
/*
 * Costs that depend on what was executed before: misses of simulated caches, as trace-cache counts
 * them, and cycles of the machine model of trace-ibs.
 */
#ifndef CALLS_MODEL_H
#define CALLS_MODEL_H

#include "analyzers/calls/models/model_options.h"

struct call_model;

/*
 * Returns a model for a loaded trace, or NULL after a message; *status is then the exit code.
 * Memory that is out ends the process.
 */
struct call_model *call_model_new(const struct analysis *run,
				  const struct call_model_options *options, int *status);
void call_model_free(struct call_model *model); /* NULL is allowed */

/* Returns the name of the cost, "misses" or "cycles". */
const char *call_model_cost(const struct call_model *model);

/*
 * Executes block i of an item. by_insn, for each instruction of the block, receives the costs that
 * are known now; late receives those of the end of the thread's execution before.
 */
void call_model_execute(struct call_model *model, const struct tf_item *item, size_t i,
			uint64_t *by_insn, struct call_model_late *late);

/* Returns the late costs at the end of a thread. */
struct call_model_late call_model_end(struct call_model *model, uint32_t thread);

#endif
