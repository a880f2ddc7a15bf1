/* SPDX-License-Identifier: MIT */
/* Finds the program's instruction for a pc in translated code, for the sampler. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "recorder/samples/program_place.h"
#include "recorder/translate/cache/cache.h"

/*
 * Finds the instruction that the code at a cache pc belongs to: the next to be executed or, in an
 * exit stub, the last one executed. In the lookup of an indirect jump, the target is known only if
 * the code is for a single target.
 */
struct program_place origin_in(const struct cache *cache, enum isa_vendor vendor, uint64_t pc);

/* Does the same for any pc of a process. The session must not change meanwhile. */
struct program_place origin_find(const struct process *process, uint64_t pc);

#endif
