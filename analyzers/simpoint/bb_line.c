/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/bb_line.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A count of more digits may not fit in a double's 53 bits, so strtod parses it. */
enum { EXACT_DIGITS = 15 };

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* Takes an id's digits, up to a number above BB_MAX_ID; returns NULL if there are none. */
static const char *take_id(const char *at, const char *end, uint32_t *id)
{
	uint64_t value = 0;

	if (at == end || !isdigit((unsigned char)*at))
		return NULL;
	for (; at < end && isdigit((unsigned char)*at); at++)
		if (value <= BB_MAX_ID)
			value = 10 * value + (uint64_t)(*at - '0');
	*id = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
	return at;
}

/* Takes a decimal number; returns NULL if there is none. */
static const char *take_value(const char *at, const char *end, double *value)
{
	const char *start = at;
	uint64_t whole = 0;

	while (at < end && isdigit((unsigned char)*at))
		whole = 10 * whole + (uint64_t)(*at++ - '0');
	if (at > start && at - start <= EXACT_DIGITS &&
	    (at == end || (*at != '.' && *at != 'e' && *at != 'E'))) {
		*value = (double)whole;
		return at;
	}
	/* Refuse words and hexadecimal digits, which strtod would accept. */
	if (start == end || !(isdigit((unsigned char)*start) || strchr("+-.", *start) ||
			      !strncasecmp(start, "nan", 3) || !strncasecmp(start, "inf", 3)))
		return NULL;

	char *behind; /* a line break stops it at the end at the latest */

	*value = strtod(start, &behind);
	if (memchr(start, 'x', (size_t)(behind - start)) ||
	    memchr(start, 'X', (size_t)(behind - start)))
		return NULL;
	return behind > start ? behind : NULL;
}

static enum bb_found check(const struct bb_pair *pair)
{
	if (pair->id >= BB_MAX_ID)
		return BB_BIG_ID;
	if (!(pair->value >= 0) || isinf(pair->value))
		return BB_BAD_VALUE;
	return pair->value <= BB_MAX_COUNT ? BB_PAIR : BB_BIG_VALUE;
}

enum bb_found bb_pair(const char **text, const char *end, struct bb_pair *pair)
{
	const char *at = *text = skip_blanks(*text, end);

	if (at == end)
		return BB_END;
	pair->bare = *at != ':';
	at = take_id(at + !pair->bare, end, &pair->id);
	if (!at || at == end || *at != ':')
		return BB_NO_PAIR;
	at = take_value(at + 1, end, &pair->value);
	if (!at)
		return BB_NO_PAIR;
	if (at < end && skip_blanks(at, end) == at && *at != ':')
		return BB_NO_PAIR;

	enum bb_found found = check(pair);

	if (found == BB_PAIR)
		*text = at;
	return found;
}

enum bb_found bb_pair_as_simpoint(const char **text, const char *end, struct bb_pair *pair)
{
	const char *at = skip_blanks(*text, end);

	if (at == end)
		return BB_END;
	*text = at++;
	pair->bare = false;
	at = skip_blanks(at, end);
	at = take_id(at < end && *at == '+' ? at + 1 : at, end, &pair->id);
	at = at ? skip_blanks(at, end) : NULL;
	if (!at || at == end)
		return BB_END;
	at = take_value(skip_blanks(at + 1, end), end, &pair->value);
	if (!at)
		return BB_END;

	enum bb_found found = check(pair);

	if (found == BB_PAIR)
		*text = at;
	return found;
}

bool bb_looks_like_vector(const char *text, const char *end)
{
	static const char before[] = " \t\0\"'\xef\xbb\xbf\xff\xfe"; /* any of them */

	while (text < end && memchr(before, *text, sizeof(before) - 1))
		text++;
	if (text < end && (*text == 'T' || *text == 't'))
		text++;
	while (text < end && (*text == ' ' || *text == '\0'))
		text++;
	if (text == end || *text++ != ':')
		return false;
	while (text < end && (*text == ' ' || *text == '\0'))
		text++;
	return text < end && isdigit((unsigned char)*text);
}

const char *bb_wrong(enum bb_found found)
{
	switch (found) {
	case BB_BIG_ID: return "ids go up to 67108863; number the blocks anew";
	case BB_BAD_VALUE: return "a count is a number from 0 on";
	case BB_BIG_VALUE: return "counts go up to 2^53, 9007199254740992";
	default: return "a vector is T:id:count :id:count ...";
	}
}
