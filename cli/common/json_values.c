/* SPDX-License-Identifier: MIT */
#include "cli/common/json_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"

#define HEX_DIGITS "0123456789abcdefABCDEF"

json_t *json_text(const char *text)
{
	char *valid = escape_utf8(text);
	json_t *string = checked(json_string_nocheck(valid));

	free(valid);
	return string;
}

json_t *json_word(const char *word)
{
	return checked(json_string_nocheck(word));
}

json_t *json_number(uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX)
		return checked(json_integer((json_int_t)value));
	sprintf(digits, "%" PRIu64, value);
	return checked(json_string_nocheck(digits));
}

json_t *json_hex(uint64_t value)
{
	char text[24];

	sprintf(text, "0x%" PRIx64, value);
	return checked(json_string_nocheck(text));
}

json_t *json_bytes(const uint8_t *bytes, size_t count)
{
	char *text = checked_array(count + 1, 2), *to = text;

	for (size_t i = 0; i < count; i++) {
		*to++ = "0123456789abcdef"[bytes[i] >> 4];
		*to++ = "0123456789abcdef"[bytes[i] & 15];
	}
	json_t *string = checked(json_stringn_nocheck(text, 2 * count));

	free(text);
	return string;
}

void json_member(json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new_nocheck(object, name, value))
		out_of_memory();
}

void json_element(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		out_of_memory();
}

static int put_part(const char *text, size_t size, void *out)
{
	return fwrite_unlocked(text, 1, size, out) == size ? 0 : -1;
}

void json_put_line(FILE *out, json_t *row, size_t flags)
{
	char line[4096];
	size_t size = json_dumpb(row, line, sizeof(line), flags);

	if (size <= sizeof(line))
		fwrite_unlocked(line, 1, size, out);
	else
		json_dump_callback(row, put_part, out, flags);
	putc_unlocked('\n', out);
	json_decref(row);
}

bool json_read_number(const json_t *object, const char *name, uint64_t *value)
{
	const json_t *number = json_object_get(object, name);

	if (!json_is_integer(number) || json_integer_value(number) < 0)
		return false;
	*value = (uint64_t)json_integer_value(number);
	return true;
}

bool json_read_address(const json_t *object, const char *name, uint64_t *value)
{
	const char *text = json_read_text(object, name);

	if (!text)
		return json_read_number(object, name, value);
	if (strncmp(text, "0x", 2) != 0 || strspn(text + 2, HEX_DIGITS) != strlen(text + 2))
		return false;
	errno = 0;
	*value = strtoull(text, NULL, 16);
	return text[2] && errno == 0;
}

double json_read_real(const json_t *object, const char *name)
{
	const json_t *number = json_object_get(object, name);

	return json_is_number(number) ? json_number_value(number) : NAN;
}

static bool is_missing(const json_t *object, const char *name)
{
	const json_t *member = json_object_get(object, name);

	return !member || json_is_null(member);
}

bool json_read_optional_number(const json_t *object, const char *name, uint64_t *value)
{
	return is_missing(object, name) || json_read_number(object, name, value);
}

bool json_read_optional_real(const json_t *object, const char *name, double *value)
{
	*value = json_read_real(object, name);
	return is_missing(object, name) || !isnan(*value);
}

const char *json_read_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}
