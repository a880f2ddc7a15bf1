/* SPDX-License-Identifier: MIT */
/* How much is hidden: a level for each kind of content, ascending from what hides least. */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/traceformat.h"

enum names_level { NAMES_KEEP, NAMES_HASH, NAMES_DROP };
enum events_level { EVENTS_KEEP, EVENTS_NO_ARGUMENTS, EVENTS_KINDS };
enum addresses_level { ADDRESSES_KEEP, ADDRESSES_REGIONS, ADDRESSES_PAGES, ADDRESSES_DROP };
enum extras_level { EXTRAS_KEEP, EXTRAS_DROP };
enum order_level { ORDER_KEEP, ORDER_SHUFFLE };
enum code_level { CODE_KEEP, CODE_NO_CONSTANTS, CODE_FACTS, CODE_REGDEPS };
enum samples_level { SAMPLES_KEEP, SAMPLES_DROP };
enum times_level { TIMES_KEEP, TIMES_RELATIVE, TIMES_DROP };

enum switch_id {
	SWITCH_NAMES,
	SWITCH_EVENTS,
	SWITCH_ADDRESSES,
	SWITCH_EXTRAS,
	SWITCH_ORDER,
	SWITCH_CODE,
	SWITCH_SAMPLES,
	SWITCH_TIMES,
	N_SWITCHES
};

/* The names of a switch and of its levels, "keep|hash|drop". */
extern const char *const switch_names[N_SWITCHES];
extern const char *const switch_words[N_SWITCHES];

/* A level for each switch. */
struct levels {
	unsigned at[N_SWITCHES];
};

enum preset { PRESET_NONE, PRESET_SHARE, PRESET_PUBLIC };
extern const struct levels presets[];

/* Writes the word of a switch's level to word, and returns it. */
enum { LEVEL_WORD = 16 };
const char *level_word(enum switch_id id, unsigned level, char word[LEVEL_WORD]);

/*
 * Returns the levels that a trace has after these, as what was hidden before stays hidden: META of
 * an anonymized trace states its levels.
 */
struct levels levels_after(struct tf_reader *reader, const struct levels *levels);

#endif
