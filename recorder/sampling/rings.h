/* SPDX-License-Identifier: MIT */
/*
 * The buffers into which the kernel writes the records of an event: one for each CPU and each
 * thread that ran when sampling began.
 */
#ifndef SAMPLE_RINGS_H
#define SAMPLE_RINGS_H

#include <sys/types.h>

#include "recorder/sampling/spec.h"
#include "traceformat/common/bytes.h"

/* An open event and its buffer. */
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
