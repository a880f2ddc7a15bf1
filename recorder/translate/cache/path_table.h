/* SPDX-License-Identifier: MIT */
/* Translations by the pc at which they begin, which is not 0; of one pc there may be several. */
#ifndef PATH_TABLE_H
#define PATH_TABLE_H

#include "recorder/translate/emit/translation.h"
#include "recorder/translate/plan/pc_map.h"

/* Zeroed it is empty. */
struct path_table {
	struct pc_map first;	/* the newest one of each pc */
	uint32_t count;
};

/* Makes it empty. */
void path_table_clear(struct path_table *table);

/* Adds a translation, which is the first of its pc. False: memory is out. */
bool path_table_add(struct path_table *table, struct translation *translation);

/* The first and next of all translations that begin at pc, the newest first, or NULL. */
struct translation *path_table_first(const struct path_table *table, uint64_t pc);
struct translation *path_table_next(const struct translation *translation);

#endif
