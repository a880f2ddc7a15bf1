/* SPDX-License-Identifier: MIT */
/* Numbers as people write and read them. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parses a count: decimal digits, perhaps with a fraction and an exponent as in 1.5e6, and a
 * suffix: k, M, G, T, P, E (powers of 1000), the same with B behind, or Ki, Mi, ... and KiB, MiB,
 * ... (powers of 1024); K and k are the same. The value must be whole. Returns false on anything
 * else, on overflow, and on an empty string.
 */
bool parse_count(const char *text, uint64_t *value);

/* Parses a size of memory, blocks or caches in bytes: all suffixes are powers of 1024, in upper and
 * lower case, and a suffix of only B is allowed. */
bool parse_size(const char *text, uint64_t *value);

/* Values that parse_count and parse_size accept, for messages. */
#define NOT_A_COUNT "not a count such as 100, 20k, 1.5M or 4Mi"
#define NOT_A_SIZE  "not a size such as 64, 32K or 1.5MiB"

/* Parses the index of a thread. */
bool parse_thread(const char *text, uint32_t *thread);
#define NOT_A_THREAD "not a thread's index"

/* Parses seconds: a positive decimal number with an optional fraction. */
bool parse_seconds(const char *text, double *value);

/* Parses a share from 0 to 1, as "0.05" or "5%". */
bool parse_fraction(const char *text, double *share);

/* Writes value with thousands separators to text, and returns text. */
enum { COUNT_SIZE = 20 + 6 + 1 };
const char *format_count(uint64_t value, char text[COUNT_SIZE]);

/* Returns the word that fits a count: "instruction" or "instructions". */
static inline const char *noun(uint64_t count, const char *one, const char *several)
{
	return count == 1 ? one : several;
}

#endif
