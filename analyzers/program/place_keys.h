/* SPDX-License-Identifier: MIT */
/* Keys by which places are grouped: the module, the function, the allocated object, ... */
#ifndef PLACE_KEYS_H
#define PLACE_KEYS_H

#include "analyzers/program/places.h"
#include "cli/common/tracereport.h"

/* clang-format off */
enum place_key {
	PLACE_MODULE, PLACE_FUNCTION, PLACE_SYMBOL, PLACE_LINE, PLACE_INSTRUCTION, PLACE_THREAD, PLACE_PROCESS,
	PLACE_REGION, PLACE_OBJECT, PLACE_ALLOCATION, PLACE_PAGE, PLACE_CACHELINE,
	N_PLACE_KEYS,
};
/* clang-format on */

enum { PLACE_KEY_COLUMNS = 6 };

struct place_key_facts {
	const char *name;
	bool about_data; /* the key is about the memory that is accessed */
	bool needs_lines;
	bool needs_objects; /* those of the heap */
	struct report_column
		columns[PLACE_KEY_COLUMNS]; /* the first ones, up to one without a name */
};

extern const struct place_key_facts place_key_facts[N_PLACE_KEYS];

/* Finds a key by the first `length` characters of a text. Returns false if there is none. */
bool place_key_find(const char *name, size_t length, enum place_key *key);

/* Stores the columns of a key in columns[PLACE_KEY_COLUMNS]. Returns their number. */
size_t place_key_columns(enum place_key key, struct report_column *columns);

/*
 * Appends those of n columns that are not among the first `count` ones of columns, and their cells
 * to cells unless `from` is NULL: two keys can have the same column, such as the module. Returns
 * the new count.
 */
size_t place_columns_append(const struct report_column *own, size_t n,
			    const struct report_cell *from, struct report_column *columns,
			    size_t count, struct report_cell *cells);

/* A place's value of a key; the struct has no padding. */
struct place_value {
	uint64_t value;  /* 0 if it is not known */
	uint32_t within; /* the process or module to which the value belongs, or TF_NONE */
	uint32_t known;
};

/* Returns a value; known if index is not TF_NONE. */
static inline struct place_value place_value_index(uint32_t index)
{
	bool known = index != TF_NONE;

	return (struct place_value){ known ? index : 0, TF_NONE, known };
}

/* Returns a place's value of a key. */
struct place_value place_value_get(struct places *places, const struct place *place,
				   enum place_key key);

/*
 * Fills in a cell for each column of the key. The cells point to texts of places and to *text,
 * which receives NULL or a text that the caller frees.
 */
void place_value_cells(const struct places *places, enum place_key key,
		       const struct place_value *value, char **text, struct report_cell *cells);

#endif
