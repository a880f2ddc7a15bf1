/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/mutate_text.h"

#include <ctype.h>
#include <string.h>

#include "tests/fuzz/mutate_trace.h"

enum { MOST_TEXT = 1 << 18 };

struct range {
	size_t at, size;
};

static void replace(struct buffer *text, struct range s, const void *by, size_t by_size)
{
	struct buffer made = { 0 };

	if (text->size + by_size > MOST_TEXT)
		return;
	put_bytes(&made, text->data, s.at);
	put_bytes(&made, by, by_size);
	put_bytes(&made, text->data + s.at + s.size, text->size - s.at - s.size);
	buffer_free(text);
	*text = made;
}

static bool of_word(uint8_t c)
{
	return isalnum(c) || c == '.' || c == '_';
}

/* Returns the word at or behind a place, or the empty span at the end if there is no word. */
static struct range word_at(const struct buffer *text, size_t at)
{
	struct range s = { at, 0 };

	while (s.at < text->size && !of_word(text->data[s.at]))
		s.at++;
	while (s.at && of_word(text->data[s.at - 1]) && s.at <= at)
		s.at--;
	while (s.at + s.size < text->size && of_word(text->data[s.at + s.size]))
		s.size++;
	return s;
}

/* Returns the line around a place, with its line feed. */
static struct range line_at(const struct buffer *text, size_t at)
{
	struct range s = { at, 0 };

	while (s.at && text->data[s.at - 1] != '\n')
		s.at--;
	while (s.at + s.size < text->size && text->data[s.at + s.size++] != '\n')
		;
	return s;
}

static size_t place(const struct buffer *text, uint64_t *state)
{
	return text->size ? random_under(state, text->size) : 0;
}

/* Numbers at the limits of types and roundings, and words that parsers of numbers accept. */
static void change_word(struct buffer *text, uint64_t *state)
{
	static const char *const words[] = { "0",
					     "1",
					     "-1",
					     "-0",
					     "2",
					     "63",
					     "64",
					     "65",
					     "255",
					     "256",
					     "4095",
					     "65535",
					     "65536",
					     "2147483647",
					     "2147483648",
					     "4294967295",
					     "4294967296",
					     "9007199254740992",
					     "9007199254740993",
					     "9223372036854775807",
					     "9223372036854775808",
					     "18446744073709551615",
					     "18446744073709551616",
					     "1e308",
					     "1e309",
					     "-1e309",
					     "1e-320",
					     "0.1",
					     "nan",
					     "inf",
					     "-inf",
					     "0x10",
					     "1k",
					     "1Ki",
					     "true",
					     "null",
					     "all",
					     "\"\"",
					     "99999999999999999999999999999999999999999999",
					     "",
					     "%s%n",
					     "../../etc/passwd",
					     "=1+1" };
	const char *word = words[random_under(state, sizeof(words) / sizeof(*words))];

	replace(text, word_at(text, place(text, state)), word, strlen(word));
}

static void move_word(struct buffer *text, uint64_t *state)
{
	struct range from = word_at(text, place(text, state)),
		     to = word_at(text, place(text, state));
	struct buffer word = { 0 };

	put_bytes(&word, text->data + from.at, from.size);
	replace(text, to, word.data, word.size);
	buffer_free(&word);
}

static void repeat_line(struct buffer *text, uint64_t *state)
{
	struct range line = line_at(text, place(text, state));
	uint64_t times = random_under(state, 8) ? random_under(state, 4)
						: random_under(state, 3000);
	struct buffer lines = { 0 };

	while (times-- && lines.size + line.size < MOST_TEXT)
		put_bytes(&lines, text->data + line.at, line.size);
	replace(text, line, lines.data, lines.size);
	buffer_free(&lines);
}

static void insert_bytes(struct buffer *text, uint64_t *state)
{
	static const char *const pieces[] = {
		"\n",   "\r",       "\r\n", "\t", " ", ",", ":",  ";",  "#",
		"\"",   "'",        "{",    "[",  "(", ")", "]",  "}",  "\\",
		"T",    "T:",       "=",    "!",  "-", "+", "&&", "||", "\xef\xbb\xbf",
		"\xff", "\x1b[31m", "\xc3"
	};
	struct range s = { place(text, state), 0 };
	const char *piece = pieces[random_under(state, sizeof(pieces) / sizeof(*pieces))];
	uint64_t times = random_under(state, 12) ? 1 : 1 + random_under(state, 20000);
	struct buffer many = { 0 };

	if (random_under(state, 16) == 0)
		put_u8(&many, 0);
	while (times--)
		put_bytes(&many, piece, strlen(piece));
	replace(text, s, many.data, many.size);
	buffer_free(&many);
}

static void change_byte(struct buffer *text, uint64_t *state)
{
	if (text->size)
		text->data[place(text, state)] ^= (uint8_t)(1 << random_under(state, 8));
}

static void cut_off(struct buffer *text, uint64_t *state)
{
	text->size = place(text, state);
}

void mutate_text(struct buffer *text, uint64_t *state)
{
	static void (*const changes[])(struct buffer *, uint64_t *) = { change_word,  change_word,
									change_word,  move_word,
									repeat_line,  insert_bytes,
									insert_bytes, change_byte };

	for (uint64_t n = 1 + random_under(state, random_under(state, 4) ? 2 : 8); n; n--)
		changes[random_under(state, sizeof(changes) / sizeof(*changes))](text, state);
	if (random_under(state, 16) == 0)
		cut_off(text, state);
}
