/* SPDX-License-Identifier: MIT */
/*
 * Slices that represent a program, recorded while it runs for the first time: options->online.
 *
 * Each interval is assigned to a cluster when it is over (interval_clusters.h). An interval is
 * recorded if it may belong to a cluster without a slice (phase_prediction.h); the first interval
 * is always recorded. If the interval does belong to such a cluster, it becomes its slice.
 * Otherwise it was recorded in vain: it stays in the trace, and no slice is cut out of it. Twice
 * as many intervals as there may be clusters can be recorded in vain, so the size of the trace is
 * limited.
 *
 *	counted | recorded         | counted   | warm-up, interval recorded | counted
 *	--------|==================|-----------|......=====================|--------
 *	        found: a new cluster, so the next interval is recorded
 *
 * Intervals need not have the same length: one that is counted ends like those of --vectors, one
 * that is recorded ends at the end of the superblock with its last instruction or shortly after
 * it. The next interval is shorter or longer by that difference. The rest at the end of the
 * program belongs to the last interval, if it is less than half an interval.
 */
#ifndef ONLINE_H
#define ONLINE_H

#include "recorder/core/session.h"

struct online;

/* Returns NULL if memory is out. */
struct online *online_new(const struct record_online *options);
void online_free(struct online *online);

/* As intervals_add(). Returns false if memory is out. */
bool online_execute(struct online *online, uint32_t exit, unsigned executed, int64_t times);

/*
 * Begins the program or ends an interval, or the warm-up before it, after so many instructions of
 * all threads, and so many recorded ones of them. Returns 1 if the next *budget instructions are to
 * be recorded, 0 if they are to be counted, or -1.
 */
int online_next(struct online *online, struct session *session, uint64_t executed,
		uint64_t recorded, uint64_t *budget);

/* States that the number of instructions of this interval is not exact. */
void online_lose(struct online *online);

/* Ends the program. Returns 0 or -1. */
int online_end(struct online *online, struct session *session, uint64_t executed);

/* Moves the result to *clusters. */
void online_take(struct online *online, struct record_clusters *clusters);

#endif
