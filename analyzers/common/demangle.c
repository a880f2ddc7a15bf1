/* SPDX-License-Identifier: MIT */
#include "analyzers/common/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, 3.4: abi::__cxa_demangle. */
typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	demangler *found = NULL;
	void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

	memcpy(&found, &symbol, sizeof(found));
	return found;
}

static char *demangle_whole(const char *name)
{
	static demangler *demangle;
	static int looked;
	int status;

	if (!looked)
		demangle = find_demangler();
	looked = 1;
	return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

char *demangle_name(const char *name)
{
	const char *suffix = name + strcspn(name, "@");	/* a version, or @plt: not mangled */
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
