/* SPDX-License-Identifier: MIT */
/* The buffers of an event: one a CPU, and for each thread that is sampled from when it runs on. */
#ifndef SAMPLE_RINGS_H
#define SAMPLE_RINGS_H

#include "recorder/sampling/ring.h"

struct rings {
	struct ring *at;
	size_t count, capacity;
};

/*
 * Opens the event for a process: one that is to execute a program, or (running) with all threads
 * that it has. False: errno says why not.
 */
bool rings_open(struct rings *rings, const struct sample_spec *spec, pid_t pid, bool running);

void rings_stop(const struct rings *rings);
void rings_free(struct rings *rings);

/* Changes the period of all buffers' events. */
void rings_set_period(const struct rings *rings, uint64_t period);

/* Drains all buffers, see ring_drain. */
int rings_drain(struct rings *rings, int (*take)(void *opaque, const uint8_t *record, size_t size),
		void *opaque);

#endif
