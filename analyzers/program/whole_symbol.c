/* SPDX-License-Identifier: MIT */
#include "analyzers/program/whole_symbol.h"

#include <string.h>

/* Returns the symbol of that module whose name is the first `length` bytes, or NULL. */
static const struct tf_symbol *symbol_named(const struct tf_reader *reader, uint32_t module,
					    const char *name, size_t length)
{
	size_t count;
	const struct tf_symbol *symbols = tf_symbols(reader, module, &count);

	for (size_t i = 0; i < count; i++)
		if (!strncmp(symbols[i].name, name, length) && !symbols[i].name[length])
			return &symbols[i];
	return NULL;
}

const struct tf_symbol *whole_symbol(const struct tf_reader *reader, uint32_t module,
				     const struct tf_symbol *symbol)
{
	static const char cold[] = ".cold";
	const char *suffix = symbol ? strstr(symbol->name, cold) : NULL;
	const struct tf_symbol *whole = NULL;

	if (suffix && (!suffix[sizeof(cold) - 1] || suffix[sizeof(cold) - 1] == '.'))
		whole = symbol_named(reader, module, symbol->name, (size_t)(suffix - symbol->name));
	return whole ? whole : symbol;
}
