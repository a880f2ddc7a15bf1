/* SPDX-License-Identifier: MIT */
#include "cli/common/short_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/common/brief_function.h"
#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "traceformat/common/hash_table.h"

static const char ellipsis[] = "...";
enum { ELLIPSIS = sizeof(ellipsis) - 1 };

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

/* Returns a name without indentation, shortened. */
static char *shorten(const char *name, size_t width, enum name_kind kind)
{
	static char *(*const brief[])(const char *, size_t) = { without_arguments, brief_function,
								brief_path };
	char *text = brief[kind](name, width);

	if (utf8_length(text) <= width)
		return text;
	char *shorter = without_middle(text, width);

	free(text);
	return shorter;
}

/* Returns a name of a kind, with indentation, shortened. */
static char *shorten_of_kind(const char *name, size_t width, enum name_kind kind)
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
	char *shorter = shorten(name + blanks, width - indent, kind);
	char *indented = text_format("%*s%s", (int)indent, "", shorter);

	free(shorter);
	return indented;
}

char *shorten_name(const char *name, size_t width)
{
	return shorten_of_kind(name, width, NAMES_OF_ANYTHING);
}

/* ---- a column of names ------------------------------------------------------------------- */

/* A name and its short form, both owned. */
struct short_name {
	char *name, *shorter;
};

struct short_names {
	ARRAY(struct short_name) names;
	struct hash_index by_name, by_shorter;
	enum name_kind kind;
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
	char *shorter = shorten_of_kind(name, width, all->kind);

	while (is_taken(all, shorter)) {
		char *ending = text_format("~%u", ++all->number);
		size_t room = width > strlen(ending) ? width - strlen(ending) : 0;
		char *stem = shorten_of_kind(name, room, all->kind);

		free(shorter);
		shorter = text_format("%s%s", stem, ending);
		free(stem);
		free(ending);
	}
	return shorter;
}

void shorten_names(char **names, size_t count, size_t stride, size_t width, enum name_kind kind)
{
	struct short_names all = { .kind = kind, .number = 1 };

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
