/* SPDX-License-Identifier: MIT */
/*
 * The exits of a cache's translations by their numbers, which records begin with, and by where they
 * lead to.
 */
#ifndef EXIT_TABLE_H
#define EXIT_TABLE_H

#include "recorder/translate/emit/translation.h"

enum { EXIT_TABLE_TARGETS = 1 << 17 };

/* What a record's number means. */
struct cache_exit {
	struct translation *translation;
	unsigned exit;
};

/*
 * The encoder reads exits and their ids in the trace while more are added: they never move.
 *
 * first_to and same_target: exits by a hash of their target, the number of the latest one + 1, and
 * for each number that of the one before, or 0.
 */
struct exit_table {
	struct cache_exit *exits;
	uint32_t *trace_ids;	/* TF_NONE until it is set */
	uint32_t count;
	uint32_t first_to[EXIT_TABLE_TARGETS], *same_target;
};

/* Makes a zeroed one usable. False: there is no memory. */
bool exit_table_begin(struct exit_table *table);

void exit_table_free(struct exit_table *table);

/* Makes it empty. */
void exit_table_clear(struct exit_table *table);

/* True if so many can be added. */
bool exit_table_fits(const struct exit_table *table, unsigned count);

/* Gives all exits of a translation numbers, from translation->first_exit on. */
void exit_table_add(struct exit_table *table, struct translation *translation);

/* Lets an exit be found by its target. */
void exit_table_add_target(struct exit_table *table, uint32_t number);

/* The first and next exit with that target, or NULL; *number is for the search alone. */
const struct translation_exit *exit_table_first_to(const struct exit_table *table,
						   uint64_t target, uint32_t *number);
const struct translation_exit *exit_table_next_to(const struct exit_table *table,
						  uint64_t target, uint32_t *number);

#endif
