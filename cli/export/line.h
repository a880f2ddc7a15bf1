/* SPDX-License-Identifier: MIT */
/*
 * A line of text in the making: formats of text write a line for each access, so printf is too
 * slow.
 */
#ifndef LINE_H
#define LINE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LINE_ROOM = 128, DECIMAL_DIGITS = 20, HEX_DIGITS = 16 };

struct line {
	size_t length;
	char at[LINE_ROOM];
};

static inline void line_text(struct line *line, const char *text)
{
	size_t length = strlen(text);

	memcpy(line->at + line->length, text, length);
	line->length += length;
}

/* Adds at least `least` digits of a base, with zeros before the number. */
static inline void line_digits(struct line *line, uint64_t value, unsigned base, unsigned least)
{
	char digits[DECIMAL_DIGITS];
	size_t n = 0;

	do
		digits[n++] = "0123456789abcdef"[value % base];
	while ((value /= base) || n < least);
	while (n)
		line->at[line->length++] = digits[--n];
}

static inline void line_decimal(struct line *line, uint64_t value)
{
	line_digits(line, value, 10, 1);
}

static inline void line_hex(struct line *line, uint64_t value)
{
	line_digits(line, value, 16, 1);
}

#endif
