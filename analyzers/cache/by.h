/* SPDX-License-Identifier: MIT */
/* Keys by which misses are grouped: "function", "line,object", ... */
#ifndef CACHE_BY_H
#define CACHE_BY_H

#include "analyzers/program/place_keys.h"

enum {
	CACHE_MOST_KEYS = 4,
	CACHE_BY_PATH = N_PLACE_KEYS, /* a key: the call path */
	CACHE_KEY_COLUMNS = CACHE_MOST_KEYS * PLACE_KEY_COLUMNS,
};

#define CACHE_BY_WORDS                                                                 \
	"function, line, instruction, path, module, thread, process, region, object, " \
	"allocation, page or cacheline, or several with commas between them"

struct cache_by {
	unsigned count;
	uint8_t keys[CACHE_MOST_KEYS]; /* enum place_key, or CACHE_BY_PATH */
	bool about_data;               /* a key is about the memory that is accessed */
	bool needs_lines;
	bool are_objects; /* a key is an object */
	bool needs_objects;
	bool are_paths; /* a key is a call path */
	char name[64];  /* of tables: "line_object" */
};

/* Reads a list of keys with commas between them. Returns NULL, or the reason why it is refused. */
const char *cache_by_parse(struct cache_by *by, const char *text);

/* Fills in a value for each key. path: number among places->texts, or TF_NONE. */
void cache_by_get(const struct cache_by *by, struct places *places, const struct place *place,
		  uint32_t path, struct place_value values[CACHE_MOST_KEYS]);

/*
 * Stores the columns of all keys, each once, in columns[CACHE_KEY_COLUMNS]. Returns their number.
 */
size_t cache_by_columns(const struct cache_by *by, struct report_column *columns);

/*
 * Fills in a cell for each column. texts receive texts to which cells point, or NULL; the caller
 * frees them.
 */
void cache_by_cells(const struct cache_by *by, const struct places *places,
		    const struct place_value *values, char *texts[CACHE_MOST_KEYS],
		    struct report_cell *cells);

#endif
