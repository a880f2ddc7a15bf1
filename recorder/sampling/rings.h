/* SPDX-License-Identifier: MIT */
/* The buffers of an event: one for each CPU and each thread that ran when sampling began. */
#ifndef SAMPLE_RINGS_H
#define SAMPLE_RINGS_H

#include "recorder/sampling/ring.h"

struct rings {
	struct ring *at;
	size_t count, capacity;
};

/*
 * Opens the event for a process that is about to execute a program or, with `running`, for all
 * threads of the process. Returns false with errno.
 */
bool rings_open(struct rings *rings, const struct sample_spec *spec, pid_t pid, bool running);

void rings_stop(const struct rings *rings);
void rings_free(struct rings *rings);

/* Changes the period of the event for all buffers. */
void rings_set_period(const struct rings *rings, uint64_t period);

/* Drains all buffers with ring_drain(). */
int rings_drain(struct rings *rings, int (*take)(void *opaque, const uint8_t *record, size_t size),
		void *opaque);

#endif
