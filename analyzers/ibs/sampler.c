/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/sampler.h"

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
	default:
		return 0;
	}
}

void ibs_sampler_start(struct ibs_sampler *sampler)
{
	sampler->count = sampler->preload = draw_preload(sampler);
}

void ibs_sampler_retired(struct ibs_sampler *sampler, uint64_t cycle)
{
	sampler->busy_until = cycle;
	ibs_sampler_start(sampler);
}
