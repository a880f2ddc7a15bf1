/* SPDX-License-Identifier: MIT */
/*
 * Puts the records of several buffers into the order of time. Each buffer is in order, and a
 * record that is older than the beginning of a round of reading all buffers was there by then.
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

/* Appends a record with its time. False: memory is out. */
bool queue_add(struct queue *queue, uint64_t time, const uint8_t *record, size_t size);

/* Stores find's result for each record that has come since the last call. */
void queue_place(struct queue *queue,
		 struct program_place (*find)(void *opaque, const uint8_t *record, size_t size),
		 void *opaque);

/*
 * Hands the records before a time, in order, to take, and keeps the others. Returns 0, or what
 * take has returned if it is negative.
 */
int queue_take(struct queue *queue, uint64_t before,
	       int (*take)(void *opaque, const uint8_t *record, size_t size,
			   const struct program_place *place),
	       void *opaque);

void queue_free(struct queue *queue);

#endif
