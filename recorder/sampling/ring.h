/* SPDX-License-Identifier: MIT */
/* An open event, and the buffer that the kernel writes its records into. */
#ifndef SAMPLE_RING_H
#define SAMPLE_RING_H

#include <sys/types.h>

#include "recorder/sampling/spec.h"
#include "traceformat/common/bytes.h"

struct ring {
	int fd;
	int leader; /* of its group, -1: none */
	struct perf_event_mmap_page *page;
	size_t size; /* of the buffer behind it, bytes: a power of two */
};

/*
 * Opens an event of a thread, and of what it starts, while it runs on a CPU; tid -1: of whatever
 * runs there. False: errno says why not.
 */
bool ring_open(struct ring *ring, const struct sample_spec *spec, pid_t tid, int cpu);
void ring_close(struct ring *ring);

/*
 * Hands each record that there is, in one piece, to take, and makes room. Returns 0, or what
 * take has returned if it is negative.
 */
int ring_drain(struct ring *ring, int (*take)(void *opaque, const uint8_t *record, size_t size),
	       void *opaque);

#endif
