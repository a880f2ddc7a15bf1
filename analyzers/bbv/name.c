/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

/* Writes the value of the variable named in braces at *p, and moves *p behind them. Returns what
 * is wrong, or NULL. */
static const char *put_variable(FILE *out, const char **p)
{
	const char *end;

	if (**p != '{')
		return "expected '{' after '%q'";
	end = strchr(*p, '}');
	if (!end)
		return "missing '}' in %q specifier";
	char *name = strndup(*p + 1, end - *p - 1);

	if (!name)
		out_of_memory();
	const char *value = getenv(name);

	free(name);
	if (!value)
		return "environment variable in %q is not set";
	fputs(value, out);
	*p = end + 1;
	return NULL;
}

static const char *expand(FILE *out, const char *p, uint32_t pid, unsigned sequence)
{
	const char *wrong = NULL;

	while (*p && !wrong) {
		if (*p != '%') {
			putc(*p++, out);
			continue;
		}
		p++;
		switch (*p++) {
		case 'p': fprintf(out, "%" PRIu32, pid); break;
		case 'n': fprintf(out, "%u", sequence); break;
		case '%': putc('%', out); break;
		case 'q': wrong = put_variable(out, &p); break;
		default: return "expected 'p', 'n', 'q' or '%' after '%'";
		}
	}
	return wrong;
}

char *bbv_file_name(const char *pattern, uint32_t pid, unsigned sequence, const char **wrong)
{
	char *name = NULL;
	size_t length;
	FILE *out = checked(open_memstream(&name, &length));

	*wrong = expand(out, pattern, pid, sequence);
	if (fclose(out))
		out_of_memory();
	if (!*wrong && !length)
		*wrong = "no file name given";
	if (!*wrong)
		return name;
	free(name);
	return NULL;
}

enum bbv_compression bbv_take_suffix(char *name)
{
	size_t length = strlen(name);

	for (unsigned c = BBV_GZIP; c <= BBV_ZSTD; c++) {
		const char *suffix = bbv_suffix(c);
		size_t n = strlen(suffix);

		if (length > n && !strcmp(name + length - n, suffix)) {
			name[length - n] = 0;
			return c;
		}
	}
	return BBV_PLAIN;
}
