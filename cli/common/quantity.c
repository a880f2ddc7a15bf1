/* SPDX-License-Identifier: MIT */
#include "cli/common/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_count(const char *text, uint64_t *value)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} suffixes[] = {
		{ "", 1 },
		{ "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { "T", 1000000000000 },
		{ "Ki", 1ull << 10 }, { "Mi", 1ull << 20 }, { "Gi", 1ull << 30 },
		{ "Ti", 1ull << 40 },
	};
	uint64_t number = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *p - '0', &number))
			return false;
	if (p == text)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(p, suffixes[i].suffix)) {
			if (__builtin_mul_overflow(number, suffixes[i].factor, &number))
				return false;
			*value = number;
			return true;
		}
	return false;
}

bool parse_thread(const char *text, uint32_t *thread)
{
	uint64_t value;

	if (!parse_count(text, &value) || value >= UINT32_MAX)
		return false;
	*thread = (uint32_t)value;
	return true;
}

bool parse_seconds(const char *text, double *value)
{
	size_t whole = strspn(text, "0123456789");
	const char *rest = text + whole;

	if (!whole)
		return false;
	if (*rest == '.') {
		size_t fraction = strspn(rest + 1, "0123456789");

		if (!fraction)
			return false;
		rest += 1 + fraction;
	}
	double number = strtod(text, NULL);

	if (*rest || number <= 0 || !isfinite(number))
		return false;
	*value = number;
	return true;
}

const char *format_count(uint64_t value, char text[COUNT_SIZE])
{
	char digits[COUNT_SIZE];
	int count = sprintf(digits, "%" PRIu64, value);
	char *to = text;

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}
