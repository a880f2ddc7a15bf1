/* SPDX-License-Identifier: MIT */
/* New names for modules, functions, regions, mappings and threads. */
#ifndef ANONYMISED_NAMES_H
#define ANONYMISED_NAMES_H

#include "cli/anonymise/keys.h"
#include "cli/anonymise/levels.h"
#include "traceformat/common/pool.h"

enum { MAX_PUBLIC = 64 };

/* Patterns of the paths of modules that keep their names. */
struct public_modules {
	const char *patterns[MAX_PUBLIC];
	unsigned count;
};

struct names {
	const struct keys *keys;
	enum names_level level;
	const struct public_modules *publics;
	struct pool pool; /* the new names */
	bool was_hashed;  /* the trace was anonymized before: hashed names stay */
	uint64_t renamed, kept;
};

/* How a module is used. */
enum module_use { MODULE_MAIN, MODULE_CODE, MODULE_DATA };

bool is_public_module(const struct public_modules *publics, const char *path);

/* Returns the pointer arguments of a function of the malloc family, as bits; -1: it is none. */
int malloc_family_pointers(const char *name);

/* Returns whether a function of the malloc family returns a pointer. */
bool malloc_family_returns_pointer(const char *name);

/*
 * Each returns a new name, valid until names_free. number: from 1, among things of the kind, for
 * the level drop.
 */
const char *name_module(struct names *names, const struct tf_module *module, enum module_use use,
			unsigned number);
const char *name_function(struct names *names, const char *name);
const char *name_region(struct names *names, const char *name, unsigned number);
const char *name_mapping(struct names *names, const char *name);
const char *name_thread(struct names *names, const char *name, unsigned number);
void names_free(struct names *names);

#endif
