/* SPDX-License-Identifier: MIT */
#include "cli/common/write_page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* The assembler copies the page into the object file, with a NUL behind it. */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	".global report_page\n"
	".hidden report_page\n"
	".type report_page, @object\n"
	"report_page: .incbin \"" REPORT_PAGE "\"\n"
	".byte 0\n"
	".size report_page, . - report_page\n"
	".popsection\n");
/* clang-format on */
extern const char report_page[];

static const char mark[] = "@DATA@";

/* Six digits are enough for a chart; integers are exact. */
#define JSON_FLAGS (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6))

static bool has_meaning(char c)
{
	return c == '<' || c == '>' || c == '&';
}

/* Writes JSON in which no character has a meaning in HTML: it only has these within strings. */
static void put_inert(FILE *out, const char *text)
{
	for (; *text; text++)
		if (has_meaning(*text))
			fprintf(out, "\\u%04x", (unsigned)*text);
		else
			putc_unlocked(*text, out);
}

void write_page(FILE *out, const json_t *document)
{
	const char *place = strstr(report_page, mark);
	char *text = checked(json_dumps(document, JSON_FLAGS));

	fwrite(report_page, 1, (size_t)(place - report_page), out);
	put_inert(out, text);
	fputs(place + strlen(mark), out);
	free(text);
}

size_t document_size(const json_t *document)
{
	char *text = checked(json_dumps(document, JSON_FLAGS));
	size_t size = strlen(text);

	for (const char *at = text; *at; at++)
		size += has_meaning(*at) ? strlen("\\u0000") - 1 : 0;
	free(text);
	return size;
}

size_t page_size(void)
{
	return strlen(report_page);
}
