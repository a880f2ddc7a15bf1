/* SPDX-License-Identifier: MIT */
/* Numbers the exits of a cache's translations. Records begin with these numbers. */
#ifndef EXIT_TABLE_H
#define EXIT_TABLE_H

#include <stdatomic.h>

#include "recorder/translate/emit/translation.h"

/* The exit that a number stands for. */
struct cache_exit {
	struct translation *translation;
	unsigned exit;
	uint32_t next; /* number + 1 of the next exit to the same address, or 0 */
};

/*
 * Encoders read both arrays while exits are added, so the arrays never move, and an exit is
 * complete before it is counted.
 */
struct exit_table {
	struct cache_exit *exits;
	uint32_t *trace_ids; /* TF_NONE until it is set */
	_Atomic uint32_t count;
	size_t exits_ready, ids_ready; /* bytes; see pages_provide() */
};

/* Makes a zeroed table usable. Returns false if there is no memory. */
bool exit_table_begin(struct exit_table *table);

void exit_table_free(struct exit_table *table);

/* Makes the table empty. */
void exit_table_clear(struct exit_table *table);

/* Returns true if `count` more exits fit. */
bool exit_table_fits(const struct exit_table *table, unsigned count);

/* Numbers all exits of a translation, from translation->first_exit on. */
void exit_table_add(struct exit_table *table, struct translation *translation);

/* Puts an exit at the front of a list that begins in *first. */
void exit_table_list(struct exit_table *table, uint32_t number, uint32_t *first);

#endif
