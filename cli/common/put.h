/* SPDX-License-Identifier: MIT */
/* Write numbers and constant text faster than printf. Only one thread may use the stream. */
#ifndef PUT_H
#define PUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static inline void put_text(FILE *out, const char *text)
{
	fputs_unlocked(text, out);
}

static inline void put_blanks(FILE *out, size_t count)
{
	while (count--)
		putc_unlocked(' ', out);
}

/* Writes decimal digits, right-aligned in width columns. */
static inline void put_padded(FILE *out, uint64_t value, unsigned width)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	size_t length = sizeof(digits) - at;

	if (length < width)
		put_blanks(out, width - length);
	fwrite_unlocked(digits + at, 1, length, out);
}

static inline void put_number(FILE *out, uint64_t value)
{
	put_padded(out, value, 0);
}

static inline void put_signed(FILE *out, int64_t value)
{
	if (value < 0)
		putc_unlocked('-', out);
	put_number(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* Writes "0x1f". */
static inline void put_hex(FILE *out, uint64_t value)
{
	char digits[2 + 16];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[value % 16];
	while (value /= 16);
	digits[--at] = 'x';
	digits[--at] = '0';
	fwrite_unlocked(digits + at, 1, sizeof(digits) - at, out);
}

/* Writes two hexadecimal digits for each byte. */
static inline void put_bytes(FILE *out, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		putc_unlocked("0123456789abcdef"[bytes[i] >> 4], out);
		putc_unlocked("0123456789abcdef"[bytes[i] & 15], out);
	}
}

#endif
