/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/sampler.h"

const char *const ibs_mode_names[IBS_N_MODES] = { "ops", "cycles-wait", "cycles-skip" };
const char *const ibs_randomization_names[IBS_N_RANDOMIZATIONS] = { "none", "hw4", "hw7" };

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

/* A count whose first cycle is this one. */
static void begin(struct ibs_sampler *sampler, uint64_t cycle)
{
	sampler->count = sampler->preload = draw_preload(sampler);
	sampler->expires = cycle + sampler->period - sampler->preload - 1;
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
