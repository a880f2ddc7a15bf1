/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/sampler.h"

#include <math.h>

const char *const ibs_mode_names[IBS_N_MODES] = { "ops", "cycles-wait", "cycles-skip", "fetches" };
const char *const ibs_randomization_names[IBS_N_RANDOMIZATIONS] = {
	"none", "hw4", "hw7", "op12", "max8", "zero4", "uniform", "geometric", "prime"
};

/* Returns the next number of splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t draw_preload(struct ibs_sampler *sampler)
{
	switch (sampler->randomization) {
	case IBS_RANDOM_4: return next_random(&sampler->random) % 16;
	case IBS_RANDOM_7: return 1 + next_random(&sampler->random) % 127;
	case IBS_RANDOM_12: return next_random(&sampler->random) % 4096;
	case IBS_RANDOM_ZERO_4: return next_random(&sampler->random) % 8 * 16;
	default: return 0;
	}
}

static bool is_prime(uint64_t n)
{
	for (uint64_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return true;
}

static uint64_t next_prime(uint64_t n)
{
	while (!is_prime(n))
		n++;
	return n;
}

/* Returns the period plus or minus a random multiple of 16 that is below half of the period. */
static uint64_t draw_maximum(struct ibs_sampler *sampler)
{
	uint64_t steps = sampler->period / 32 < 128 ? sampler->period / 32 : 128;

	if (!steps)
		return sampler->period;
	return sampler->period + 16 * (next_random(&sampler->random) % (2 * steps)) - 16 * steps;
}

static uint64_t draw_geometric(struct ibs_sampler *sampler)
{
	double chance = ((double)(next_random(&sampler->random) >> 11) + .5) / (1ull << 53);

	return 1 + (uint64_t)(log(chance) / log1p(-1 / (double)sampler->period));
}

static uint64_t draw_end(struct ibs_sampler *sampler)
{
	switch (sampler->randomization) {
	case IBS_RANDOM_MAX: return draw_maximum(sampler);
	case IBS_RANDOM_UNIFORM:
		return sampler->period / 2 + next_random(&sampler->random) % (sampler->period + 1);
	case IBS_RANDOM_GEOMETRIC: return draw_geometric(sampler);
	case IBS_RANDOM_PRIME: return sampler->end ? sampler->end : next_prime(sampler->period);
	default: return sampler->period;
	}
}

/* Begins a count whose first cycle is this one. */
static void begin(struct ibs_sampler *sampler, uint64_t cycle)
{
	sampler->end = draw_end(sampler);
	sampler->count = sampler->preload = draw_preload(sampler) % sampler->end;
	sampler->expires = cycle + sampler->end - sampler->preload - 1;
}

void ibs_sampler_start(struct ibs_sampler *sampler)
{
	begin(sampler, 0);
}

void ibs_sampler_retired(struct ibs_sampler *sampler, uint64_t cycle)
{
	sampler->tagged = false;
	sampler->busy_until = cycle + sampler->handler;
	begin(sampler, sampler->busy_until);
}

/* Skips to a cycle; nothing was dispatched in the cycles before it. */
static void skip_to(struct ibs_sampler *sampler, uint64_t cycle)
{
	while (sampler->mode == IBS_CYCLES_SKIP && cycle > sampler->expires + sampler->window) {
		sampler->skipped++;
		begin(sampler, sampler->expires + sampler->window + 1);
	}
}

static void begin_group(struct ibs_sampler *sampler, uint64_t cycle)
{
	sampler->tagged = true;
	sampler->group = cycle;
	sampler->group_size = 0;
	if (sampler->slot == IBS_SLOT_CLAMP)
		sampler->chosen = (uint32_t)(next_random(&sampler->random) % sampler->width);
	else if (sampler->slot == IBS_SLOT_RR)
		sampler->chosen = (sampler->chosen + 1) % sampler->width;
}

/* Returns true if the group's next op is tagged, however many ops follow. */
static bool choose(struct ibs_sampler *sampler)
{
	uint32_t op = sampler->group_size++;

	switch (sampler->slot) {
	case IBS_SLOT_FIRST: return op == 0;
	case IBS_SLOT_LAST: return true;
	case IBS_SLOT_CLAMP:
	case IBS_SLOT_RR: return op <= sampler->chosen;
	default: return next_random(&sampler->random) % sampler->group_size == 0;
	}
}

bool ibs_sampler_expired(struct ibs_sampler *sampler, uint64_t cycle)
{
	skip_to(sampler, cycle);
	if (cycle < sampler->expires)
		return false;
	if (!sampler->tagged)
		begin_group(sampler, cycle);
	return choose(sampler);
}

/* ---- wrong paths ------------------------------------------------------------------------- */

/* Returns the number of a path's ops that are dispatched before a cycle. */
static uint64_t ops_before(const struct ibs_wrong_path *path, uint64_t cycle)
{
	uint64_t last = cycle < path->resolved ? cycle : path->resolved;
	uint64_t n = last > path->first ? (last - path->first) * path->width : 0;

	return n < path->n_ops ? n : path->n_ops;
}

/*
 * Counts the ops of a wrong path. Returns true if the current count of ops ends with one of them.
 */
static bool ends_with_op(struct ibs_sampler *sampler, const struct ibs_wrong_path *path)
{
	sampler->count += ops_before(path, path->resolved) - ops_before(path, sampler->busy_until);
	return sampler->count >= sampler->end;
}

/* Does the same for a sampler of cycles. */
static bool ends_in_group(struct ibs_sampler *sampler, const struct ibs_wrong_path *path)
{
	uint64_t cycle;

	skip_to(sampler, path->first);
	cycle = sampler->expires > path->first ? sampler->expires : path->first;
	return ops_before(path, cycle + 1) > ops_before(path, cycle);
}

void ibs_sampler_wrong_path(struct ibs_sampler *sampler, const struct ibs_wrong_path *path)
{
	if (sampler->tagged || sampler->mode == IBS_FETCHES)
		return;
	if (!(sampler->mode == IBS_OPS ? ends_with_op(sampler, path)
				       : ends_in_group(sampler, path)))
		return;
	sampler->killed++;
	begin(sampler, path->resolved);
	sampler->busy_until = path->resolved;
	sampler->preload = (1 + next_random(&sampler->random) % 127) % sampler->end;
	sampler->count = sampler->preload;
	sampler->expires = path->resolved + sampler->end - sampler->preload - 1;
}
