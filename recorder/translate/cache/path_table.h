/* SPDX-License-Identifier: MIT */
/* Translations by the pc at which they begin; of one pc there may be several. */
#ifndef PATH_TABLE_H
#define PATH_TABLE_H

#include "recorder/translate/emit/translation.h"

struct path_table {
	struct translation **buckets;
	uint32_t n_buckets, count;
};

/* Makes an empty one. False: there is no memory. */
bool path_table_begin(struct path_table *table);

/* Frees it and its translations. */
void path_table_free(struct path_table *table);

/* The same, but it is empty then. */
void path_table_clear(struct path_table *table);

/* Frees translations that are linked by `next`. */
void path_table_free_list(struct translation *first);

/* Adds a translation, which is the first of its pc. */
void path_table_add(struct path_table *table, struct translation *translation);

/* The first and next of all translations that begin at pc, the newest first, or NULL. */
struct translation *path_table_first(const struct path_table *table, uint64_t pc);
struct translation *path_table_next(const struct translation *translation);

#endif
