/* SPDX-License-Identifier: MIT */
#include "traceformat/codings/slot_sources.h"

struct slot_place slot_place(path_lookup *lookup, const void *opaque, uint32_t n_paths,
			     uint32_t slot)
{
	uint32_t low = 0, high = n_paths;
	const struct compiled_path *p;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (lookup(opaque, middle)->slot_base <= slot)
			low = middle;
		else
			high = middle;
	}
	p = lookup(opaque, low);
	return (struct slot_place){ p, slot - p->slot_base };
}

void slot_sources_spare_reps(struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			     uint32_t n_paths)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < sources->count; i++) {
		struct slot_place p = slot_place(lookup, opaque, n_paths, sources->at[i].slot);

		if (!path_reps_take(p.path, p.slot))
			sources->at[n++] = sources->at[i];
	}
	sources->count = n;
}

static void apply(struct slot_states *states, uint32_t slot, uint32_t source)
{
	states->source[slot] = (int32_t)(source - slot);
	states->sourced = true;
}

void slot_sources_apply(const struct slot_sources *sources, struct slot_states *states)
{
	for (uint32_t i = 0; i < sources->count; i++)
		apply(states, sources->at[i].slot, sources->at[i].source);
}

void slot_sources_write(const struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			uint32_t n_paths, struct buffer *column)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < sources->count; i++) {
		struct slot_place p = slot_place(lookup, opaque, n_paths, sources->at[i].slot);
		struct slot_place from = slot_place(lookup, opaque, n_paths, sources->at[i].source);

		put_varint(column, p.path->path.id - before);
		put_varint(column, p.slot);
		put_svarint(column, (int64_t)from.path->path.id - p.path->path.id);
		put_varint(column, from.slot);
		before = p.path->path.id;
	}
}

/* Returns true if the path has the slot and the slot's place can be stored as a distance. */
static bool exists(const struct compiled_path *path, uint64_t slot)
{
	return path && slot < path->path.n_slots &&
	       path->slot_base <= INT32_MAX - TF_MAX_PATH_SLOTS;
}

bool slot_sources_read(struct span s, path_lookup *lookup, const void *opaque,
		       struct slot_states *states)
{
	uint64_t id = 0, before = 0;

	while (!s.bad && s.at < s.end) {
		uint64_t distance = take_varint(&s), slot = take_varint(&s);
		int64_t to = take_svarint(&s);
		uint64_t source = take_varint(&s), from;
		const struct compiled_path *p, *q;

		if (distance >= TF_NONE - id)
			return false;
		id += distance;
		from = id + (uint64_t)to;
		p = lookup(opaque, (uint32_t)id);
		q = from < TF_NONE ? lookup(opaque, (uint32_t)from) : NULL;
		if (!exists(p, slot) || !exists(q, source) || (p == q && source >= slot) ||
		    p->slot_base + slot < before)
			return false;
		apply(states, p->slot_base + (uint32_t)slot, q->slot_base + (uint32_t)source);
		states->reps_sourced |= path_reps_take(p, (uint32_t)slot);
		before = p->slot_base + slot + 1;
	}
	return !s.bad;
}
