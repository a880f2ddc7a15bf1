/* SPDX-License-Identifier: MIT */
/*
 * Where the instructions of a slice begin that count: behind its warm-up. META slice.warmup says
 * that a trace has a warm-up, and how many instructions of all threads together it has; each thread
 * enters the region "simulation" behind its own part of the warm-up.
 */
#ifndef SLICE_START_H
#define SLICE_START_H

#include <stdint.h>

/* The remedy of commands that have the option. */
#define TAKE_WHOLE_SLICE "--warmup=no takes the trace as a whole"

struct tf_reader;

/*
 * Sets `warmup` to META slice.warmup, in instructions of all threads; 0: no slice, or no warm-up.
 * path: of the trace, for messages. remedy: what its user can do if the value is no number, for the
 * end of the message. Returns 0, or an exit code after a message.
 */
int slice_warmup(struct tf_reader *reader, const char *path, const char *remedy, uint64_t *warmup);

/*
 * Sets `ordinal` to the thread's first instruction in the region "simulation"; UINT64_MAX: the
 * thread does not enter the region. path, remedy: as for slice_warmup(). Returns 0, or an exit code
 * after a message.
 */
int slice_simulation_start(struct tf_reader *reader, const char *path, const char *remedy,
			   uint32_t thread, uint64_t *ordinal);

#endif
