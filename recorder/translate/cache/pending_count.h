/* SPDX-License-Identifier: MIT */
/*
 * Assigns pending counts to addresses. A pending count is the number of instructions that have
 * executed and are not counted yet where control enters an address in a counting variant (count.c).
 * Each address has one. The first exit that leads to an address chooses the address's pending count
 * so that this exit has nothing to count. Other exits count the difference, which may be negative.
 * The differences around a loop add up to what the loop executes, so at least one exit of every
 * loop counts.
 *
 * The method is that of T. Ball and J. Larus, "Optimally profiling and tracing programs", ACM
 * TOPLAS 16(4), 1994: counters stand only at the edges outside of a spanning tree.
 */
#ifndef PENDING_COUNT_H
#define PENDING_COUNT_H

#include "recorder/translate/cache/pc_table.h"

/* Sets the known pending counts of the addresses that a plan begins at and leads to. */
void pending_count_plan(const struct pc_table *table, struct plan *plan);

/* Records the pending counts that a translation has chosen. There must be room in the table. */
void pending_count_record(struct pc_table *table, const struct translation *translation);

/* Records the pending count of one address. */
void pending_count_set(struct pc_entry *entry, int16_t pending);

#endif
