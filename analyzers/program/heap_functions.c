/* SPDX-License-Identifier: MIT */
#include "analyzers/program/heap_functions.h"

#include <string.h>

/* A part of a text. */
struct word {
	const char *text;
	size_t length;
};

static enum heap_purpose purpose_in_family(struct word name)
{
	static const struct {
		const char *name;
		bool is_prefix;
		enum heap_purpose purpose;
	} family[] = {
		{ "malloc", false, HEAP_MALLOC },
		{ "calloc", false, HEAP_CALLOC },
		{ "realloc", false, HEAP_REALLOC },
		{ "memalign", false, HEAP_MEMALIGN },
		{ "aligned_alloc", false, HEAP_MEMALIGN },
		{ "free", false, HEAP_FREE },
		{ "_Znwm", true, HEAP_MALLOC },
		{ "_Znam", true, HEAP_MALLOC },
		{ "_ZdlPv", true, HEAP_FREE },
		{ "_ZdaPv", true, HEAP_FREE },
	};

	for (size_t i = 0; i < sizeof(family) / sizeof(family[0]); i++) {
		size_t length = strlen(family[i].name);

		if ((family[i].is_prefix ? name.length >= length : name.length == length) &&
		    !strncmp(name.text, family[i].name, length))
			return family[i].purpose;
	}
	return HEAP_NOTHING;
}

/* Takes the next function of a list, and its purpose, HEAP_NOTHING if that is not known. */
static enum heap_purpose take(const char **list, struct word *name)
{
	const char *end = *list + strcspn(*list, ","), *equals = memchr(*list, '=', end - *list);
	struct word like;

	*name = (struct word){ *list, (size_t)((equals ? equals : end) - *list) };
	like = equals ? (struct word){ equals + 1, (size_t)(end - equals - 1) } : *name;
	*list = *end ? end + 1 : end;
	return name->length ? purpose_in_family(like) : HEAP_NOTHING;
}

unsigned heap_functions_args(enum heap_purpose purpose)
{
	switch (purpose) {
	case HEAP_NOTHING: return 0;
	case HEAP_MALLOC:
	case HEAP_FREE: return 1;
	case HEAP_CALLOC:
	case HEAP_REALLOC:
	case HEAP_MEMALIGN: return 2;
	}
	return 0;
}

bool heap_functions_are_valid(const char *list)
{
	struct word name;
	size_t length = strlen(list);

	if (!length || list[length - 1] == ',')
		return false;
	while (*list)
		if (take(&list, &name) == HEAP_NOTHING)
			return false;
	return true;
}

enum heap_purpose heap_functions_purpose(const char *list, const char *name)
{
	size_t length = strlen(name);

	if (!list)
		return purpose_in_family((struct word){ name, length });
	while (*list) {
		struct word listed;
		enum heap_purpose purpose = take(&list, &listed);

		if (listed.length == length && !memcmp(listed.text, name, length))
			return purpose;
	}
	return HEAP_NOTHING;
}
