/* SPDX-License-Identifier: MIT */
#include "cli/common/checked.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void out_of_memory(void)
{
	fprintf(stderr, "%s: error: out of memory\n", program_invocation_short_name);
	exit(EXIT_FAILURE);
}

char *checked_copy(const char *s)
{
	return s ? checked(strdup(s)) : NULL;
}

char *text_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		out_of_memory();
	va_end(arguments);
	return text;
}
