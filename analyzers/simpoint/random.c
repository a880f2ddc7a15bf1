/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/random.h"

static const int64_t first_modulus = 2147483563, second_modulus = 2147483399;
static const int64_t first_multiplier = 40014, second_multiplier = 40692;
enum { WARM_UP = 8 };

void random_seed(struct random *r, uint32_t seed)
{
	if (seed == 1) {
		*r = (struct random){ .first = 1, .second = 123456789 };
		return;
	}
	*r = (struct random){ .first = seed ? seed : 1, .second = seed ? seed : 1 };
	for (int i = RANDOM_SHUFFLE + WARM_UP - 1; i >= 0; i--) {
		r->first = r->first * first_multiplier % first_modulus;
		if (i < RANDOM_SHUFFLE)
			r->shuffle[i] = r->first;
	}
	r->last = r->shuffle[0];
}

float random_unit(struct random *r)
{
	const int64_t slot_size = 1 + (first_modulus - 1) / RANDOM_SHUFFLE;
	const double largest = 1.0 - 1.2e-7;

	r->first = r->first * first_multiplier % first_modulus;
	r->second = r->second * second_multiplier % second_modulus;

	int64_t slot = r->last / slot_size;

	r->last = r->shuffle[slot] - r->second;
	r->shuffle[slot] = r->first;
	if (r->last < 1)
		r->last += first_modulus - 1;

	float unit = (float)((1.0 / (double)first_modulus) * (double)r->last);

	return unit > largest ? (float)largest : unit;
}

uint32_t random_integer(struct random *r)
{
	return (uint32_t)(random_unit(r) * 2147483648.0f);
}
