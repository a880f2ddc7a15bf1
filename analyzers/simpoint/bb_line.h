/* SPDX-License-Identifier: MIT */
/* The pairs of one line of a .bb file. */
#ifndef BB_LINE_H
#define BB_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct bb_pair {
	uint32_t id;
	double value;
	bool bare; /* no colon stood before the id */
};

enum bb_found {
	BB_PAIR,
	BB_END, /* of the line */
	/* Errors, at which *text then stands. */
	BB_NO_PAIR,   /* there is something else */
	BB_BIG_ID,    /* an id is too great, see BB_MAX_ID */
	BB_BAD_VALUE, /* a value is negative or not finite */
	BB_BIG_VALUE, /* a value is above BB_MAX_COUNT */
};

/* Ids are below this number. */
enum { BB_MAX_ID = 1 << 26 };

/* Counts are exact up to here: 2^53. */
#define BB_MAX_COUNT 9007199254740992.0

/* Takes the next pair of the line that ends at `end`, where a line break stands. */
enum bb_found bb_pair(const char **text, const char *end, struct bb_pair *pair);

/* Does the same by SimPoint 3.2's rules, see bb_file.h. */
enum bb_found bb_pair_as_simpoint(const char **text, const char *end, struct bb_pair *pair);

/*
 * Returns true if a line that does not begin with T may have been meant as a vector: it has blanks,
 * a byte order mark or zeros before the T, a small t, or only pairs.
 */
bool bb_looks_like_vector(const char *text, const char *end);

/* Returns the text of an error, for a message. */
const char *bb_wrong(enum bb_found found);

#endif
