/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/level.h"

#include <string.h>

#include "cli/common/checked.h"

enum { RRPV_HIT = 0, RRPV_LONG = 2, RRPV_DISTANT = 3, BRRIP_PERIOD = 32 };
enum { DRRIP_LEADERS = 32, DRRIP_LEAST_STEP = 4 };

/* Sets the number of sets, and gives them their memory. */
static void make_sets(struct cache_level *level, uint64_t sets)
{
	const struct cache_geometry *g = &level->geometry;
	bool rrip = g->policy == CACHE_SRRIP || g->policy == CACHE_BRRIP ||
		    g->policy == CACHE_DRRIP;

	level->sets = sets;
	level->set_mask = sets & (sets - 1) ? 0 : sets - 1;
	level->entries = checked_array(sets * g->ways, sizeof(*level->entries));
	if (rrip)
		level->ages = checked_array(sets * g->ways, sizeof(*level->ages));
	if (g->policy == CACHE_PLRU || g->policy == CACHE_RANDOM)
		level->states = checked_array(sets, sizeof(*level->states));
	if (g->policy == CACHE_OPT)
		level->next_uses = checked_array(sets * g->ways, sizeof(*level->next_uses));
}

static void free_sets(struct cache_level *level)
{
	free(level->entries);
	free(level->ages);
	free(level->states);
	free(level->next_uses);
}

void cache_level_init(struct cache_level *level, const struct cache_geometry *g)
{
	uint64_t sets = g->size / g->line / g->ways;

	*level = (struct cache_level){
		.geometry = *g,
		.line_mask = ~(uint64_t)(g->line - 1),
		.shift = __builtin_ctz(g->line),
		.ways = g->ways,
		.psel = 1u << (g->psel_bits - 1),
		.leader_step = sets / DRRIP_LEADERS > DRRIP_LEAST_STEP ? sets / DRRIP_LEADERS
								       : DRRIP_LEAST_STEP,
	};
	make_sets(level, sets);
	if (g->prefetch == CACHE_STRIDE) {
		level->strides = checked_array(1, sizeof(*level->strides));
		prefetcher_init(level->strides, PREFETCH_STRIDE, g->prefetch_distance);
	}
}

void cache_level_free(struct cache_level *level)
{
	free_sets(level);
	free(level->strides);
}

/* Random replacement depends on the numbers of the sets, and therefore keeps all sets. */
void cache_level_divide(struct cache_level *level, unsigned parts)
{
	if (level->geometry.policy == CACHE_RANDOM)
		return;
	level->shift += __builtin_ctz(parts);
	free_sets(level);
	make_sets(level, level->sets / parts);
}

/* ---- ways in the order of their age: LRU and FIFO ----------------------------------------- */

static bool is_ordered(const struct cache_level *level)
{
	return level->geometry.policy <= CACHE_FIFO;
}

static bool is_line(uint64_t entry, uint64_t line)
{
	return (entry & ~(uint64_t)(CACHE_DIRTY | CACHE_PREFETCHED)) == (line | CACHE_VALID);
}

/* Moves the first `count` ways of a set down by one, over the way `count`. */
static void move_down(uint64_t *set, uint32_t count)
{
	for (uint32_t way = count; way > 0; way--)
		set[way] = set[way - 1];
}

/* Returns the way of a line, or the number of ways. */
static uint32_t way_of(const struct cache_level *level, const uint64_t *set, uint64_t line)
{
	uint32_t way = 0;

	while (way < level->ways && !is_line(set[way], line))
		way++;
	return way;
}

/* ---- replacement states of the other policies ---------------------------------------------- */

/* Lets the bits on the path to a way point to the other halves; node n has children 2n, 2n + 1. */
static void touch_tree(uint64_t *bits, uint32_t ways, uint32_t way)
{
	for (uint32_t node = way + ways; node > 1; node /= 2) {
		uint64_t bit = UINT64_C(1) << (node / 2);

		*bits = node & 1 ? *bits & ~bit : *bits | bit;
	}
}

static uint32_t tree_victim(uint64_t bits, uint32_t ways)
{
	uint32_t node = 1;

	while (node < ways)
		node = 2 * node + (bits >> node & 1);
	return node - ways;
}

static uint32_t oldest_age(uint8_t *ages, uint32_t ways)
{
	for (;;) {
		for (uint32_t way = 0; way < ways; way++)
			if (ages[way] == RRPV_DISTANT)
				return way;
		for (uint32_t way = 0; way < ways; way++)
			ages[way]++;
	}
}

/* S. Vigna's splitmix64. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint32_t random_victim(struct cache_level *level, uint64_t set)
{
	uint64_t number = (set << 32) + level->states[set]++;

	return mix(level->geometry.seed + number * UINT64_C(0x9e3779b97f4a7c15)) % level->ways;
}

static uint32_t farthest(const uint32_t *next_uses, uint32_t ways)
{
	uint32_t victim = 0;

	for (uint32_t way = 1; way < ways; way++)
		if (next_uses[way] > next_uses[victim])
			victim = way;
	return victim;
}

static bool leads_srrip(const struct cache_level *level, uint64_t set)
{
	return set % level->leader_step == 0;
}

static bool leads_brrip(const struct cache_level *level, uint64_t set)
{
	return set % level->leader_step == level->leader_step - 1;
}

/* A miss of a leader votes for the other leaders' policy. */
static void vote(struct cache_level *level, uint64_t set)
{
	if (leads_srrip(level, set))
		level->psel += level->psel < (1u << level->geometry.psel_bits) - 1;
	else if (leads_brrip(level, set))
		level->psel -= level->psel > 0;
}

static bool fills_as_brrip(const struct cache_level *level, uint64_t set)
{
	if (level->geometry.policy != CACHE_DRRIP)
		return level->geometry.policy == CACHE_BRRIP;
	if (leads_srrip(level, set))
		return false;
	return leads_brrip(level, set) || level->psel > 1u << (level->geometry.psel_bits - 1);
}

static uint8_t age_of_fill(struct cache_level *level, uint64_t set)
{
	if (!fills_as_brrip(level, set))
		return RRPV_LONG;
	return ++level->brrip_fills % BRRIP_PERIOD ? RRPV_DISTANT : RRPV_LONG;
}

static void touch_way(struct cache_level *level, uint64_t set, uint32_t way)
{
	if (level->geometry.policy == CACHE_PLRU)
		touch_tree(&level->states[set], level->ways, way);
	else if (level->ages)
		level->ages[set * level->ways + way] = RRPV_HIT;
	else if (level->next_uses)
		level->next_uses[set * level->ways + way] = level->next_use;
}

static uint32_t victim_of(struct cache_level *level, uint64_t set)
{
	switch (level->geometry.policy) {
	case CACHE_PLRU: return tree_victim(level->states[set], level->ways);
	case CACHE_RANDOM: return random_victim(level, set);
	case CACHE_OPT: return farthest(&level->next_uses[set * level->ways], level->ways);
	default: return oldest_age(&level->ages[set * level->ways], level->ways);
	}
}

static void place(struct cache_level *level, uint64_t set, uint32_t way)
{
	if (level->ages)
		level->ages[set * level->ways + way] = age_of_fill(level, set);
	else
		touch_way(level, set, way);
}

/* ---- lookups and fills --------------------------------------------------------------------- */

uint64_t *cache_level_touch(struct cache_level *level, uint64_t line, bool demand)
{
	uint64_t number = cache_set_number(level, line);
	uint64_t *set = &level->entries[number * level->ways];
	uint32_t way = way_of(level, set, line);

	if (way == level->ways) {
		if (demand && level->geometry.policy == CACHE_DRRIP)
			vote(level, number);
		return NULL;
	}
	if (level->geometry.policy == CACHE_LRU) {
		uint64_t entry = set[way];

		move_down(set, way);
		set[0] = entry;
		return set;
	}
	touch_way(level, number, way);
	return &set[way];
}

uint64_t *cache_level_find(const struct cache_level *level, uint64_t line)
{
	uint64_t *set = &level->entries[cache_set_number(level, line) * level->ways];
	uint32_t way = way_of(level, set, line);

	return way == level->ways ? NULL : &set[way];
}

uint64_t cache_level_fill(struct cache_level *level, uint64_t line, unsigned flags)
{
	uint64_t number = cache_set_number(level, line);
	uint64_t *set = &level->entries[number * level->ways];
	uint64_t evicted;
	uint32_t way = 0;

	if (is_ordered(level)) {
		evicted = set[level->ways - 1];
		move_down(set, level->ways - 1);
	} else {
		while (way < level->ways && set[way])
			way++;
		if (way == level->ways)
			way = victim_of(level, number);
		evicted = set[way];
		place(level, number, way);
	}
	set[way] = line | CACHE_VALID | flags;
	return evicted;
}

uint64_t cache_level_remove(struct cache_level *level, uint64_t line)
{
	uint64_t *set = &level->entries[cache_set_number(level, line) * level->ways];
	uint32_t way = way_of(level, set, line);
	uint64_t entry;

	if (way == level->ways)
		return 0;
	entry = set[way];
	if (is_ordered(level)) {
		memmove(&set[way], &set[way + 1], (level->ways - way - 1) * sizeof(*set));
		way = level->ways - 1;
	}
	set[way] = 0;
	return entry;
}
