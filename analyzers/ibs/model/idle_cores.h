/* SPDX-License-Identifier: MIT */
/*
 * The cores of many threads, of which few execute by turns: all but some are packed, because the
 * caches and tables of a core take 300 KiB, and those of a thread that has executed little are
 * nearly empty.
 */
#ifndef IBS_IDLE_CORES_H
#define IBS_IDLE_CORES_H

#include "analyzers/ibs/model/core.h"
#include "traceformat/common/bytes.h"

enum { MOST_AWAKE_CORES = 64 };

/* A core. */
struct idle_core {
	struct ibs_core *core; /* never moves; all of it is 0 while it is packed */
	uint8_t *packed;       /* NULL: it is awake, and can execute */
	bool is_awake;
};

/* Cores that are awake; a zeroed one has none. */
struct idle_cores {
	struct idle_core *awake[MOST_AWAKE_CORES];
	unsigned n, oldest; /* oldest: that has been awake longest, once there are n */
	struct buffer buffer;
};

/*
 * Makes memory for a core, which is 0; the caller then initializes it. Ends the process if memory
 * is out.
 */
void idle_core_new(struct idle_core *core);

/* Makes a core able to execute, and may pack another one. Ends the process if memory is out. */
void idle_cores_wake(struct idle_cores *cores, struct idle_core *core);

/* Frees a core, packed or awake. Afterwards none of the cores may be woken. */
void idle_core_free(struct idle_core *core);

/* Frees what the cores share. */
void idle_cores_free(struct idle_cores *cores);

#endif
