/* SPDX-License-Identifier: MIT */
/*
 * Puts the records of several buffers into the order of time. Each buffer is in order. A record
 * that is older than the beginning of a round in which all buffers are read is in its buffer by
 * then.
 */
#ifndef SAMPLE_QUEUE_H
#define SAMPLE_QUEUE_H

#include "recorder/samples/perf_events.h"
#include "recorder/samples/program_place.h"

struct queue {
	struct buffer bytes;
	struct queued {
		uint64_t time;
		size_t offset; /* in bytes */
		struct program_place place;
		bool is_placed;
	} * at;
	size_t count, capacity;
};

/* Appends a record with its time. Returns false if memory is out. */
bool queue_add(struct queue *queue, uint64_t time, const uint8_t *record, size_t size);

/* Stores the result of find() for each record that was added since the last call. */
void queue_place(struct queue *queue,
		 struct program_place (*find)(void *opaque, const uint8_t *record, size_t size),
		 void *opaque);

/*
 * Removes the records that are older than a time, and hands them to take() in order. Returns 0, the
 * first negative result of take(), or TF_E_MEMORY.
 */
int queue_take(struct queue *queue, uint64_t before,
	       int (*take)(void *opaque, const uint8_t *record, size_t size,
			   const struct program_place *place),
	       void *opaque);

void queue_free(struct queue *queue);

#endif
