/* SPDX-License-Identifier: MIT */
/*
 * The cycles of a modeled machine by instruction. The cycles of an op are those between the
 * retirement of the op before and its own, so that the cycles of a thread add up to the cycle in
 * which its last op retired. Each thread has a core of its own; all share the last cache.
 */
#ifndef CALLS_CYCLES_H
#define CALLS_CYCLES_H

#include "analyzers/calls/models/model_options.h"
#include "analyzers/ibs/model/program.h"

struct call_cycles {
	struct machine machine;
	struct ibs_code code;
	struct set_cache l3;
	uint32_t n_threads;
	struct call_cycles_core **cores; /* by thread; NULL: it has executed nothing */
};

/* Returns 0, or an exit code after a message. The struct must not be moved. */
int call_cycles_init(struct call_cycles *cycles, const struct analysis *run,
		     const struct call_model_options *options);
void call_cycles_free(struct call_cycles *cycles);

/* Adds the cycles of an item of one block to by_insn, but for its last op. */
void call_cycles_execute(struct call_cycles *cycles, const struct tf_item *item, uint64_t *by_insn,
			 struct call_model_late *late);

void call_cycles_end(struct call_cycles *cycles, uint32_t thread, struct call_model_late *late);

#endif
