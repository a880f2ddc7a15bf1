/* SPDX-License-Identifier: MIT */
/*
 * LRU stack distances of each thread's loads and stores of 64-byte lines, as vectors beside the
 * basic block vectors: slices that execute the same code on other data differ here. As in
 * BarrierPoint (Carlson, Heirman, Van Craeynest, Eeckhout, ISPASS 2014), distances are counted by
 * powers of two, and count as much as they may take time: 0.1 each below 2^11 lines, 2^(i/4), but
 * from 4 to 200, from 2^i lines on. The first touch of a line counts 200.
 */
#ifndef DISTANCE_VECTORS_H
#define DISTANCE_VECTORS_H

#include <stdint.h>

#include "traceformat/traceformat.h"

enum { DISTANCE_CLASSES = 33 }; /* by the logarithm; the last for lines that were never touched */

struct distance_vectors;

/* Ends the process if memory is out. */
struct distance_vectors *distance_vectors_new(uint32_t n_threads);
void distance_vectors_free(struct distance_vectors *vectors);

/* Adds an execution with values. */
void distance_vectors_execute(struct distance_vectors *vectors, uint32_t thread,
			      const struct tf_block_exec *exec);

/*
 * Gives the weighted counts since the last call, those that are not 0, scaled to this sum. Without
 * any the whole sum is given to class DISTANCE_CLASSES of thread 0.
 */
void distance_vectors_take(struct distance_vectors *vectors, double sum,
			   void (*use)(void *opaque, uint32_t thread, unsigned class, double value),
			   void *opaque);

#endif
