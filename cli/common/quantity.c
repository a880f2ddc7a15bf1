/* SPDX-License-Identifier: MIT */
#include "cli/common/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number digits * 10^scale. */
struct decimal {
	uint64_t digits;
	int scale;
};

static bool add_digit(struct decimal *d, char digit)
{
	return !__builtin_mul_overflow(d->digits, 10, &d->digits) &&
	       !__builtin_add_overflow(d->digits, (uint64_t)(digit - '0'), &d->digits);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the number of digits of a fraction without the zeros at its end, which must not cause an
 * overflow. */
static size_t fraction_digits(const char *text)
{
	size_t n = strspn(text, "0123456789");

	while (n && text[n - 1] == '0')
		n--;
	return n;
}

/*
 * Parses a decimal number. Returns the text behind the number, or NULL if there is none or it has
 * too many digits.
 */
static const char *take_decimal(const char *p, struct decimal *d)
{
	const char *start = p;

	*d = (struct decimal){ 0, 0 };
	for (; is_digit(*p); p++)
		if (!add_digit(d, *p))
			return NULL;
	if (p == start)
		return NULL;
	if (*p == '.') {
		size_t used = fraction_digits(++p);

		if (!is_digit(*p))
			return NULL;
		for (size_t i = 0; i < used; i++)
			if (!add_digit(d, p[i]))
				return NULL;
		d->scale = -(int)used;
		p += strspn(p, "0123456789");
	}
	if ((*p == 'e' || *p == 'E') && is_digit(p[1 + (p[1] == '+')])) {
		unsigned long exponent = strtoul(p + 1, (char **)&p, 10);

		d->scale += exponent < 100 ? (int)exponent : 100;
	}
	return p;
}

/* Returns the power of 1000 or 1024 that a suffix stands for, or 0 for any other text. */
static uint64_t factor_of(const char *suffix, bool binary)
{
	static const char letters[] = "kMGTPE";
	char letter = *suffix;
	const char *found;
	uint64_t factor = 1;

	if (!letter)
		return 1;
	if (binary && !strcasecmp(suffix, "B"))
		return 1;
	if (letter == 'K')
		letter = 'k';
	else if (binary && letter != 'k' && letter >= 'a' && letter <= 'z')
		letter = (char)(letter - 'a' + 'A');
	found = strchr(letters, letter);
	if (!found)
		return 0;
	suffix++;

	bool has_i = *suffix == 'i' || (binary && *suffix == 'I');

	suffix += has_i;
	if (*suffix == 'B' || (binary && *suffix == 'b'))
		suffix++;
	for (const char *l = letters; l <= found; l++)
		factor *= binary || has_i ? 1024 : 1000;
	return *suffix ? 0 : factor;
}

static bool parse(const char *text, bool binary, uint64_t *value)
{
	struct decimal d;
	const char *suffix = take_decimal(text, &d);
	uint64_t factor = suffix ? factor_of(suffix, binary) : 0;
	unsigned __int128 number = (unsigned __int128)(suffix ? d.digits : 0) * factor;

	if (!factor)
		return false;
	for (; d.scale > 0 && number <= UINT64_MAX && number; d.scale--)
		number *= 10;
	for (; d.scale < 0 && number; d.scale++) {
		if (number % 10)
			return false;
		number /= 10;
	}
	if (number > UINT64_MAX)
		return false;
	*value = (uint64_t)number;
	return true;
}

bool parse_count(const char *text, uint64_t *value)
{
	return parse(text, false, value);
}

bool parse_size(const char *text, uint64_t *value)
{
	return parse(text, true, value);
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

bool parse_fraction(const char *text, double *share)
{
	char *end;
	double value = strtod(text, &end);
	bool percent = end > text && !strcmp(end, "%");

	if (end == text || (*end && !percent))
		return false;
	value /= percent ? 100 : 1;
	if (!(value >= 0 && value <= 1))
		return false;
	*share = value;
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
