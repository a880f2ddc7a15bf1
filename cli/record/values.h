/* SPDX-License-Identifier: MIT */
/* Parse values of trace-record's options. All return EXIT_DONE, or EXIT_USAGE after a message that
 * names the option. */
#ifndef VALUES_H
#define VALUES_H

#include "recorder/recorder.h"

/* Parses a count from least to most. */
int value_number(const char *name, const char *text, uint64_t least, uint64_t most,
		 uint64_t *value);

/* Parses a time that is not 0: seconds, or a number with us, ms or s. */
int value_duration(const char *name, const char *text, double *seconds);

/* Parses a size of at least `least` bytes; see parse_size. */
int value_size(const char *name, const char *text, uint64_t least, uint64_t *value);

/* Parses a symbol, or "ssc:" and the number of a mark. */
int value_place(const char *name, const char *text, const char **place);

/* Parses a number of instructions, or a time that ends in s, ms or us. */
int value_extent(const char *name, const char *text, struct record_extent *extent);

#endif
