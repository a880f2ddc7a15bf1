/* SPDX-License-Identifier: MIT */
/* Of which instruction of the program translated code is: what a sampler asks. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "recorder/program/program_place.h"
#include "recorder/session.h"

/*
 * Finds what the code at pc in a process is of. The session must not change meanwhile. Of code on
 * the way of an indirect jump the target is known only if the code is for one.
 */
struct program_place origin_find(const struct process *process, uint64_t pc);

#endif
