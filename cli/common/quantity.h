/* SPDX-License-Identifier: MIT */
/* Numbers as people write and read them. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parses a count: decimal digits, then optionally k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti
 * (powers of 1024). Returns false on anything else, on overflow, and on an empty string.
 */
bool parse_count(const char *text, uint64_t *value);

/* Parses the index of a thread. */
bool parse_thread(const char *text, uint32_t *thread);

/* Parses seconds: a positive decimal number with an optional fraction. */
bool parse_seconds(const char *text, double *value);

/* Writes value with thousands separators to text, and returns text. */
enum { COUNT_SIZE = 20 + 6 + 1 };
const char *format_count(uint64_t value, char text[COUNT_SIZE]);

/* The word for so many: "instruction", "instructions". */
static inline const char *noun(uint64_t count, const char *one, const char *several)
{
	return count == 1 ? one : several;
}

#endif
