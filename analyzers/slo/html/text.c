/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/quantity.h"

/* ---- text -------------------------------------------------------------------------------- */

static void put_character(FILE *out, char c)
{
	switch (c) {
	case '&': fputs("&amp;", out); break;
	case '<': fputs("&lt;", out); break;
	case '>': fputs("&gt;", out); break;
	case '"': fputs("&quot;", out); break;
	case '\'': fputs("&#39;", out); break;
	default: putc(c, out);
	}
}

void html_put(FILE *out, const char *s)
{
	char *text = escape_text(s);

	for (const char *p = text; *p; p++)
		put_character(out, *p);
	free(text);
}

/* Returns true if a byte continues a character. */
static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

static void put_piece(FILE *out, const char *from, size_t length)
{
	char *piece = checked(strndup(from, length));

	html_put(out, piece);
	free(piece);
}

void html_put_code(FILE *out, const char *line, size_t length)
{
	size_t shown = length < MOST_CODE ? length : MOST_CODE, from = 0;

	while (shown && shown < length && is_continuation(line[shown]))
		shown--;
	for (size_t i = 0; i < shown; i++) {
		if (line[i] && line[i] != '\t')
			continue;
		put_piece(out, line + from, i - from);
		fputs(line[i] ? "\t" : "\\x00", out);
		from = i + 1;
	}
	put_piece(out, line + from, shown - from);
	if (shown < length)
		fputs("&hellip;", out);
}

void html_put_json_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '<')
			fputs("\\u003c", out);
		else
			putc(*text, out);
}

/* ---- numbers ----------------------------------------------------------------------------- */

void html_put_count(FILE *out, uint64_t count)
{
	char text[COUNT_SIZE];

	fputs(format_count(count, text), out);
}

void html_put_tenths(FILE *out, double value)
{
	uint64_t tenths = (uint64_t)(value * 10 + 0.5);

	html_put_count(out, tenths / 10);
	fprintf(out, ".%u", (unsigned)(tenths % 10));
}

void html_put_size(FILE *out, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned unit = 0;

	while (bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	html_put_count(out, bytes);
	fprintf(out, " %s", units[unit]);
}

void html_put_percent(FILE *out, double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	if (percent > 0 && percent < 0.05)
		fputs("&lt;0.1", out);
	else
		fprintf(out, "%.1f", percent);
}
