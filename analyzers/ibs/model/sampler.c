/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/sampler.h"

#include <math.h>

const char *const ibs_mode_names[IBS_N_MODES] = { "ops", "cycles-wait", "cycles-skip", "fetches" };
const char *const ibs_randomization_names[IBS_N_RANDOMIZATIONS] = {
	"none", "hw4", "hw7", "op12", "max8", "zero4", "uniform", "geometric", "prime",
};

/* splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
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
	case IBS_RANDOM_4:
		return next_random(&sampler->random) % 16;
	case IBS_RANDOM_7:
		return 1 + next_random(&sampler->random) % 127;
	case IBS_RANDOM_12:
		return next_random(&sampler->random) % 4096;
	case IBS_RANDOM_ZERO_4:
		return next_random(&sampler->random) % 8 * 16;
	default:
		return 0;
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

/* The period, more or less a multiple of 16 that is below half of it. */
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
	case IBS_RANDOM_MAX:
		return draw_maximum(sampler);
	case IBS_RANDOM_UNIFORM:
		return sampler->period / 2 + next_random(&sampler->random) % (sampler->period + 1);
	case IBS_RANDOM_GEOMETRIC:
		return draw_geometric(sampler);
	case IBS_RANDOM_PRIME:
		return sampler->end ? sampler->end : next_prime(sampler->period);
	default:
		return sampler->period;
	}
}

/* A count whose first cycle is this one. */
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
	sampler->busy_until = cycle;
	begin(sampler, cycle);
}

bool ibs_sampler_expired(struct ibs_sampler *sampler, uint64_t cycle)
{
	while (sampler->mode == IBS_CYCLES_SKIP && cycle > sampler->expires) {
		sampler->skipped++;
		begin(sampler, sampler->expires + 1);
	}
	if (cycle < sampler->expires)
		return false;
	if (!sampler->tagged) {
		sampler->tagged = true;
		sampler->group = cycle;
		sampler->group_size = 0;
	}
	/* Each op of the group is as likely, of however many there will be. */
	return next_random(&sampler->random) % ++sampler->group_size == 0;
}
