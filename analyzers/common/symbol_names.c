/* SPDX-License-Identifier: MIT */
#include "analyzers/common/symbol_names.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

/* ---- demangling -------------------------------------------------------------------------- */

enum { MOST_GROWTH = 64, LEAST_LIMIT = 1024, MOST_LIMIT = 64 * 1024 };

/* The text of a name, which is made in pieces. */
struct plain_name {
	char *text;
	size_t size, room, limit;
	jmp_buf stop;
};

/*
 * Returns the greatest length of a demangled name. Because of substitutions a name of a few bytes
 * may stand for gigabytes, so the mangled length bounds it.
 */
static size_t limit_of(size_t mangled)
{
	size_t limit = mangled < MOST_LIMIT / MOST_GROWTH ? mangled * MOST_GROWTH : MOST_LIMIT;

	return limit < LEAST_LIMIT ? LEAST_LIMIT : limit;
}

/*
 * Appends a piece. Jumps out of the demangler at the limit; the demangler cannot be stopped
 * otherwise, and holds nothing that has to be freed.
 */
static void append(const char *piece, size_t size, void *opaque)
{
	struct plain_name *name = opaque;

	if (size > name->limit - name->size ||
	    !array_reserve(&name->text, &name->room, name->size + size + 1, 1))
		longjmp(name->stop, 1);
	memcpy(name->text + name->size, piece, size);
	name->size += size;
	name->text[name->size] = 0;
}

static bool fill(struct plain_name *name, const char *mangled)
{
	return !setjmp(name->stop) &&
	       cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_TYPES, append, name);
}

static char *demangle_whole(const char *mangled)
{
	struct plain_name name = { .limit = limit_of(strlen(mangled)) };

	if (fill(&name, mangled))
		return name.text;
	free(name.text);
	return NULL;
}

char *demangle_name(const char *name)
{
	const char *suffix = name + strcspn(name, "@"); /* a version, or @plt: not mangled */
	char *mangled, *plain = NULL, *whole;

	if (strncmp(name, "_Z", 2))
		return NULL;
	if (!*suffix)
		return demangle_whole(name);
	mangled = strndup(name, (size_t)(suffix - name));
	if (mangled)
		plain = demangle_whole(mangled);
	if (!plain || asprintf(&whole, "%s%s", plain, suffix) < 0)
		whole = NULL;
	free(plain);
	free(mangled);
	return whole;
}

/* ---- names by symbol --------------------------------------------------------------------- */

const char *symbol_name(struct symbol_names *n, const struct tf_symbol *symbol)
{
	struct named_symbol *named;

	if (!symbol)
		return NULL;
	named = checked(TABLE_PUT(n->names, symbol));
	if (!named->name && !n->mangled)
		named->name = demangle_name(symbol->name);
	if (!named->name)
		named->name = checked_copy(*symbol->name ? symbol->name : "[unknown]");
	return named->name;
}

void symbol_names_free(struct symbol_names *n)
{
	for (size_t i = 0; i < n->names.count; i++)
		free(n->names.at[i].name);
	TABLE_FREE(n->names);
}
