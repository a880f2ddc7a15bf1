/* SPDX-License-Identifier: MIT */
/*
 * Arrears: how many instructions have been executed and not been counted yet where control comes to
 * an address in paths that are only counted (count.c). There is one such number for each address.
 * The first exit that leads there chooses it, so that it has nothing to count; other exits count
 * what makes theirs the same, which may be less than nothing. As sums around a loop are what the
 * loop executes, some exit of every loop counts.
 *
 * The numbers are like those of K. Ball and J. Larus, "Optimally profiling and tracing programs",
 * ACM TOPLAS 16(4), 1994: counts stand only at the edges outside of a spanning tree.
 */
#ifndef ARREARS_H
#define ARREARS_H

#include "recorder/translate/emit/translation.h"
#include "recorder/translate/plan/pc_map.h"

/* Tells a plan what is known of the addresses that it begins at and leads to. Returns false if
 * there is no memory for what arrears_note may note then. */
bool arrears_plan(struct pc_map *arrears, struct plan *plan);

/* Notes what its translation has chosen. */
void arrears_note(struct pc_map *arrears, const struct translation *translation);

#endif
