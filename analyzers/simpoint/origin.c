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

static struct origin origin_of(struct tf_reader *reader, const char *id)
{
	struct origin origin = { 0 };

	origin_set(&origin, ORIGIN_OWN, id);
	origin_set(&origin, ORIGIN_REPACKED, tf_meta(reader, "repacked-from"));
	origin_set(&origin, ORIGIN_REPAIRED, tf_meta(reader, "repaired-from"));
	return origin;
}

struct origin origin_of_trace(struct tf_reader *reader, const uint8_t uuid[16])
{
	char text[UUID_TEXT];

	return origin_of(reader, uuid_text(uuid, text));
}

/* A slice has the META of its parent, and so what that was repacked or repaired from. */
struct origin origin_of_parent(struct tf_reader *reader)
{
	const char *parent = tf_meta(reader, "slice.parent");
	struct origin origin = { 0 };

	if (!parent)
		return origin;
	origin = origin_of(reader, parent);
	origin_set(&origin, ORIGIN_PROFILE, tf_meta(reader, "slice.profile"));
	return origin;
}
