/* SPDX-License-Identifier: MIT */
/*
 * Pending count: how many instructions have been executed and not been counted yet where control comes to
 * an address in superblocks that are only counted (count.c). There is one such number for each address.
 * The first exit that leads there chooses it, so that it has nothing to count; other exits count
 * what makes theirs the same, which may be less than nothing. As sums around a loop are what the
 * loop executes, some exit of every loop counts.
 *
 * The numbers are like those of K. Ball and J. Larus, "Optimally profiling and tracing programs",
 * ACM TOPLAS 16(4), 1994: counts stand only at the edges outside of a spanning tree.
 */
#ifndef PENDING_COUNT_H
#define PENDING_COUNT_H

#include "recorder/translate/cache/pc_table.h"

/* Tells a plan what is known of the addresses that it begins at and leads to. */
void pending_count_plan(const struct pc_table *table, struct plan *plan);

/* Notes what its translation has chosen, for which there must be room. */
void pending_count_record(struct pc_table *table, const struct translation *translation);

/* Notes those of one address. */
void pending_count_set(struct pc_entry *entry, int16_t pending);

#endif
