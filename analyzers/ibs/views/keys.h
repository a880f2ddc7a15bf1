/* SPDX-License-Identifier: MIT */
/* Keys by which samples are grouped: "symbol", "page,source", "brn_misp", ... */
#ifndef IBS_KEYS_H
#define IBS_KEYS_H

#include "analyzers/ibs/views/places.h"
#include "cli/common/tracereport.h"

/* clang-format off */
enum ibs_key_kind {
	IBS_KEY_MODULE, IBS_KEY_SYMBOL, IBS_KEY_LINE, IBS_KEY_INSTRUCTION, IBS_KEY_THREAD,
	IBS_KEY_PROCESS, IBS_KEY_CPU, IBS_KEY_MODE, IBS_KEY_COMM, IBS_KEY_STACK,
	IBS_KEY_SOURCE,
	IBS_KEY_REGION, IBS_KEY_OBJECT, IBS_KEY_ALLOCATION, IBS_KEY_PAGE, IBS_KEY_CACHELINE,
	IBS_KEY_FIELD,
};
/* clang-format on */

enum { IBS_MAX_KEYS = 4, IBS_MAX_KEY_COLUMNS = 4 * 6 };

struct ibs_keys {
	unsigned count;
	struct ibs_key {
		uint8_t kind;  /* enum ibs_key_kind */
		uint8_t field; /* enum ibs_field of IBS_KEY_FIELD */
	} keys[IBS_MAX_KEYS];
	bool about_data;     /* a key is about the memory that samples access */
	bool are_objects;    /* a key is an object */
	bool needs_objects;  /* a key is an object or an allocation */
	bool needs_lines;    /* a key is a source line */
	bool needs_hardware; /* a key is a fact that the model does not have */
	bool needs_callers;  /* a key is a thread's name or a stack */
	char name[64];       /* of tables: "page_source" */
};

/* Reads a list of keys with commas between them. Returns NULL, or the reason why it is refused. */
const char *ibs_keys_parse(struct ibs_keys *keys, const char *text);

/* A sample's value of a key; the struct has no padding. */
struct ibs_key_value {
	uint64_t value;
	uint32_t within; /* the process or module to which the value belongs, or 0 */
	uint32_t known;
};

/*
 * Gets the values of a sample, one for each key. Returns false if keys are about data and the
 * sample accesses none; it then belongs to no group.
 */
bool ibs_keys_get(const struct ibs_keys *keys, struct ibs_places *places,
		  const struct ibs_sample *sample, struct ibs_key_value *values);

/* Stores the columns of all keys in columns[IBS_MAX_KEY_COLUMNS]. Returns their number. */
size_t ibs_keys_columns(const struct ibs_keys *keys, struct report_column *columns);

/* The texts that were made for a row's cells. */
struct ibs_key_texts {
	char *texts[IBS_MAX_KEYS]; /* or NULL */
};
void ibs_key_texts_free(struct ibs_key_texts *texts);

/*
 * Fills in a cell for each column. The cells point to texts of places and to *texts, which the
 * caller frees by ibs_key_texts_free.
 */
void ibs_keys_cells(const struct ibs_keys *keys, const struct ibs_places *places,
		    const struct ibs_key_value *values, struct ibs_key_texts *texts,
		    struct report_cell *cells);

#endif
