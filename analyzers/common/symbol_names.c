/* SPDX-License-Identifier: MIT */
#include "analyzers/common/symbol_names.h"

#include <stdlib.h>

#include "analyzers/common/demangle.h"
#include "cli/common/checked.h"

const char *symbol_name(struct symbol_names *n, const struct tf_symbol *symbol)
{
	uint32_t known = n->symbols.count, number;
	char *plain;

	if (!symbol)
		return NULL;
	number = numbering_add(&n->symbols, &symbol, sizeof(symbol));
	if (number < known)
		return n->names[number];
	plain = n->mangled ? NULL : demangle_name(symbol->name);
	n->names = checked(reallocarray(n->names, number + (size_t)1, sizeof(*n->names)));
	n->names[number] = plain ? plain : checked_copy(symbol->name);
	return n->names[number];
}

void symbol_names_free(struct symbol_names *n)
{
	for (uint32_t i = 0; i < n->symbols.count; i++)
		free(n->names[i]);
	free(n->names);
	numbering_free(&n->symbols);
}
