/* SPDX-License-Identifier: MIT */
/*
 * A line of text in the making, in the room of an output: formats of text write a line for each
 * access, so printf is too slow. Functions return the place behind what they have added.
 */
#ifndef LINE_H
#define LINE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum { DECIMAL_DIGITS = 20, HEX_DIGITS = 16 };

/* Adds a text of a constant length. */
static inline uint8_t *line_text(uint8_t *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

static inline uint8_t *line_char(uint8_t *at, char c)
{
	*at = (uint8_t)c;
	return at + 1;
}

static inline uint8_t *line_decimal(uint8_t *at, uint64_t value)
{
	uint8_t digits[DECIMAL_DIGITS];
	size_t n = 0;

	do
		digits[n++] = (uint8_t)('0' + value % 10);
	while (value /= 10);
	while (n)
		*at++ = digits[--n];
	return at;
}

/* Stores the 8 hexadecimal digits of a number. */
static inline void line_store_hex(uint8_t *at, uint32_t number)
{
	uint64_t digits = number, letters;

	digits = (digits | digits << 16) & UINT64_C(0x0000ffff0000ffff);
	digits = (digits | digits << 8) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits | digits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (digits + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	digits += UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
	digits = htobe64(digits);
	memcpy(at, &digits, sizeof(digits));
}

/* Adds at least `least` digits, at most HEX_DIGITS, with zeros before the number. */
static inline uint8_t *line_hex_digits(uint8_t *at, uint64_t value, unsigned least)
{
	unsigned n = ((unsigned)(64 - __builtin_clzll(value | 1)) + 3) / 4;

	n = n < least ? least : n;
	value <<= 4 * (HEX_DIGITS - n);
	line_store_hex(at, (uint32_t)(value >> 32));
	line_store_hex(at + 8, (uint32_t)value);
	return at + n;
}

static inline uint8_t *line_hex(uint8_t *at, uint64_t value)
{
	return line_hex_digits(at, value, 1);
}

#endif
