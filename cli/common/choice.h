/* SPDX-License-Identifier: MIT */
/* Options whose values are words: all that are valid are named when another one is given. */
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>

/* Finds text in words, "this|that|other", and sets *choice to its number, from 0. False if it is none of
 * them. */
bool parse_choice(const char *text, const char *words, unsigned *choice);

/* "one of this, that and other is expected". Valid until the next call. */
const char *expected_choice(const char *words);

/* Parses the value of an option, "--format", as above. Returns 0, or EXIT_USAGE after a message that names
 * all words. */
int choose(const char *option, const char *text, const char *words, unsigned *choice);

#endif
