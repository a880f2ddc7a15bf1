/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/symbol_names.h"
#include "cli/common/escape.h"

/*
 * Writes the last part of a module's path on one line; a colon, which ends fields, becomes an
 * underscore.
 */
static void put_module(const struct tf_module *module, FILE *out)
{
	const char *slash = strrchr(module->path, '/');
	char *name = escape_text(slash && slash[1] ? slash + 1 : module->path);

	for (const char *c = name; *c; c++)
		putc(*c == ':' ? '_' : *c, out);
	free(name);
}

/*
 * Returns true for a name that was made for a function without a symbol; exp-bbv has no name there.
 */
static bool is_made(const struct tf_symbol *symbol)
{
	return symbol && strstr(symbol->name, "+0x");
}

static void put_function(const struct bbv_names *names, const struct bbv_start *start, FILE *out)
{
	const struct tf_symbol *symbol = tf_symbol(names->reader, start->module,
						   start->module_offset);
	if (is_made(symbol))
		symbol = NULL;

	char *plain = symbol && names->demangled ? demangle_name(symbol->name) : NULL;
	char *shown = escape_text(plain ? plain : symbol ? symbol->name : "");

	fprintf(out, ":%s\n", shown);
	free(shown);
	free(plain);
}

static void put_memory(const struct bbv_names *names, uint64_t part, FILE *out)
{
	if (names->memory == BBV_PAGES)
		fprintf(out, "%" PRIx64 ":page\n", part * BBV_PAGE);
	else if (part > names->n_levels)
		fprintf(out, "%" PRIu64 ":memory\n", part);
	else
		fprintf(out, "%" PRIu64 ":L%" PRIu64 "\n", part, part);
}

void bbv_write_places(const struct bbv_names *names, struct bbv *bbv, FILE *out)
{
	const uint32_t *ids = bbv_sorted(bbv);

	for (uint32_t i = 0; i < bbv_count(bbv); i++) {
		const struct bbv_start *start = bbv_start(bbv, ids[i]);
		const struct tf_module *module = tf_module(names->reader, start->module);

		fprintf(out, "%c:%" PRIu32 ":", start->module == BBV_MEMORY ? 'M' : 'F', ids[i]);
		if (start->module == BBV_MEMORY) {
			put_memory(names, start->pc, out);
			continue;
		}
		if (names->by_offset && module) {
			put_module(module, out);
			fprintf(out, "+%" PRIx64, start->module_offset);
		} else {
			fprintf(out, "%" PRIx64, start->pc);
		}
		put_function(names, start, out);
	}
}
