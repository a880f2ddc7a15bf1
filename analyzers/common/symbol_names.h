/* SPDX-License-Identifier: MIT */
/* The names of symbols for display: C++ names as in the source, unless mangled names are chosen. */
#ifndef SYMBOL_NAMES_H
#define SYMBOL_NAMES_H

#include <stdbool.h>

#include "traceformat/common/hash_table.h"
#include "traceformat/traceformat.h"

struct named_symbol {
	const struct tf_symbol *key;
	char *name;
};

/* Symbol names; a zeroed struct is empty and demangles names. */
struct symbol_names {
	bool mangled; /* names are as they are in the trace */
	HASH_TABLE(struct named_symbol) names;
};

/* Returns the name, one pointer a symbol, valid until symbol_names_free; NULL for NULL. Memory that
 * is out ends the process. */
const char *symbol_name(struct symbol_names *names, const struct tf_symbol *symbol);

void symbol_names_free(struct symbol_names *names);

/*
 * Returns what a mangled name means, or NULL if it is not mangled. Free it. A name that would
 * become longer than 64 times the mangled one (at least 1024 bytes, at most 64 KiB) stays as it is.
 */
char *demangle_name(const char *name);

#endif
