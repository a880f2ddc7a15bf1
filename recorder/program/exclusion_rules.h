/* SPDX-License-Identifier: MIT */
/*
 * Code that synchronizes threads. How much of it executes depends on chance, so its instructions
 * do not belong to a program's filtered instructions. Such code is: a module, a function by its
 * symbol, or a loop that only waits (spin_loop.h). It is chosen by names, separated by commas:
 *
 *	NAME	a module of this file name, with or without folders, or a function; may have *
 *	spin	loops that only wait, and sched_yield
 *	default	spin, the run-time libraries of OpenMP, pthread_spin_lock, pthread_barrier_wait,
 *		and the loop of pthread_mutex_lock for adaptive mutexes
 *	none	nothing
 *
 * The method is that of LoopPoint (Sabu et al., HPCA 2022).
 */
#ifndef EXCLUSION_RULES_H
#define EXCLUSION_RULES_H

#include "recorder/core/session.h"
#include "recorder/elf/module.h"

/* Prepares for session->options->exclude. Returns 0 or -1. */
int exclusion_rules_begin(struct session *session);
void exclusion_rules_free(struct exclusions *exclusions);

/* Finds the code of a new module that is excluded. Returns 0 or -1. */
int exclusion_rules_resolve(struct session *session, struct module *module,
			    const struct tf_symbol *symbols, size_t count);

/* Returns the number of the rule for loops that only wait, or TF_NONE if there is none. */
unsigned exclusion_rules_spin(const struct session *session);

/* Writes to META which names excluded how many instructions. Returns 0 or -1. */
int exclusion_rules_end(struct session *session);

#endif
