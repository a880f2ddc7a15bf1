/* SPDX-License-Identifier: MIT */
#include "cli/compare/names.h"

#include <ctype.h>
#include <string.h>

/* Returns whether an ending ".isra.0" begins at the text: a word of compilers, then numbers. */
static bool is_clone_ending(const char *text, size_t length)
{
	static const char *const words[] = { ".isra",     ".constprop",  ".part",  ".cold",
					     ".lto_priv", ".localalias", ".clone", ".llvm" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (length < n || memcmp(text, words[i], n))
			continue;
		while (n < length && (text[n] == '.' || isdigit((unsigned char)text[n])))
			n++;
		if (n == length)
			return true;
	}
	return false;
}

/* Returns the length without the last ending of a clone, or the same length. */
static size_t without_ending(const char *name, size_t length)
{
	for (size_t i = length; i-- > 1;)
		if (name[i] == '.' && is_clone_ending(name + i, length - i))
			return i;
	return length;
}

size_t stable_function_name(const char *name)
{
	const char *clone = strstr(name, " [clone ");
	const char *version = strchr(name, '@');
	size_t length = clone ? (size_t)(clone - name) : strlen(name), shorter;

	if (version && version > name && version < name + length && strncmp(version, "@plt", 4))
		length = (size_t)(version - name);
	while ((shorter = without_ending(name, length)) < length)
		length = shorter;
	return length;
}

static bool is_version_character(char c)
{
	return isdigit((unsigned char)c) || c == '.';
}

size_t stable_module_name(const char *name)
{
	const char *so = strstr(name, ".so");
	size_t length, all = strlen(name);

	if (!so || so == name || (so[3] && so[3] != '.'))
		return all;
	length = (size_t)(so - name);
	while (length > 1 && is_version_character(name[length - 1]))
		length--;
	if (length > 1 && name[length - 1] == '-')
		return length - 1;
	return (size_t)(so - name) + 3;
}

bool is_place(const char *name, const char *module)
{
	size_t n = strlen(module);
	const char *digits = name + n + 3;

	if (strncmp(name, module, n) || strncmp(name + n, "+0x", 3) || !*digits)
		return false;
	return digits[strspn(digits, "0123456789abcdef")] == '\0';
}
