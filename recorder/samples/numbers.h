/* SPDX-License-Identifier: MIT */
/* A table of indices by number, such as those of processes by pid. */
#ifndef SAMPLE_NUMBERS_H
#define SAMPLE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct numbers {
	struct number {
		uint32_t number, index;
		bool used;
	} * at;
	size_t count, room; /* room: a power of two */
};

/* Returns the index of a number, UINT32_MAX if it has none. */
uint32_t numbers_find(const struct numbers *numbers, uint32_t number);

/* Gives a number an index, instead of the one that it had. False: memory is out. */
bool numbers_set(struct numbers *numbers, uint32_t number, uint32_t index);

#endif
