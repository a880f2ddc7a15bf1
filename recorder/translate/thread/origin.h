/* SPDX-License-Identifier: MIT */
/* Of which instruction of the program translated code is: what a sampler asks. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "recorder/samples/program_place.h"
#include "recorder/translate/cache/cache.h"

/*
 * Finds what the code at a cache pc is of: the instruction that is to be executed next, or, on a
 * exit stub, has been executed last. On the way of an indirect jump the target is known only if the
 * code is for one.
 */
struct program_place origin_in(const struct cache *cache, enum isa_vendor vendor, uint64_t pc);

/* The same of any pc in a process. The session must not change meanwhile. */
struct program_place origin_find(const struct process *process, uint64_t pc);

#endif
