/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/names.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"

bool is_public_module(const struct public_modules *publics, const char *path)
{
	for (unsigned i = 0; i < publics->count; i++)
		if (fnmatch(publics->patterns[i], path, 0) == 0)
			return true;
	return false;
}

/* ---- the malloc family ------------------------------------------------------------------- */

static const struct family {
	const char *name;
	bool is_prefix;   /* of the names of operators with further arguments */
	bool returns;     /* a pointer */
	uint8_t pointers; /* bit i: argument i is a pointer */
} families[] = {
	{ "malloc", false, true, 0 },
	{ "calloc", false, true, 0 },
	{ "realloc", false, true, 1 },
	{ "free", false, false, 1 },
	{ "memalign", false, true, 0 },
	{ "posix_memalign", false, false, 1 },
	{ "aligned_alloc", false, true, 0 },
	{ "_ZdlPv", true, false, 1 },
	{ "_ZdaPv", true, false, 1 },
	/* The last argument of a nothrow form is a reference. */
	{ "_Znwm", false, true, 0 },
	{ "_Znam", false, true, 0 },
	{ "_ZnwmRKSt9nothrow_t", false, true, 2 },
	{ "_ZnamRKSt9nothrow_t", false, true, 2 },
	{ "_ZnwmSt11align_val_t", false, true, 0 },
	{ "_ZnamSt11align_val_t", false, true, 0 },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", false, true, 4 },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", false, true, 4 },
};

/* Returns true if this may follow the name of an operator delete. */
static bool is_delete_tail(const char *tail)
{
	static const char *const tails[] = { "",
					     "m",
					     "RKSt9nothrow_t",
					     "St11align_val_t",
					     "mSt11align_val_t",
					     "St11align_val_tRKSt9nothrow_t" };

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++)
		if (!strcmp(tail, tails[i]))
			return true;
	return false;
}

static const struct family *family_of(const char *name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		const struct family *f = &families[i];
		size_t size = strlen(f->name);

		if (f->is_prefix ? !strncmp(name, f->name, size) && is_delete_tail(name + size)
				 : !strcmp(name, f->name))
			return f;
	}
	return NULL;
}

int malloc_family_pointers(const char *name)
{
	enum { BEHIND_FIRST_OF_DELETE = 6 };
	const struct family *f = family_of(name);

	if (!f)
		return -1;
	if (f->is_prefix && strstr(name, "nothrow"))
		return f->pointers | BEHIND_FIRST_OF_DELETE;
	return f->pointers;
}

bool malloc_family_returns_pointer(const char *name)
{
	const struct family *f = family_of(name);

	return f && f->returns;
}

/* ---- new names --------------------------------------------------------------------------- */

static char *new_text(struct names *n, size_t size)
{
	return checked(pool_alloc(&n->pool, size));
}

static const char *keep(struct names *n, const char *name)
{
	char *copy = new_text(n, strlen(name) + 1);

	n->kept++;
	return strcpy(copy, name);
}

/* Returns "PREFIX-HASH", or "HASH" if the prefix is empty. A name of this form stays. */
static const char *hash(struct names *n, const char *prefix, const char *kind, const char *name)
{
	size_t size = strlen(prefix) + 1 + HASHED_NAME + 1;
	char *text = new_text(n, size), hashed[HASHED_NAME + 1];
	const char *rest = name;

	n->renamed++;
	if (*prefix && !strncmp(name, prefix, strlen(prefix)) && name[strlen(prefix)] == '-')
		rest += strlen(prefix) + 1;
	if ((!*prefix || rest != name) && keys_is_hashed_name(rest) && n->was_hashed)
		return strcpy(text, name);
	keys_hash_name(n->keys, kind, name, hashed);
	snprintf(text, size, "%s%s%s", prefix, *prefix ? "-" : "", hashed);
	return text;
}

/* Returns "WORD", or "WORDNUMBER" if the number is not 0. */
static const char *number_name(struct names *n, const char *word, unsigned number)
{
	enum { DIGITS = 11 };
	size_t size = strlen(word) + DIGITS;
	char *text = new_text(n, size);

	n->renamed++;
	if (number)
		snprintf(text, size, "%s%u", word, number);
	else
		snprintf(text, size, "%s", word);
	return text;
}

static bool is_system_mapping(const char *name)
{
	static const char *const system[] = { "[heap]", "[stack]", "[vdso]", "[vvar]",
					      "[vsyscall]" };

	for (size_t i = 0; i < sizeof(system) / sizeof(*system); i++)
		if (!strcmp(name, system[i]))
			return true;
	return !*name;
}

const char *name_module(struct names *n, const struct tf_module *module, enum module_use use,
			unsigned number)
{
	static const char *const prefixes[] = { "exe", "lib", "file" };

	if (n->level == NAMES_KEEP || is_public_module(n->publics, module->path) ||
	    is_system_mapping(module->path))
		return keep(n, module->path);
	if (n->level == NAMES_HASH)
		return hash(n, prefixes[use], "module", module->path);
	return number_name(n, prefixes[use], use == MODULE_MAIN ? 0 : number);
}

const char *name_function(struct names *n, const char *name)
{
	if (n->level == NAMES_KEEP || family_of(name))
		return keep(n, name);
	return n->level == NAMES_HASH ? hash(n, "", "function", name) : NULL;
}

const char *name_region(struct names *n, const char *name, unsigned number)
{
	/* trace-cut makes these two. */
	if (n->level == NAMES_KEEP || !strcmp(name, "warmup") || !strcmp(name, "simulation"))
		return keep(n, name);
	return n->level == NAMES_HASH ? hash(n, "", "region", name) : number_name(n, "r", number);
}

const char *name_mapping(struct names *n, const char *name)
{
	if (n->level == NAMES_KEEP || is_system_mapping(name) || is_public_module(n->publics, name))
		return keep(n, name);
	return n->level == NAMES_HASH ? hash(n, "file", "module", name) : number_name(n, "file", 0);
}

const char *name_thread(struct names *n, const char *name, unsigned number)
{
	if (n->level == NAMES_KEEP)
		return keep(n, name);
	return n->level == NAMES_HASH ? hash(n, "", "thread", name) : number_name(n, "t", number);
}

void names_free(struct names *n)
{
	pool_free(&n->pool);
}
