/* SPDX-License-Identifier: MIT */
/* origin.h's part that reads traces. */
#include "analyzers/simpoint/origin.h"

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

	return parent ? origin_of(reader, parent) : (struct origin){ 0 };
}
