/* SPDX-License-Identifier: MIT */
/*
 * The cores of many threads, of which few execute by turns: all but some are packed, because the
 * caches and tables of a core take 300 KiB, and those of a thread that has executed little are
 * nearly empty.
 */
#ifndef IBS_IDLE_CORES_H
#define IBS_IDLE_CORES_H

#include "analyzers/ibs/model/batch.h"
#include "analyzers/ibs/model/core.h"
#include "traceformat/common/bytes.h"

enum { MOST_AWAKE_CORES = 64 };

/* The halves of a core, each for a thread of its own. */
enum idle_half { IDLE_FRONT, IDLE_CORE };

/* Half of a core. */
struct idle_core {
	union {
		void *state; /* never moves; all of it is 0 while it is packed */
		struct ibs_front *front;
		struct ibs_core *core;
	};
	enum idle_half half;
	uint8_t *packed; /* NULL: it is awake, and can execute */
	bool is_awake;
};

/* Halves of one kind that are awake; a zeroed one has none. */
struct idle_cores {
	struct idle_core *awake[MOST_AWAKE_CORES];
	unsigned n, oldest; /* oldest: that has been awake longest, once there are n */
	struct buffer buffer;
};

/*
 * Makes memory for a half of a core, which is 0; the caller then initializes it. Ends the process
 * if memory is out.
 */
void idle_core_new(struct idle_core *core, enum idle_half half);

/* Makes a core able to execute, and may pack another one. Ends the process if memory is out. */
void idle_cores_wake(struct idle_cores *cores, struct idle_core *core);

/* Frees a core, packed or awake. Afterwards none of the cores may be woken. */
void idle_core_free(struct idle_core *core);

/* Frees what the cores share. */
void idle_cores_free(struct idle_cores *cores);

#endif
