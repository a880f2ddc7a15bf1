/* SPDX-License-Identifier: MIT */
/* Keys by which samples are grouped: "symbol", "page,source", "brn_misp", ... */
#ifndef IBS_KEYS_H
#define IBS_KEYS_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/packet/packet.h"
#include "analyzers/program/place_keys.h"
#include "cli/common/tracereport.h"

/* clang-format off */
enum ibs_key_kind {
	IBS_KEY_PLACE,
	IBS_KEY_CPU, IBS_KEY_MODE, IBS_KEY_COMM, IBS_KEY_STACK, IBS_KEY_SOURCE,
	IBS_KEY_FIELD,
};
/* clang-format on */

enum { IBS_MAX_KEYS = 4, IBS_MAX_KEY_COLUMNS = 4 * 6 };

struct ibs_keys {
	unsigned count;
	struct ibs_key {
		uint8_t kind; /* enum ibs_key_kind */
		uint8_t of;   /* IBS_KEY_PLACE: enum place_key; IBS_KEY_FIELD: enum ibs_field */
	} keys[IBS_MAX_KEYS];
	bool about_data;     /* a key is about the memory that samples access */
	bool are_objects;    /* a key is an object */
	bool needs_objects;  /* a key is an object or an allocation */
	bool needs_lines;    /* a key is a source line */
	bool needs_hardware; /* a key is a fact that the model does not have */
	bool has_stack;
	bool needs_callers; /* a key is a thread's name or a stack */
	char name[64];      /* of tables: "page_source" */
};

/* Reads a list of keys with commas between them. Returns NULL, or the reason why it is refused. */
const char *ibs_keys_parse(struct ibs_keys *keys, const char *text);

/* Returns a sample of a static instruction, with only its place set. */
struct ibs_sample ibs_sample_of_insn(const struct ibs_code *code, uint32_t insn);

/* Returns the place of a sample. */
struct place ibs_sample_place(const struct ibs_sample *sample);

/*
 * Gets the values of a sample, one for each key. Returns false if keys are about data and the
 * sample accesses none; it then belongs to no group.
 */
bool ibs_keys_get(const struct ibs_keys *keys, struct places *places,
		  const struct ibs_sample *sample, struct place_value *values);

/*
 * Stores the columns of all keys, each once, in columns[IBS_MAX_KEY_COLUMNS]. Returns their number.
 */
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
void ibs_keys_cells(const struct ibs_keys *keys, const struct places *places,
		    const struct place_value *values, struct ibs_key_texts *texts,
		    struct report_cell *cells);

#endif
