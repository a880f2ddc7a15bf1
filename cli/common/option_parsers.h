/* SPDX-License-Identifier: MIT */
/* Parsers for the rows of a table of options, and the words of options whose values are words. */
#ifndef OPTION_PARSERS_H
#define OPTION_PARSERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/traceoption.h"

/* See command_option. The comments give the types of the destinations. */
typedef const char *option_parser(const struct command_option *option, void *destination,
				  const char *text);
option_parser option_flag;     /* bool, set to true */
option_parser option_count;    /* uint64_t, see parse_count */
option_parser option_positive; /* uint64_t, a count that is not 0 */
option_parser option_size;     /* uint64_t, not 0, see parse_size */
option_parser option_jobs;     /* unsigned, from 1 to 1024 */
option_parser option_thread;   /* uint64_t, the index of a thread */
option_parser option_text;     /* const char * */
option_parser option_choice;   /* unsigned: the place in argument, "this|that", from 0 */
option_parser option_second;   /* bool: whether the second of the two words of argument is chosen */
option_parser option_format;   /* enum report_format */

/*
 * Begins the definition of a parser that other files use, with its parameters `option`,
 * `destination` and `text`; OPTION_PARSER begins one that only this file uses.
 */
#define SHARED_OPTION_PARSER(name)                                                    \
	const char *name(__attribute__((unused)) const struct command_option *option, \
			 __attribute__((unused)) void *destination,                   \
			 __attribute__((unused)) const char *text)
#define OPTION_PARSER(name) static SHARED_OPTION_PARSER(name)

/* Parses a count from least to most. Returns NULL, or the reason why it is refused. */
const char *parse_count_within(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/*
 * Parses numbers with commas between them by parse_count or parse_size, and stores at most `most`
 * of them. Returns how many there are, at most `most` + 1; 0 if one of these cannot be parsed.
 */
unsigned parse_list(const char *text, bool (*parse)(const char *text, uint64_t *value),
		    uint64_t *numbers, unsigned most);

/* Returns the message for a text that is none of the words of option->argument. */
const char *option_expects(const struct command_option *option);

/*
 * Finds text in words, "this|that|other", and sets *choice to its place, from 0. Returns false if
 * it is none of them.
 */
bool parse_choice(const char *text, const char *words, unsigned *choice);

/* Returns "one of this, that and other is expected", which is valid until the next call. */
const char *expected_choice(const char *words);

#endif
