/* SPDX-License-Identifier: MIT */
/* The generator splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014), whose i-th number can be computed without those before it. */
#ifndef SPLITMIX_H
#define SPLITMIX_H

#include <stdint.h>

/* Returns number i, from 0, of the generator with this seed. */
static inline uint64_t splitmix(uint64_t seed, uint64_t i)
{
	uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Returns a number from 0 to 1, 1 excluded. */
static inline double splitmix_unit(uint64_t seed, uint64_t i)
{
	return (double)(splitmix(seed, i) >> 11) * 0x1p-53;
}

#endif
