/* SPDX-License-Identifier: MIT */
#include "cli/common/brief_function.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"

static const char ellipsis[] = "...";
enum { ELLIPSIS = sizeof(ellipsis) - 1 };

/* ---- brackets of C++ names --------------------------------------------------------------- */

/* Returns the length of "operator<<" and the like at the beginning, whose signs are no brackets. */
static size_t operator_length(const char *s)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (strncmp(s, word, length))
		return 0;
	if (!strncmp(s + length, "()", 2))
		return length + 2;
	return length + strspn(s + length, "<>=-");
}

/* Returns the length of a text from an opening bracket to the one that closes it; 0: none does. */
static size_t bracket_length(const char *s, char open, char close)
{
	size_t depth = 0;

	for (size_t i = 0; s[i]; i++) {
		size_t skipped = operator_length(s + i);

		if (skipped)
			i += skipped - 1;
		else if (s[i] == open)
			depth++;
		else if (s[i] == close && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Returns whether a bracket has something that is longer than its abbreviation. */
static bool is_worth_it(const char *s, size_t length)
{
	static const char anonymous[] = "(anonymous namespace)";

	return length > ELLIPSIS + 2 && strncmp(s, anonymous, sizeof(anonymous) - 1) != 0;
}

/* Returns whether a bracket behind a text begins arguments; not so in Rust's <T as Trait>::name. */
static bool begins_arguments(const char *text, const char *end)
{
	return end > text && (end[-1] != ' ' || (end - text > 1 && strchr("<>=-", end[-2])));
}

/*
 * Replaces what is in the outermost brackets of this kind by "...", in place. The text behind a
 * bracket that is not closed stays as it is, so that the time is linear.
 */
static void abbreviate(char *name, char open, char close)
{
	char *to = name;
	bool closed = true;

	for (const char *s = name; *s;) {
		size_t skipped = operator_length(s);
		bool opens = closed && !skipped && *s == open && begins_arguments(name, to);
		size_t length = opens ? bracket_length(s, open, close) : 0;

		closed = closed && (!opens || length);
		if (is_worth_it(s, length)) {
			*to++ = open;
			memcpy(to, ellipsis, ELLIPSIS);
			to += ELLIPSIS;
			*to++ = close;
			s += length;
			continue;
		}
		for (skipped += !skipped; skipped; skipped--)
			*to++ = *s++;
	}
	*to = '\0';
}

char *without_arguments(const char *name, size_t width)
{
	char *text = checked_copy(name);

	if (utf8_length(text) > width)
		abbreviate(text, '(', ')');
	if (utf8_length(text) > width)
		abbreviate(text, '<', '>');
	return text;
}

/* ---- the parts of a name, whose arguments are brief ---------------------------------------- */

/* Returns whether a name is one of C++ or Rust, with parts that can be left out. */
static bool has_parts(const char *name)
{
	return *name != '/' && (strstr(name, "::") || strchr(name, '(') || strchr(name, '<'));
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), of_end = strlen(end);

	return length > of_end && !strcmp(name + length - of_end, end);
}

/* Removes the suffix of a clone, " [clone .isra.0]". */
static void drop_clone(char *name)
{
	char *suffix = strstr(name, " [clone ");

	if (suffix && suffix > name)
		*suffix = '\0';
}

/* Returns where the bracket begins that ends a name, or NULL. */
static char *last_bracket(char *name, char open, char close)
{
	char *s = name + strlen(name);
	size_t depth = 0;

	while (s-- > name) {
		depth += *s == close;
		if (*s == open && depth)
			depth--;
		if (!depth)
			return *s == open && s > name ? s : NULL;
	}
	return NULL;
}

/* Removes the list of parameters, and "const" behind it. */
static void drop_parameters(char *name)
{
	static const char qualifier[] = " const", operator[] = "operator()";
	char *begin;

	if (ends_with(name, qualifier))
		name[strlen(name) - strlen(qualifier)] = '\0';
	if (ends_with(name, operator))
		return;
	begin = last_bracket(name, '(', ')');
	if (begin && begin[-1] != ' ')
		*begin = '\0';
}

/* Removes the result type: everything before the last blank that is in no bracket. */
static void drop_result(char *name)
{
	char *s = name + strlen(name);
	long depth = 0;

	if (strstr(name, "operator"))
		return;
	for (; s > name && (depth > 0 || s[-1] != ' '); s--)
		depth += (s[-1] == ')' || s[-1] == '>') - (s[-1] == '(' || s[-1] == '<');
	if (*s != '(')
		memmove(name, s, strlen(s) + 1);
}

/* Replaces namespaces and classes by "...". */
static void drop_namespaces(char *name)
{
	char *last = NULL;
	long depth = 0;

	for (char *s = name; *s; s++) {
		depth += (*s == '<' || *s == '(') - (*s == '>' || *s == ')');
		if (depth <= 0 && !strncmp(s, "::", 2))
			last = s;
		if (!strncmp(s, "operator", strlen("operator")))
			break;
	}
	if (last && last - name > ELLIPSIS) {
		memmove(name + ELLIPSIS, last, strlen(last) + 1);
		memcpy(name, ellipsis, ELLIPSIS);
	}
}

char *brief_function(const char *name, size_t width)
{
	static void (*const drop[])(char *) = { drop_clone, drop_parameters, drop_result,
						drop_namespaces };
	char *brief = without_arguments(name, width);

	for (size_t i = 0; i < sizeof(drop) / sizeof(*drop) && has_parts(brief); i++)
		if (utf8_length(brief) > width)
			drop[i](brief);
	return brief;
}

/* ---- call paths -------------------------------------------------------------------------- */

char *brief_path(const char *path, size_t width)
{
	static const char left_out[] = "...;";
	size_t room = width > sizeof(left_out) ? width - sizeof(left_out) + 1 : width;
	char *rest = checked_copy(path), *brief = NULL, *separator = rest;

	if (utf8_length(path) <= width)
		return rest;
	while (separator) {
		separator = strrchr(rest, ';');
		char *function = brief_function(separator ? separator + 1 : rest, room / 2);
		char *longer = text_format("%s%s%s", function, brief ? ";" : "",
					   brief ? brief : "");

		free(function);
		if (brief && utf8_length(longer) > (separator ? room : width)) {
			free(longer);
			longer = text_format("%s%s", left_out, brief);
			separator = NULL;
		}
		free(brief);
		brief = longer;
		if (separator)
			*separator = '\0';
	}
	free(rest);
	return brief;
}
