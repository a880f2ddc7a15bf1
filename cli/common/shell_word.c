/* SPDX-License-Identifier: MIT */
#include "cli/common/shell_word.h"

#include <string.h>

#include "cli/common/checked.h"

void put_shell_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

char *shell_word(const char *word)
{
	char *text = NULL;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	put_shell_word(out, word);
	if (fclose(out))
		out_of_memory();
	return text;
}
