/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/by.h"

#include <string.h>

static const struct report_column path_column = { "path", REPORT_STRING, "" };

/* Returns true if the first `length` characters of a text are a word. */
static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

static bool find_key(const char *text, size_t length, uint8_t *key)
{
	enum place_key place = PLACE_SYMBOL;

	if (is_word(text, length, "path")) {
		*key = CACHE_BY_PATH;
		return true;
	}
	if (!is_word(text, length, "function") && !place_key_find(text, length, &place))
		return false;
	*key = place;
	return true;
}

/* Notes what a key needs. */
static void add_needs(struct cache_by *by, uint8_t key)
{
	if (key == CACHE_BY_PATH) {
		by->are_paths = true;
		return;
	}
	by->about_data |= place_key_facts[key].about_data;
	by->needs_lines |= place_key_facts[key].needs_lines;
	by->needs_objects |= place_key_facts[key].needs_objects;
	by->are_objects |= key == PLACE_OBJECT;
}

const char *cache_by_parse(struct cache_by *by, const char *text)
{
	*by = (struct cache_by){ 0 };
	if (strlen(text) >= sizeof(by->name))
		return "the list of keys is too long";
	for (size_t i = 0; i <= strlen(text); i++)
		by->name[i] = text[i] == ',' ? '_' : text[i];
	for (;;) {
		size_t length = strcspn(text, ",");

		if (by->count == CACHE_MOST_KEYS)
			return "at most four keys are possible";
		if (!find_key(text, length, &by->keys[by->count]))
			return "expected is " CACHE_BY_WORDS;
		add_needs(by, by->keys[by->count++]);
		if (!text[length])
			return NULL;
		text += length + 1;
	}
}

void cache_by_get(const struct cache_by *by, struct places *places, const struct place *place,
		  uint32_t path, struct place_value values[CACHE_MOST_KEYS])
{
	memset(values, 0, CACHE_MOST_KEYS * sizeof(*values));
	for (unsigned i = 0; i < by->count; i++)
		values[i] = by->keys[i] == CACHE_BY_PATH
				    ? place_value_index(path)
				    : place_value_get(places, place, by->keys[i]);
}

/* Stores the columns of a key. Returns their number. */
static size_t key_columns(uint8_t key, struct report_column *columns)
{
	if (key != CACHE_BY_PATH)
		return place_key_columns(key, columns);
	columns[0] = path_column;
	return 1;
}

/* Appends the columns of a key that are not there yet, and their cells unless `from` is NULL. */
static size_t append(uint8_t key, struct report_column *columns, size_t count,
		     const struct report_cell *from, struct report_cell *cells)
{
	struct report_column own[PLACE_KEY_COLUMNS];
	size_t n = key_columns(key, own);

	return place_columns_append(own, n, from, columns, count, cells);
}

size_t cache_by_columns(const struct cache_by *by, struct report_column *columns)
{
	size_t count = 0;

	for (unsigned i = 0; i < by->count; i++)
		count = append(by->keys[i], columns, count, NULL, NULL);
	return count;
}

static struct report_cell path_cell(const struct places *places, const struct place_value *value)
{
	const char *text = value->known ? numbering_key(&places->texts, value->value) : NULL;

	return (struct report_cell){ .known = text, .string = text };
}

void cache_by_cells(const struct cache_by *by, const struct places *places,
		    const struct place_value *values, char *texts[CACHE_MOST_KEYS],
		    struct report_cell *cells)
{
	struct report_column columns[CACHE_KEY_COLUMNS];
	struct report_cell own[PLACE_KEY_COLUMNS];
	size_t count = 0;

	for (unsigned i = 0; i < by->count; i++) {
		texts[i] = NULL;
		if (by->keys[i] == CACHE_BY_PATH)
			own[0] = path_cell(places, &values[i]);
		else
			place_value_cells(places, by->keys[i], &values[i], &texts[i], own);
		count = append(by->keys[i], columns, count, own, cells);
	}
}
