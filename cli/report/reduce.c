/* SPDX-License-Identifier: MIT */
#include "cli/report/reduce.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/common/write_page.h"

enum {
	MOST_ROWS = 3000,
	LEAST_ROWS = 25,
	PLAIN_ELEMENTS = 10,    /* numbers or lines of source code that take the space of a row */
	MOST_CHARACTERS = 4000, /* of a string; names of functions may have megabytes */
	LEAST_CHARACTERS = 60,
};

struct reduction {
	size_t rows, characters; /* at most */
	json_t *cut;             /* former numbers of rows, by place */
};

/* ---- strings ------------------------------------------------------------------------------- */

static bool begins_character(char byte)
{
	return (byte & 0xc0) != 0x80;
}

/* Returns a string without its middle. The string has more than `most` bytes of UTF-8. */
static json_t *without_middle(const char *text, size_t most)
{
	size_t length = strlen(text), head = most * 2 / 3, tail = length - most / 3;
	char *shorter;
	json_t *result;

	while (head && !begins_character(text[head]))
		head--;
	while (tail < length && !begins_character(text[tail]))
		tail++;
	shorter = text_format("%.*s\u2026%s", (int)head, text, text + tail);
	result = json_text(shorter);
	free(shorter);
	return result;
}

static bool is_long(const struct reduction *r, const json_t *value)
{
	return json_is_string(value) && json_string_length(value) > r->characters;
}

/* ---- tables and trees ---------------------------------------------------------------------- */

/* A row of a tree of call paths. */
struct path {
	size_t row;
	uint64_t instructions;
};

static int by_instructions(const void *a, const void *b)
{
	const struct path *first = a, *second = b;

	if (first->instructions != second->instructions)
		return first->instructions < second->instructions ? 1 : -1;
	return first->row < second->row ? -1 : first->row > second->row;
}

/* Returns the instructions of a path, the greater number of two traces. */
static uint64_t instructions_of(const json_t *row)
{
	static const char *const columns[] = { "inclusive_instructions", "inclusive_instructions_a",
					       "inclusive_instructions_b" };
	uint64_t most = 0, number;

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (json_read_number(row, columns[i], &number) && number > most)
			most = number;
	return most;
}

/* Returns which rows have the most instructions. A caller has as many as its callees, and stands
 * before them, so that all callers of a kept path are kept. */
static bool *greatest_paths(const json_t *rows, size_t most)
{
	size_t n = json_array_size(rows);
	struct path *paths = checked_array(n, sizeof(*paths));
	bool *kept = checked_array(n, sizeof(*kept));

	for (size_t i = 0; i < n; i++) {
		paths[i].row = i;
		paths[i].instructions = instructions_of(json_array_get(rows, i));
	}
	qsort(paths, n, sizeof(*paths), by_instructions);
	for (size_t i = 0; i < most; i++)
		kept[paths[i].row] = true;
	free(paths);
	return kept;
}

static void cut_tree(json_t *rows, size_t most)
{
	size_t n = json_array_size(rows);
	bool *kept = greatest_paths(rows, most);
	json_t *shorter = checked(json_array());

	for (size_t i = 0; i < n; i++)
		if (kept[i])
			json_element(shorter, json_incref(json_array_get(rows, i)));
	json_array_clear(rows);
	if (json_array_extend(rows, shorter))
		out_of_memory();
	json_decref(shorter);
	free(kept);
}

static bool is_tree(const json_t *rows)
{
	const json_t *row = json_array_get(rows, 0);

	return json_object_get(row, "caller") && (json_object_get(row, "inclusive_instructions") ||
						  json_object_get(row, "inclusive_instructions_a"));
}

/* Returns the most elements that an array may have: rows of a table, or plain elements. */
static size_t most_elements(const struct reduction *r, const json_t *array, const char *place)
{
	static const char phases[] = "results.phases"; /* one for each interval, bounded already */

	if (json_is_object(json_array_get(array, 0)))
		return r->rows;
	return strncmp(place, phases, strlen(phases)) ? PLAIN_ELEMENTS * r->rows : SIZE_MAX;
}

static void cut_rows(const struct reduction *r, json_t *rows, const char *place)
{
	size_t n = json_array_size(rows), most = most_elements(r, rows, place);

	if (n <= most)
		return;
	if (!json_object_get(r->cut, place))
		json_member(r->cut, place, json_number(n));
	if (is_tree(rows))
		cut_tree(rows, most);
	else
		while (n-- > most)
			json_array_remove(rows, n);
}

/* ---- the document -------------------------------------------------------------------------- */

static void reduce(const struct reduction *r, json_t *value, const char *place);

static void reduce_array(const struct reduction *r, json_t *array, const char *place)
{
	json_t *element;
	size_t i;

	cut_rows(r, array, place);
	json_array_foreach (array, i, element)
		if (is_long(r, element))
			json_array_set_new(array, i,
					   without_middle(json_string_value(element),
							  r->characters));
		else
			reduce(r, element, place);
}

static void reduce_object(const struct reduction *r, json_t *object, const char *place)
{
	json_t *member;
	const char *name;
	void *next;

	json_object_foreach_safe(object, next, name, member)
	{
		char *inner = text_format("%s%s%s", place, *place ? "." : "", name);

		if (is_long(r, member))
			json_member(object, name,
				    without_middle(json_string_value(member), r->characters));
		else if (member != r->cut)
			reduce(r, member, inner);
		free(inner);
	}
}

static void reduce(const struct reduction *r, json_t *value, const char *place)
{
	if (json_is_object(value))
		reduce_object(r, value, place);
	else if (json_is_array(value))
		reduce_array(r, value, place);
}

void reduce_document(json_t *document, size_t most_bytes)
{
	struct reduction r = { MOST_ROWS, MOST_CHARACTERS, checked(json_object()) };

	json_member(document, "cut", r.cut);
	reduce(&r, document, "");
	while (document_size(document) > most_bytes && r.rows > LEAST_ROWS) {
		r.rows = r.rows * 2 / 3;
		if (r.characters > LEAST_CHARACTERS)
			r.characters = r.characters * 2 / 3;
		reduce(&r, document, "");
	}
	if (!json_object_size(r.cut))
		json_object_del(document, "cut");
}
