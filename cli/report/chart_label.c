/* SPDX-License-Identifier: MIT */
#include "cli/report/chart_label.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/brief_function.h"

/* The characters of XML 1.0, section 2.2, beyond the control characters, which are escaped. */
static bool is_in_xml(unsigned code)
{
	return code != 0xfffe && code != 0xffff;
}

char *chart_label(const char *text, size_t most)
{
	static const char ellipsis[] = "\u2026", replacement[] = "\ufffd";
	char *escaped = escape_text(text);
	char *line = without_arguments(escaped, most);
	char *label = checked_array(most * 4 + sizeof(ellipsis), 1), *end = label;
	const char *at = line;

	for (size_t n = 0; *at && n < most; n++) {
		unsigned code;
		size_t length = utf8_decode(at, &code);
		bool is_last = n + 1 == most && at[length];
		const char *from = is_last ? ellipsis : is_in_xml(code) ? at : replacement;
		size_t size = is_last || !is_in_xml(code) ? strlen(from) : length;

		memcpy(end, from, size);
		end += size;
		at += length ? length : 1;
	}
	free(escaped);
	free(line);
	return label;
}
