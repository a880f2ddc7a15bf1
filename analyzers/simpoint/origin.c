/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/origin.h"

#include <ctype.h>
#include <string.h>

void origin_set(struct origin *origin, enum origin_id which, const char *uuid)
{
	char *id = origin->ids[which];
	size_t n = 0;

	for (; uuid && *uuid && n < UUID_TEXT - 1; uuid++)
		if (*uuid != '-')
			id[n++] = (char)tolower((unsigned char)*uuid);
	id[n] = '\0';
}

bool origins_differ(const struct origin *a, const struct origin *b)
{
	if (!*a->ids[ORIGIN_OWN] || !*b->ids[ORIGIN_OWN])
		return false;
	for (int i = 0; i < ORIGIN_IDS; i++)
		for (int k = 0; k < ORIGIN_IDS; k++)
			if (*a->ids[i] && !strcmp(a->ids[i], b->ids[k]))
				return false;
	return true;
}
