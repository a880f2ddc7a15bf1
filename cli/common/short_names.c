/* SPDX-License-Identifier: MIT */
#include "cli/common/short_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "traceformat/common/hash_table.h"

static const char ellipsis[] = "...";
enum { ELLIPSIS = sizeof(ellipsis) - 1 };

/* ---- brackets of C++ names --------------------------------------------------------------- */

/* Returns the length of "operator<<" and the like at the beginning, whose signs are no brackets. */
static size_t operator_length(const char *s)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (strncmp(s, word, length))
		return 0;
	if (!strncmp(s + length, "()", 2))
		return length + 2;
	return length + strspn(s + length, "<>=-");
}

/* Returns the length of a text from an opening bracket to the one that closes it; 0: none does. */
static size_t bracket_length(const char *s, char open, char close)
{
	size_t depth = 0;

	for (size_t i = 0; s[i]; i++) {
		size_t skipped = operator_length(s + i);

		if (skipped)
			i += skipped - 1;
		else if (s[i] == open)
			depth++;
		else if (s[i] == close && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Returns whether a bracket has something that is longer than its abbreviation. */
static bool is_worth_it(const char *s, size_t length)
{
	static const char anonymous[] = "(anonymous namespace)";

	return length > ELLIPSIS + 2 && strncmp(s, anonymous, sizeof(anonymous) - 1) != 0;
}

/* Returns whether a bracket behind a text begins arguments; not so in Rust's <T as Trait>::name. */
static bool begins_arguments(const char *text, const char *end)
{
	return end > text && (end[-1] != ' ' || (end - text > 1 && strchr("<>=-", end[-2])));
}

/*
 * Replaces what is in the outermost brackets of this kind by "...", in place. The text behind a
 * bracket that is not closed stays as it is, so that the time is linear.
 */
static void abbreviate(char *name, char open, char close)
{
	char *to = name;
	bool closed = true;

	for (const char *s = name; *s;) {
		size_t skipped = operator_length(s);
		bool opens = closed && !skipped && *s == open && begins_arguments(name, to);
		size_t length = opens ? bracket_length(s, open, close) : 0;

		closed = closed && (!opens || length);
		if (is_worth_it(s, length)) {
			*to++ = open;
			memcpy(to, ellipsis, ELLIPSIS);
			to += ELLIPSIS;
			*to++ = close;
			s += length;
			continue;
		}
		for (skipped += !skipped; skipped; skipped--)
			*to++ = *s++;
	}
	*to = '\0';
}

/* ---- one name ---------------------------------------------------------------------------- */

/* Returns the place of character n, from 0, of valid UTF-8. */
static const char *character(const char *s, size_t n)
{
	for (; *s && n; n--) {
		s++;
		while ((*s & 0xc0) == 0x80)
			s++;
	}
	return s;
}

/* Returns a text of `width` characters without its middle; what follows the middle is longer. */
static char *without_middle(const char *text, size_t width)
{
	size_t head = (width - ELLIPSIS) / 2;
	size_t tail = width - ELLIPSIS - head;
	const char *end = character(text, head);

	return text_format("%.*s%s%s", (int)(end - text), text, ellipsis,
			   character(end, utf8_length(end) - tail));
}

char *without_arguments(const char *name, size_t width)
{
	char *text = checked_copy(name);

	if (utf8_length(text) > width)
		abbreviate(text, '(', ')');
	if (utf8_length(text) > width)
		abbreviate(text, '<', '>');
	return text;
}

/* Returns a name without indentation, shortened. */
static char *shorten(const char *name, size_t width)
{
	char *text = without_arguments(name, width);

	if (utf8_length(text) <= width)
		return text;
	char *shorter = without_middle(text, width);

	free(text);
	return shorter;
}

char *shorten_name(const char *name, size_t width)
{
	size_t blanks = strspn(name, " "), indent = blanks;

	if (width < SHORTEST_NAME)
		width = SHORTEST_NAME;
	if (utf8_length(name) <= width)
		return checked_copy(name);
	if (indent > width / 2)
		indent = width / 2;
	if (width - indent < SHORTEST_NAME)
		indent = width - SHORTEST_NAME;
	char *shorter = shorten(name + blanks, width - indent);
	char *indented = text_format("%*s%s", (int)indent, "", shorter);

	free(shorter);
	return indented;
}

/* ---- a column of names ------------------------------------------------------------------- */

/* A name and its short form, both owned. */
struct short_name {
	char *name, *shorter;
};

struct short_names {
	ARRAY(struct short_name) names;
	struct hash_index by_name, by_shorter;
	unsigned number; /* that was added last */
};

static uint64_t hash_text(const char *text)
{
	return hash_bytes(text, strlen(text));
}

static struct short_name *find_name(struct short_names *all, const char *name)
{
	uint64_t at = hash_text(name);
	uint32_t i;

	while ((i = hash_index_next(&all->by_name, hash_text(name), &at)) != HASH_NONE)
		if (!strcmp(all->names.at[i].name, name))
			return &all->names.at[i];
	return NULL;
}

static bool is_taken(const struct short_names *all, const char *shorter)
{
	uint64_t at = hash_text(shorter);
	uint32_t i;

	while ((i = hash_index_next(&all->by_shorter, hash_text(shorter), &at)) != HASH_NONE)
		if (!strcmp(all->names.at[i].shorter, shorter))
			return true;
	return false;
}

/* Adds a name; its short form becomes the table's. */
static void add_name(struct short_names *all, const char *name, char *shorter)
{
	uint32_t i = (uint32_t)all->names.count;

	CHECKED_RESERVE(all->names, all->names.count + 1);
	all->names.at[all->names.count++] = (struct short_name){ checked_copy(name), shorter };
	if (!hash_index_add(&all->by_name, hash_text(name), i) ||
	    !hash_index_add(&all->by_shorter, hash_text(shorter), i))
		out_of_memory();
}

/* Returns a short form that no other name has. */
static char *choose(struct short_names *all, const char *name, size_t width)
{
	char *shorter = shorten_name(name, width);

	while (is_taken(all, shorter)) {
		char *ending = text_format("~%u", ++all->number);
		size_t room = width > strlen(ending) ? width - strlen(ending) : 0;
		char *stem = shorten_name(name, room);

		free(shorter);
		shorter = text_format("%s%s", stem, ending);
		free(stem);
		free(ending);
	}
	return shorter;
}

void shorten_names(char **names, size_t count, size_t stride, size_t width)
{
	struct short_names all = { .number = 1 };

	/* A name that fits stays as it is, so no short form may look like that name. */
	for (size_t i = 0; i < count; i++)
		if (utf8_length(names[i * stride]) <= width && !find_name(&all, names[i * stride]))
			add_name(&all, names[i * stride], checked_copy(names[i * stride]));
	for (size_t i = 0; i < count; i++) {
		char **name = &names[i * stride];
		struct short_name *found = find_name(&all, *name);

		if (!found) {
			add_name(&all, *name, choose(&all, *name, width));
			found = &all.names.at[all.names.count - 1];
		}
		free(*name);
		*name = checked_copy(found->shorter);
	}
	for (size_t i = 0; i < all.names.count; i++) {
		free(all.names.at[i].name);
		free(all.names.at[i].shorter);
	}
	free(all.names.at);
	hash_index_free(&all.by_name);
	hash_index_free(&all.by_shorter);
}
