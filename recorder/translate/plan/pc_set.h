/* SPDX-License-Identifier: MIT */
/* A set of addresses in the program. */
#ifndef PC_SET_H
#define PC_SET_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed set is empty. */
struct pc_set {
	void *root; /* of tsearch(), with uint64_t */
};

/* Adds pc, if it is not in the set. Returns false if there is no memory. */
bool pc_set_add(struct pc_set *set, uint64_t pc);

bool pc_set_has(const struct pc_set *set, uint64_t pc);

/* Makes the set empty. */
void pc_set_clear(struct pc_set *set);

#endif
