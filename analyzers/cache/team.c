/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/team.h"

#include <string.h>

#include "analyzers/common/workers.h"
#include "cli/common/checked.h"

enum { TEAM_BATCH = 32768 /* accesses */, N_BATCHES = 4 };

struct batch {
	size_t count;
	struct cache_access *accesses;
	struct cache_origin *origins; /* NULL: none */
};

struct cache_team {
	struct cache_hierarchy *const *hierarchies;
	struct workers *workers;
	struct batch batches[N_BATCHES], *filling;
};

static void simulate(void *opaque, unsigned task, unsigned number)
{
	struct cache_team *team = opaque;
	const struct batch *batch = &team->batches[number];

	cache_hierarchy_feed(team->hierarchies[task], batch->accesses, batch->origins,
			     batch->count);
}

static void begin_batch(struct cache_team *team)
{
	team->filling = &team->batches[workers_batch(team->workers)];
	team->filling->count = 0;
}

static void hand_out(struct cache_team *team)
{
	workers_hand_out(team->workers);
	begin_batch(team);
}

/* Puts accesses into the batch. Returns how many it has room for. */
static size_t fill(struct batch *batch, const struct cache_access *accesses,
		   const struct cache_origin *origins, size_t count)
{
	size_t room = TEAM_BATCH - batch->count, n = count < room ? count : room;

	memcpy(&batch->accesses[batch->count], accesses, n * sizeof(*accesses));
	if (batch->origins)
		memcpy(&batch->origins[batch->count], origins, n * sizeof(*origins));
	batch->count += n;
	return n;
}

void cache_team_feed(struct cache_team *team, const struct cache_access *accesses,
		     const struct cache_origin *origins, size_t count)
{
	while (count) {
		size_t n = fill(team->filling, accesses, origins, count);

		accesses += n;
		origins = origins ? origins + n : NULL;
		count -= n;
		if (team->filling->count == TEAM_BATCH)
			hand_out(team);
	}
}

void cache_team_wait(struct cache_team *team)
{
	hand_out(team);
	workers_finish(team->workers);
}

struct cache_team *cache_team_new(struct cache_hierarchy *const *hierarchies, size_t count,
				  unsigned n_threads, bool origins)
{
	struct cache_team *team = checked_array(1, sizeof(*team));

	team->hierarchies = hierarchies;
	for (unsigned i = 0; i < N_BATCHES; i++) {
		struct batch *batch = &team->batches[i];

		batch->accesses = checked_array(TEAM_BATCH, sizeof(*batch->accesses));
		if (origins)
			batch->origins = checked_array(TEAM_BATCH, sizeof(*batch->origins));
	}
	team->workers = workers_new(n_threads - 1, (unsigned)count, N_BATCHES, simulate, team);
	begin_batch(team);
	return team;
}

void cache_team_free(struct cache_team *team)
{
	if (!team)
		return;
	workers_free(team->workers);
	for (unsigned i = 0; i < N_BATCHES; i++) {
		free(team->batches[i].accesses);
		free(team->batches[i].origins);
	}
	free(team);
}
