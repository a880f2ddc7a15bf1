/* SPDX-License-Identifier: MIT */
/* The exits of a cache's translations by their numbers, which records begin with. */
#ifndef EXIT_TABLE_H
#define EXIT_TABLE_H

#include "recorder/translate/emit/translation.h"

/* What a record's number means. */
struct cache_exit {
	struct translation *translation;
	unsigned exit;
	uint32_t next; /* of those that lead to the same address, its number + 1, or 0 */
};

/* The encoder reads exits and their ids in the trace while more are added: they never move. */
struct exit_table {
	struct cache_exit *exits;
	uint32_t *trace_ids; /* TF_NONE until it is set */
	uint32_t count;
	size_t exits_ready, ids_ready; /* see pages_provide */
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

/* Puts an exit before the others of a list that begins in *first. */
void exit_table_list(struct exit_table *table, uint32_t number, uint32_t *first);

#endif
