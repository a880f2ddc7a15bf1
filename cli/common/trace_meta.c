/* SPDX-License-Identifier: MIT */
#include "cli/common/trace_meta.h"

#include <stdio.h>
#include <string.h>

const char *uuid_text(const uint8_t uuid[16], char text[UUID_TEXT])
{
	char *to = text;

	for (int i = 0; i < 16; i++)
		to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      uuid[i]);
	return text;
}

enum isa_vendor recorded_vendor(struct tf_reader *reader)
{
	return isa_vendor_of(tf_meta(reader, "host.cpu.vendor"));
}

static bool has_none(struct tf_reader *reader, const char *key)
{
	const char *value = tf_meta(reader, key);

	return value && !strcmp(value, "none");
}

bool lacks_code(struct tf_reader *reader)
{
	return has_none(reader, "code");
}

bool lacks_branches(struct tf_reader *reader)
{
	return has_none(reader, "branches");
}

const char *addresses_advice(struct tf_reader *reader)
{
	const char *anonymised = tf_meta(reader, "anonymised.addresses");

	if (tf_meta(reader, "import.format"))
		return "the imported file has none";
	if (anonymised && !strcmp(anonymised, "drop"))
		return "anonymise it again without --addresses=drop";
	return "record it again without --no-addresses";
}
