/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 32, BATCH = 1024, MAX_RUNS = 16, MAX_THREADS = 16 };

struct batch {
	size_t count;
	uint64_t instructions;
	struct mica_event events[BATCH];
};

/* A run, and the batch that it takes next. */
struct seat {
	struct mica_run *run;
	uint64_t next; /* number of a batch */
	bool busy;
};

struct mica_team {
	pthread_t threads[MAX_THREADS];
	unsigned n_threads;
	pthread_mutex_t lock;
	pthread_cond_t work, progress; /* there is a batch to be taken; one was taken */
	bool over;
	struct mica_run *runs;
	unsigned n_seats;
	struct seat seats[MAX_RUNS];
	uint64_t fed;          /* batches that the seats may take */
	struct batch *batches; /* by number modulo BATCHES; `fed` is being filled */
};

/* ---- under the lock ---------------------------------------------------------------------- */

/* Returns the seat with work that is farthest behind and not busy, or NULL. */
static struct seat *find_work(struct mica_team *team)
{
	struct seat *found = NULL;

	for (unsigned i = 0; i < team->n_seats; i++) {
		struct seat *seat = &team->seats[i];

		if (!seat->busy && seat->next < team->fed && (!found || seat->next < found->next))
			found = seat;
	}
	return found;
}

/* Returns the number of batches that the slowest seat has not taken. */
static uint64_t backlog(const struct mica_team *team)
{
	uint64_t least = team->fed;

	for (unsigned i = 0; i < team->n_seats; i++)
		if (team->seats[i].next < least)
			least = team->seats[i].next;
	return team->fed - least;
}

static void take_batch(struct mica_team *team, struct seat *seat)
{
	const struct batch *batch = &team->batches[seat->next % BATCHES];

	seat->busy = true;
	pthread_mutex_unlock(&team->lock);
	mica_run_feed(seat->run, batch->events, batch->count, batch->instructions);
	pthread_mutex_lock(&team->lock);
	seat->busy = false;
	seat->next++;
	pthread_cond_signal(&team->progress);
}

/* Works until at most `most` batches are left to be taken. */
static void reduce(struct mica_team *team, uint64_t most)
{
	while (backlog(team) > most) {
		struct seat *seat = find_work(team);

		if (seat)
			take_batch(team, seat);
		else
			pthread_cond_wait(&team->progress, &team->lock);
	}
}

/* ------------------------------------------------------------------------------------------ */

static void *work(void *opaque)
{
	struct mica_team *team = opaque;

	pthread_mutex_lock(&team->lock);
	while (!team->over) {
		struct seat *seat = find_work(team);

		if (seat)
			take_batch(team, seat);
		else
			pthread_cond_wait(&team->work, &team->lock);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

struct mica_team *mica_team_new(unsigned jobs)
{
	struct mica_team *team = checked_array(1, sizeof(*team));

	team->batches = checked_array(BATCHES, sizeof(*team->batches));
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->work, NULL);
	pthread_cond_init(&team->progress, NULL);
	while (team->n_threads + 1 < jobs && team->n_threads < MAX_THREADS &&
	       !pthread_create(&team->threads[team->n_threads], NULL, work, team))
		team->n_threads++;
	return team;
}

/* Makes the filled batch available, and makes room for the next one. */
static void hand_over(struct mica_team *team)
{
	struct batch *batch = &team->batches[team->fed % BATCHES];

	if (!batch->count)
		return;
	batch->instructions = mica_instructions(batch->events, batch->count);
	pthread_mutex_lock(&team->lock);
	team->fed++;
	pthread_cond_broadcast(&team->work);
	reduce(team, BATCHES - 1);
	pthread_mutex_unlock(&team->lock);
	team->batches[team->fed % BATCHES].count = 0;
}

static void seat_runs(struct mica_team *team, struct mica_run *runs, unsigned n_runs)
{
	mica_team_wait(team);
	pthread_mutex_lock(&team->lock);
	team->runs = runs;
	team->n_seats = n_runs;
	for (unsigned i = 0; i < n_runs; i++)
		team->seats[i] = (struct seat){ .run = &runs[i], .next = team->fed };
	pthread_mutex_unlock(&team->lock);
}

void mica_team_feed(struct mica_team *team, struct mica_run *runs, unsigned n_runs,
		    const struct mica_event *events, size_t count)
{
	if (team->runs != runs)
		seat_runs(team, runs, n_runs);
	while (count) {
		struct batch *batch = &team->batches[team->fed % BATCHES];
		size_t n = BATCH - batch->count < count ? BATCH - batch->count : count;

		memcpy(batch->events + batch->count, events, n * sizeof(*events));
		batch->count += n;
		events += n;
		count -= n;
		if (batch->count == BATCH)
			hand_over(team);
	}
}

void mica_team_wait(struct mica_team *team)
{
	hand_over(team);
	pthread_mutex_lock(&team->lock);
	reduce(team, 0);
	pthread_mutex_unlock(&team->lock);
}

void mica_team_free(struct mica_team *team)
{
	if (!team)
		return;
	mica_team_wait(team);
	pthread_mutex_lock(&team->lock);
	team->over = true;
	pthread_cond_broadcast(&team->work);
	pthread_mutex_unlock(&team->lock);
	while (team->n_threads)
		pthread_join(team->threads[--team->n_threads], NULL);
	pthread_cond_destroy(&team->progress);
	pthread_cond_destroy(&team->work);
	pthread_mutex_destroy(&team->lock);
	free(team->batches);
	free(team);
}
