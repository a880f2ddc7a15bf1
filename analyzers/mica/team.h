/* SPDX-License-Identifier: MIT */
/*
 * Several analyses of the same executions, on several cores. Executions wait in a ring of batches,
 * of which each analysis takes one after the other, whichever thread has time for it:
 *
 *	fed by the caller >  [batch][batch][batch][batch]   > free
 *	                        ^ reg   ^ ppm       ^ ilp
 */
#ifndef MICA_TEAM_H
#define MICA_TEAM_H

#include "analyzers/mica/run.h"

struct mica_team;

/* Creates a team. jobs: threads, including the caller's. Ends the process if memory is out. */
struct mica_team *mica_team_new(unsigned jobs);

/*
 * Feeds events to runs, which must stay where they are. If the runs change, the new ones get events
 * after the earlier ones are done. The events are copied.
 */
void mica_team_feed(struct mica_team *team, struct mica_run *runs, unsigned n_runs,
		    const struct mica_event *events, size_t count);

/* Returns when the runs have got all events. */
void mica_team_wait(struct mica_team *team);

/* Waits, and ends the threads. NULL is allowed. */
void mica_team_free(struct mica_team *team);

#endif
