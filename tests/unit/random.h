/* SPDX-License-Identifier: MIT */
/* Random numbers. The same initial state gives the same numbers. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* splitmix64, Steele, Lea, Flood 2014 */
static inline uint64_t random_u64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* xorshift64, Marsaglia 2003; the state is not 0 */
static inline uint64_t xorshift(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* 0 .. n - 1 */
static inline unsigned random_below(uint64_t *state, unsigned n)
{
	return (unsigned)(random_u64(state) % n);
}

static inline bool random_chance(uint64_t *state, unsigned percent)
{
	return random_below(state, 100) < percent;
}

/* Returns numbers of all magnitudes. */
static inline uint64_t random_value(uint64_t *state)
{
	return random_u64(state) >> random_below(state, 64);
}

#endif
