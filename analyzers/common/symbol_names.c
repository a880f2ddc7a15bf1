/* SPDX-License-Identifier: MIT */
#include "analyzers/common/symbol_names.h"

#include <stdlib.h>

#include "analyzers/common/demangle.h"
#include "cli/common/checked.h"

const char *symbol_name(struct symbol_names *n, const struct tf_symbol *symbol)
{
	struct named_symbol *named;

	if (!symbol)
		return NULL;
	named = checked(TABLE_PUT(n->names, symbol));
	if (!named->name && !n->mangled)
		named->name = demangle_name(symbol->name);
	if (!named->name)
		named->name = checked_copy(symbol->name);
	return named->name;
}

void symbol_names_free(struct symbol_names *n)
{
	for (size_t i = 0; i < n->names.count; i++)
		free(n->names.at[i].name);
	TABLE_FREE(n->names);
}
