/* SPDX-License-Identifier: MIT */
/* Files of walks that are open, for --part and trace-merge. */
#ifndef CALLS_SAVED_H
#define CALLS_SAVED_H

#include "analyzers/calls/syscalls.h"
#include "analyzers/calls/walk.h"
#include "analyzers/common/analyzer.h"

void call_walks_save(const struct call_profile *profile, const struct call_walk *walks,
		     uint32_t n_threads, struct state_writer *writer);

/*
 * Loads walks into ones that have seen nothing, for call_walks_merge as the later ones. Returns
 * false if the file cannot have been saved. Ends the process if memory is out.
 */
bool call_walks_load(struct call_profile *profile, struct call_walk *walks, uint32_t n_threads,
		     struct state_reader *reader);

void call_syscalls_save(const struct call_syscalls *syscalls, struct state_writer *writer);

/* Loads system calls of paths of n_nodes nodes. */
bool call_syscalls_load(struct call_syscalls *syscalls, size_t n_nodes,
			struct state_reader *reader);

#endif
