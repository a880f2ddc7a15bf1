/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/team.h"

#include <pthread.h>
#include <string.h>

#include "cli/common/checked.h"

enum { TEAM_BATCH = 32768 };

/* A part of a hierarchy, which one thread simulates. */
struct unit {
	struct cache_hierarchy *hierarchy;
	struct cache_hierarchy *whole; /* the one that receives the counts */
};

struct batch {
	size_t count;
	struct cache_access accesses[TEAM_BATCH];
	struct cache_origin *origins; /* NULL: none */
};

struct worker {
	struct cache_team *team;
	pthread_t thread;
	unsigned number;
};

struct cache_team {
	size_t n_units;
	struct unit *units;
	unsigned n_workers;
	struct worker *workers;
	struct batch *filling, *simulated;
	bool missed[TEAM_BATCH]; /* by access: a line of it missed in an earlier part */

	pthread_mutex_t lock;
	pthread_cond_t begins, ends;
	unsigned turn; /* number of batches that were handed out */
	unsigned busy; /* workers that simulate the last one */
	bool closing;
};

/* ---- workers ------------------------------------------------------------------------------- */

/* Waits for the batch after `turn`. Returns false if there will be none. */
static bool wait_for_turn(struct cache_team *team, unsigned turn)
{
	bool more;

	pthread_mutex_lock(&team->lock);
	while (team->turn == turn && !team->closing)
		pthread_cond_wait(&team->begins, &team->lock);
	more = team->turn != turn;
	pthread_mutex_unlock(&team->lock);
	return more;
}

static void end_turn(struct cache_team *team)
{
	pthread_mutex_lock(&team->lock);
	if (!--team->busy)
		pthread_cond_signal(&team->ends);
	pthread_mutex_unlock(&team->lock);
}

static void *work(void *opaque)
{
	const struct worker *worker = opaque;
	struct cache_team *team = worker->team;

	for (unsigned turn = 0; wait_for_turn(team, turn); turn++) {
		const struct batch *batch = team->simulated;

		for (size_t i = worker->number; i < team->n_units; i += team->n_workers)
			cache_hierarchy_feed(team->units[i].hierarchy, batch->accesses,
					     batch->origins, batch->count);
		end_turn(team);
	}
	return NULL;
}

/* ---- parts of hierarchies ------------------------------------------------------------------ */

static void add_unit(struct cache_team *team, struct cache_hierarchy *hierarchy,
		     struct cache_hierarchy *whole)
{
	team->units[team->n_units++] = (struct unit){ hierarchy, whole };
}

/* Adds the units of a hierarchy, `most` at most. */
static void add_units(struct cache_team *team, struct cache_hierarchy *whole, unsigned most)
{
	unsigned parts = cache_config_parts(&whole->config, most);

	cache_hierarchy_divide(whole, 0, parts);
	add_unit(team, whole, whole);
	for (unsigned part = 1; part < parts; part++) {
		struct cache_hierarchy *h = checked_array(1, sizeof(*h));

		cache_hierarchy_init(h, &whole->config);
		cache_hierarchy_divide(h, part, parts);
		add_unit(team, h, whole);
	}
}

/* Adds the misses of accesses of several lines, whose lines are in several parts. */
static void add_crossings(struct cache_team *team, size_t first, size_t end)
{
	struct cache_hierarchy *whole = team->units[first].whole;
	const struct batch *batch = team->simulated;

	for (size_t i = first; i < end; i++) {
		struct cache_hierarchy *h = team->units[i].hierarchy;

		for (size_t k = 0; k < h->crossed.count; k++) {
			bool *before = &team->missed[h->crossed.at[k].access];
			uint32_t misses = h->crossed.at[k].misses;
			uint8_t kind = batch->accesses[h->crossed.at[k].access].kind;

			whole->crossing_misses[kind] += *before ? misses : misses - 1;
			*before = true;
		}
	}
	for (size_t i = first; i < end; i++) {
		struct cache_hierarchy *h = team->units[i].hierarchy;

		for (size_t k = 0; k < h->crossed.count; k++)
			team->missed[h->crossed.at[k].access] = false;
		h->crossed.count = 0;
	}
}

static void finish_batch(struct cache_team *team)
{
	size_t end;

	pthread_mutex_lock(&team->lock);
	while (team->busy)
		pthread_cond_wait(&team->ends, &team->lock);
	pthread_mutex_unlock(&team->lock);
	for (size_t first = 0; first < team->n_units; first = end) {
		end = first + 1;
		while (end < team->n_units && team->units[end].whole == team->units[first].whole)
			end++;
		if (end > first + 1)
			add_crossings(team, first, end);
	}
}

/* ---- the team ------------------------------------------------------------------------------ */

static struct batch *new_batch(bool origins)
{
	struct batch *batch = checked_array(1, sizeof(*batch));

	if (origins)
		batch->origins = checked_array(TEAM_BATCH, sizeof(*batch->origins));
	return batch;
}

struct cache_team *cache_team_new(struct cache_hierarchy *const *hierarchies, size_t count,
				  unsigned n_threads, bool origins)
{
	struct cache_team *team = checked_array(1, sizeof(*team));
	unsigned most = count < n_threads ? n_threads / count : 1;

	team->units = checked_array(count * most, sizeof(*team->units));
	for (size_t i = 0; i < count; i++)
		add_units(team, hierarchies[i], most);
	team->n_workers = team->n_units < n_threads ? team->n_units : n_threads;
	team->workers = checked_array(team->n_workers, sizeof(*team->workers));
	team->filling = new_batch(origins);
	team->simulated = new_batch(origins);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begins, NULL);
	pthread_cond_init(&team->ends, NULL);
	for (unsigned i = 0; i < team->n_workers; i++) {
		team->workers[i] = (struct worker){ .team = team, .number = i };
		if (pthread_create(&team->workers[i].thread, NULL, work, &team->workers[i]))
			out_of_memory();
	}
	return team;
}

static void free_batch(struct batch *batch)
{
	free(batch->origins);
	free(batch);
}

void cache_team_free(struct cache_team *team)
{
	if (!team)
		return;
	finish_batch(team);
	pthread_mutex_lock(&team->lock);
	team->closing = true;
	pthread_cond_broadcast(&team->begins);
	pthread_mutex_unlock(&team->lock);
	for (unsigned i = 0; i < team->n_workers; i++)
		pthread_join(team->workers[i].thread, NULL);
	for (size_t i = 0; i < team->n_units; i++)
		if (team->units[i].hierarchy != team->units[i].whole) {
			cache_hierarchy_free(team->units[i].hierarchy);
			free(team->units[i].hierarchy);
		}
	free_batch(team->filling);
	free_batch(team->simulated);
	free(team->units);
	free(team->workers);
	pthread_mutex_destroy(&team->lock);
	pthread_cond_destroy(&team->begins);
	pthread_cond_destroy(&team->ends);
	free(team);
}

/* Hands the batch that is being filled out, when the one before is finished. */
static void hand_out(struct cache_team *team)
{
	struct batch *next;

	finish_batch(team);
	next = team->simulated;
	pthread_mutex_lock(&team->lock);
	team->simulated = team->filling;
	team->turn++;
	team->busy = team->n_workers;
	pthread_cond_broadcast(&team->begins);
	pthread_mutex_unlock(&team->lock);
	team->filling = next;
	team->filling->count = 0;
}

void cache_team_feed(struct cache_team *team, const struct cache_access *accesses,
		     const struct cache_origin *origins, size_t count)
{
	while (count) {
		struct batch *batch = team->filling;
		size_t room = TEAM_BATCH - batch->count, n = count < room ? count : room;

		memcpy(&batch->accesses[batch->count], accesses, n * sizeof(*accesses));
		if (batch->origins)
			memcpy(&batch->origins[batch->count], origins, n * sizeof(*origins));
		batch->count += n;
		accesses += n;
		origins = origins ? origins + n : NULL;
		count -= n;
		if (batch->count == TEAM_BATCH)
			hand_out(team);
	}
}

void cache_team_wait(struct cache_team *team)
{
	if (team->filling->count)
		hand_out(team);
	finish_batch(team);
	for (size_t i = 0; i < team->n_units; i++)
		if (team->units[i].hierarchy != team->units[i].whole)
			cache_hierarchy_move_counts(team->units[i].whole, team->units[i].hierarchy);
}
