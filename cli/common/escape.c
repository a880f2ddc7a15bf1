/* SPDX-License-Identifier: MIT */
#include "cli/common/escape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

size_t utf8_decode(const char *s, unsigned *code)
{
	static const unsigned smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t length = *p < 0x80   ? 1
			: *p < 0xc0 ? 0
			: *p < 0xe0 ? 2
			: *p < 0xf0 ? 3
			: *p < 0xf8 ? 4
				    : 0;

	if (length <= 1) {
		*code = *p;
		return length;
	}
	unsigned value = *p & (0x7f >> length);

	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*code = value;
	return length;
}

size_t utf8_length(const char *s)
{
	size_t count = 0;

	for (; *s; s++)
		count += (*s & 0xc0) != 0x80;
	return count;
}

/* Allocates room for s with every byte replaced by at most `growth` bytes. */
static char *room(const char *s, size_t growth)
{
	return checked(malloc(strlen(s) * growth + 1));
}

char *escape_utf8(const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *text = room(s, strlen(replacement));
	char *to = text;

	while (*s) {
		unsigned code;
		size_t length = utf8_decode(s, &code);

		if (length) {
			to = mempcpy(to, s, length);
			s += length;
		} else {
			to = stpcpy(to, replacement);
			s++;
		}
	}
	*to = '\0';
	return text;
}

static bool is_control(unsigned code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Returns whether a character separates lines or changes the direction of text. */
static bool is_disguise(unsigned code)
{
	return code == 0x061c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

char *escape_text(const char *s)
{
	char *text = room(s, strlen("\\xff"));
	char *to = text;

	while (*s) {
		unsigned code;
		size_t length = utf8_decode(s, &code);

		if (!length)
			to += sprintf(to, "\\x%02x", (unsigned char)*s);
		else if (code == '\n')
			to = stpcpy(to, "\\n");
		else if (code == '\t')
			to = stpcpy(to, "\\t");
		else if (is_control(code))
			to += sprintf(to, "\\x%02x", code);
		else if (is_disguise(code))
			to += sprintf(to, "\\u%04x", code);
		else
			to = mempcpy(to, s, length);
		s += length ? length : 1;
	}
	*to = '\0';
	return text;
}

/* Returns whether a whole text is a decimal number. */
static bool is_number(const char *text)
{
	size_t length = strlen(text);
	char *end;

	if (strspn(text, "+-.0123456789eE") != length)
		return false;
	strtod(text, &end);
	return end == text + length;
}

/* Returns whether a spreadsheet may execute a text as a formula. Texts with apostrophes before a
 * formula count too, so that a reader can distinguish the apostrophe that marks one. */
static bool is_formula(const char *text)
{
	const char *p = text + strspn(text, "'");

	return *p && strchr("=+-@", *p) && p[1] && !(p == text && is_number(text));
}

void put_csv(FILE *out, const char *s)
{
	char *text = escape_text(s);
	bool quoted = text[strcspn(text, ",\"")] || *text == ' ';

	if (quoted)
		putc('"', out);
	if (is_formula(text))
		putc('\'', out);
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			putc('"', out);
		putc(*p, out);
	}
	if (quoted)
		putc('"', out);
	free(text);
}
