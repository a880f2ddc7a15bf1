/* SPDX-License-Identifier: MIT */
/* An open event, and the buffer that the kernel writes its records into. */
#ifndef SAMPLE_RING_H
#define SAMPLE_RING_H

#include <sys/types.h>

#include "recorder/sampling/spec.h"
#include "traceformat/common/bytes.h"

struct ring {
	int fd;
	int leader; /* the group's other event; -1: none */
	struct perf_event_mmap_page *page;
	size_t size; /* bytes of the buffer behind the page, a power of two */
};

/*
 * Opens an event for a thread, and for the threads and processes that it starts, while they run on
 * a CPU; tid -1: for all that runs there. Returns false with errno.
 */
bool ring_open(struct ring *ring, const struct sample_spec *spec, pid_t tid, int cpu);
void ring_close(struct ring *ring);

/*
 * Hands each record, in one piece, to take(), and frees the buffer's space. Returns 0, or the first
 * negative result of take().
 */
int ring_drain(struct ring *ring, int (*take)(void *opaque, const uint8_t *record, size_t size),
	       void *opaque);

#endif
