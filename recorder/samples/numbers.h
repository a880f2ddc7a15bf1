/* SPDX-License-Identifier: MIT */
/* A table of indices by number, such as the indices of processes by pid. */
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
	size_t count, room; /* room is a power of two */
};

/* Returns the index of a number, or UINT32_MAX if it has none. */
uint32_t numbers_find(const struct numbers *numbers, uint32_t number);

/* Sets or replaces the index of a number. Returns false if memory is out. */
bool numbers_set(struct numbers *numbers, uint32_t number, uint32_t index);

#endif
