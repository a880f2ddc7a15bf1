/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of replay share: the parts of streams, and the lanes that replay
 * them.
 */
#ifndef REPLAY_PARTS_H
#define REPLAY_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "analyzers/common/replay.h"
#include "cli/common/progress.h"
#include "traceformat/common/array.h"

/* A range of one stream. */
struct part {
	uint32_t thread; /* index, or TF_MERGED */
	uint64_t first, count;
};

/* The state that the lanes of a result share. */
struct plan {
	const struct replay *replay;
	ARRAY(struct part) parts; /* lane by lane */
	unsigned n_decoders;      /* that decode ahead of the only lane */
	struct progress progress;
	atomic_uint_fast64_t done; /* instructions, for the progress */
	atomic_bool stopped;       /* a lane failed */
};

struct lane {
	struct plan *plan;
	size_t first_part, n_parts;
	void *state;
	bool is_first;     /* it shows the progress */
	bool *inside;      /* by thread: in the region; NULL without one */
	uint32_t thread;   /* of the part */
	uint64_t position; /* of the part's next instruction */
	uint64_t counted;  /* instructions fed that count */
	uint64_t warm_end; /* position at which the part's warm-up ends */
	enum { LANE_COUNTS, LANE_WARMS_UP } phase;
	struct analyzer_span span; /* of the row under way */
	bool damaged;
	int status;
	pthread_t pthread;
};

/*
 * Cuts the stream of `thread`, or those of all with TF_MERGED, into plan->parts for lanes, of which
 * there are replay->jobs. Returns how many it takes: one where the order of threads matters.
 */
size_t plan_lanes(struct plan *plan, struct lane *lanes, uint32_t thread);

/* Feeds the lane's state the part of an item that it should see. Returns 0 or an exit code. */
int lane_feed(struct lane *lane, const struct tf_item *item);

/* Feeds a digest, of batches with the item's instructions. Returns 0 or an exit code. */
int lane_take(struct lane *lane, const struct tf_item *item, void *digest);

/* Lets the state forget the warm-up, if the lane is still in it. Returns 0 or an exit code. */
int lane_end_warmup(struct lane *lane);

/* Reports what was fed since the last row, if there is any, and clears the state. */
int lane_end_row(struct lane *lane);

#endif
