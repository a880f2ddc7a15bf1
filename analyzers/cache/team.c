/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/team.h"

#include <stdatomic.h>
#include <string.h>

#include "analyzers/common/workers.h"
#include "cli/common/checked.h"

enum {
	TEAM_BATCH = 32768, /* accesses */
	BIN_ACCESSES = 4096,
	MAX_CROSSERS = 2048,
	N_BATCHES = 4,
	PARTS_EACH = 4, /* that a thread has, so that all threads have work to the end */
};

/* A hierarchy or a part of one, which one thread simulates at a time. */
struct unit {
	struct cache_hierarchy *hierarchy;
	struct cache_hierarchy *whole; /* the one that receives the counts */
	unsigned part;                 /* the bin that it is fed with; WHOLE: all accesses */
	unsigned divided;              /* number of the hierarchy among those with parts */
};
enum { WHOLE = UINT32_MAX };

/* The accesses of a part of the lines. */
struct bin {
	size_t count;
	struct cache_access accesses[BIN_ACCESSES];
	size_t n_crossers;
	struct {
		uint32_t at;     /* index among the accesses */
		uint32_t number; /* among the crossers of the batch */
	} crossers[MAX_CROSSERS];
};

struct batch {
	size_t count;
	struct cache_access *accesses; /* all, in order; NULL: no unit needs them */
	struct cache_origin *origins;  /* NULL: none */
	struct bin *bins;              /* by part; NULL: no hierarchy has parts */
	/* Accesses of several lines that are in several parts. */
	size_t n_crossers;
	uint8_t kinds[MAX_CROSSERS];
	atomic_uint *misses; /* by divided hierarchy and crosser: lines that missed level 1 */
};

struct cache_team {
	size_t n_units;
	struct unit *units;
	unsigned n_divided;
	struct cache_hierarchy **divided;
	uint64_t (*crossing_misses)[N_CACHE_KINDS]; /* of crossers, by divided hierarchy */
	unsigned parts, shift; /* the part of a line is its address >> shift, modulo parts */
	struct workers *workers;
	struct batch batches[N_BATCHES], *filling;
};

/* ---- simulation ---------------------------------------------------------------------------- */

/* Moves the misses of crossers to the batch, and counts those of other accesses. */
static void move_crossings(struct batch *batch, const struct unit *unit)
{
	struct cache_hierarchy *h = unit->hierarchy;
	const struct bin *bin = &batch->bins[unit->part];
	atomic_uint *misses = &batch->misses[unit->divided * MAX_CROSSERS];
	size_t next = 0;

	for (size_t i = 0; i < h->crossed.count; i++) {
		const struct cache_crossed *crossed = &h->crossed.at[i];

		while (next < bin->n_crossers && bin->crossers[next].at < crossed->access)
			next++;
		if (next < bin->n_crossers && bin->crossers[next].at == crossed->access)
			atomic_fetch_add_explicit(&misses[bin->crossers[next].number],
						  crossed->misses, memory_order_relaxed);
		else
			h->crossing_misses[bin->accesses[crossed->access].kind] += crossed->misses -
										   1;
	}
	h->crossed.count = 0;
}

static void simulate(void *opaque, unsigned task, unsigned number)
{
	struct cache_team *team = opaque;
	const struct unit *unit = &team->units[task];
	struct batch *batch = &team->batches[number];

	if (unit->part == WHOLE) {
		cache_hierarchy_feed(unit->hierarchy, batch->accesses, batch->origins,
				     batch->count);
		return;
	}
	cache_hierarchy_feed(unit->hierarchy, batch->bins[unit->part].accesses, NULL,
			     batch->bins[unit->part].count);
	move_crossings(batch, unit);
}

/* ---- batches ------------------------------------------------------------------------------- */

/* Counts the misses of crossers, and empties the batch, which all units have simulated. */
static void empty(struct cache_team *team, struct batch *batch)
{
	for (unsigned d = 0; d < team->n_divided; d++)
		for (size_t i = 0; i < batch->n_crossers; i++) {
			atomic_uint *misses = &batch->misses[d * MAX_CROSSERS + i];

			team->crossing_misses[d][batch->kinds[i]] += *misses ? *misses - 1 : 0;
			*misses = 0;
		}
	for (unsigned part = 0; batch->bins && part < team->parts; part++)
		batch->bins[part].count = batch->bins[part].n_crossers = 0;
	batch->count = batch->n_crossers = 0;
}

static void begin_batch(struct cache_team *team)
{
	team->filling = &team->batches[workers_batch(team->workers)];
	empty(team, team->filling);
}

static void hand_out(struct cache_team *team)
{
	workers_hand_out(team->workers);
	begin_batch(team);
}

static void put_in_bin(struct batch *batch, unsigned part, const struct cache_access *access)
{
	struct bin *bin = &batch->bins[part];

	bin->accesses[bin->count++] = *access;
}

/* Puts an access into the bins of all parts that have lines of it. */
static void put_crosser(struct cache_team *team, const struct cache_access *access, uint64_t first,
			uint64_t last)
{
	struct batch *batch = team->filling;
	unsigned parts = last - first < team->parts ? (unsigned)(last - first) + 1 : team->parts;

	for (unsigned i = 0; i < parts; i++) {
		unsigned part = (first + i) & (team->parts - 1);
		struct bin *bin = &batch->bins[part];

		bin->crossers[bin->n_crossers].at = (uint32_t)bin->count;
		bin->crossers[bin->n_crossers++].number = (uint32_t)batch->n_crossers;
		put_in_bin(batch, part, access);
	}
	batch->kinds[batch->n_crossers++] = access->kind;
}

/* Puts an access into bins. Returns false if one of them, or the list of crossers, is now full. */
static inline bool put(struct cache_team *team, const struct cache_access *access)
{
	struct batch *batch = team->filling;
	uint64_t first = access->address >> team->shift;
	uint64_t last = (access->address + (access->size ? access->size : 1) - 1) >> team->shift;
	unsigned part = first & (team->parts - 1);
	bool room = true;

	if (first == last) {
		put_in_bin(batch, part, access);
		return batch->bins[part].count < BIN_ACCESSES;
	}
	put_crosser(team, access, first, last);
	for (part = 0; part < team->parts; part++)
		room &= batch->bins[part].count < BIN_ACCESSES;
	return room && batch->n_crossers < MAX_CROSSERS;
}

/* Puts accesses into the batch. Returns how many; *full: the batch has no room for more. */
static size_t fill(struct cache_team *team, const struct cache_access *accesses,
		   const struct cache_origin *origins, size_t count, bool *full)
{
	struct batch *batch = team->filling;
	size_t room = TEAM_BATCH - batch->count, most = count < room ? count : room;
	size_t n = batch->bins ? 0 : most;

	*full = most == room;
	while (n < most)
		if (!put(team, &accesses[n++])) {
			*full = true;
			break;
		}
	if (batch->accesses)
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
		bool full;
		size_t n = fill(team, accesses, origins, count, &full);

		accesses += n;
		origins = origins ? origins + n : NULL;
		count -= n;
		if (full)
			hand_out(team);
	}
}

void cache_team_wait(struct cache_team *team)
{
	hand_out(team);
	workers_finish(team->workers);
	for (unsigned i = 0; i < N_BATCHES; i++)
		empty(team, &team->batches[i]);
	for (unsigned d = 0; d < team->n_divided; d++)
		for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++) {
			team->divided[d]->crossing_misses[kind] += team->crossing_misses[d][kind];
			team->crossing_misses[d][kind] = 0;
		}
	for (size_t i = 0; i < team->n_units; i++)
		if (team->units[i].hierarchy != team->units[i].whole)
			cache_hierarchy_move_counts(team->units[i].whole, team->units[i].hierarchy);
}

/* ---- parts of hierarchies ------------------------------------------------------------------ */

/* Returns true if the hierarchy has the parts of the team. */
static bool has_parts(const struct cache_team *team, const struct cache_hierarchy *h)
{
	return team->parts > 1 && cache_config_parts(&h->config, team->parts) == team->parts &&
	       cache_config_longest_line(&h->config) == 1u << team->shift;
}

/* Chooses the parts that the first hierarchy with parts has. */
static void choose_parts(struct cache_team *team, struct cache_hierarchy *const *hierarchies,
			 size_t count, unsigned most)
{
	team->parts = 1;
	for (size_t i = 0; i < count && team->parts == 1; i++) {
		team->parts = cache_config_parts(&hierarchies[i]->config, most);
		team->shift = __builtin_ctz(cache_config_longest_line(&hierarchies[i]->config));
	}
}

static void add_parts(struct cache_team *team, struct cache_hierarchy *whole)
{
	for (unsigned part = 0; part < team->parts; part++) {
		struct cache_hierarchy *h = whole;

		if (part) {
			h = checked_array(1, sizeof(*h));
			cache_hierarchy_init(h, &whole->config);
		}
		cache_hierarchy_divide(h, part, team->parts);
		team->units[team->n_units++] = (struct unit){ h, whole, part, team->n_divided };
	}
	team->divided[team->n_divided++] = whole;
}

/* Adds the units of the hierarchies. Returns true if one of them is fed with all accesses. */
static bool add_units(struct cache_team *team, struct cache_hierarchy *const *hierarchies,
		      size_t count)
{
	bool all = false;

	team->units = checked_array(count * team->parts, sizeof(*team->units));
	team->divided = checked_array(count, sizeof(*team->divided));
	team->crossing_misses = checked_array(count, sizeof(*team->crossing_misses));
	for (size_t i = 0; i < count; i++) {
		if (has_parts(team, hierarchies[i])) {
			add_parts(team, hierarchies[i]);
			continue;
		}
		all = true;
		team->units[team->n_units++] = (struct unit){ hierarchies[i], hierarchies[i], WHOLE,
							      0 };
	}
	return all;
}

/* ---- the team ------------------------------------------------------------------------------ */

static void init_batch(const struct cache_team *team, struct batch *batch, bool all, bool origins)
{
	if (all)
		batch->accesses = checked_array(TEAM_BATCH, sizeof(*batch->accesses));
	if (all && origins)
		batch->origins = checked_array(TEAM_BATCH, sizeof(*batch->origins));
	if (!team->n_divided)
		return;
	batch->bins = checked_array(team->parts, sizeof(*batch->bins));
	batch->misses = checked_array((size_t)team->n_divided * MAX_CROSSERS,
				      sizeof(*batch->misses));
}

struct cache_team *cache_team_new(struct cache_hierarchy *const *hierarchies, size_t count,
				  unsigned n_threads, bool origins)
{
	struct cache_team *team = checked_array(1, sizeof(*team));
	unsigned most = PARTS_EACH * n_threads;

	choose_parts(team, hierarchies, count, count < most ? most : 1);
	bool all = add_units(team, hierarchies, count);

	for (unsigned i = 0; i < N_BATCHES; i++)
		init_batch(team, &team->batches[i], all, origins);
	team->workers = workers_new(n_threads - 1, (unsigned)team->n_units, N_BATCHES, simulate,
				    team);
	begin_batch(team);
	return team;
}

void cache_team_free(struct cache_team *team)
{
	if (!team)
		return;
	workers_free(team->workers);
	for (size_t i = 0; i < team->n_units; i++)
		if (team->units[i].hierarchy != team->units[i].whole) {
			cache_hierarchy_free(team->units[i].hierarchy);
			free(team->units[i].hierarchy);
		}
	for (unsigned i = 0; i < N_BATCHES; i++) {
		free(team->batches[i].accesses);
		free(team->batches[i].origins);
		free(team->batches[i].bins);
		free(team->batches[i].misses);
	}
	free(team->units);
	free(team->divided);
	free(team->crossing_misses);
	free(team);
}
