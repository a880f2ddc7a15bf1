/* SPDX-License-Identifier: MIT */
#include "analyzers/common/pack.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

enum { PACK_SIZE = 1 << 17 }; /* bytes */

/* A copy of an item, followed by the data to which it points. */
struct copy {
	size_t size; /* bytes, with what is behind */
	int status;
	struct tf_item item; /* without an error */
};

static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

struct pack *pack_new(void)
{
	struct pack *pack = checked(malloc(sizeof(*pack) + PACK_SIZE));

	*pack = (struct pack){ .size = PACK_SIZE };
	return pack;
}

/* ---- what an item points to -------------------------------------------------------------- */

static size_t executions_size(const struct tf_item *item)
{
	switch (item->kind) {
	case TF_ITEM_PATHS: return item->count * sizeof(*item->paths);
	case TF_ITEM_BLOCKS: return item->count * sizeof(*item->blocks);
	case TF_ITEM_INSNS: return item->count * sizeof(*item->insns);
	default: return 0;
	}
}

static const char *path_of(const struct tf_event *event)
{
	return event->kind == TF_EVENT_EXEC ? event->exec.path : NULL;
}

static size_t event_size(const struct tf_event *event)
{
	const char *path = path_of(event);

	return aligned(sizeof(*event)) + aligned(event->payload_size) +
	       (path ? aligned(strlen(path) + 1) : 0);
}

static size_t copy_size(int status, const struct tf_item *item)
{
	size_t size = aligned(sizeof(struct copy));

	if (status < 0)
		return size + aligned(sizeof(struct tf_error));
	if (item->kind == TF_ITEM_EVENT)
		return size + event_size(item->event);
	return size + aligned(executions_size(item)) + item->n_values * sizeof(*item->values);
}

static void *append(struct pack *pack, const void *data, size_t size)
{
	void *place = pack->bytes + pack->used;

	if (size)
		memcpy(place, data, size);
	pack->used += aligned(size);
	return place;
}

static void put_event(struct pack *pack, struct tf_item *item)
{
	struct tf_event *event = append(pack, item->event, sizeof(*event));
	const char *path = path_of(event);

	event->payload = append(pack, event->payload, event->payload_size);
	if (path)
		event->exec.path = append(pack, path, strlen(path) + 1);
	item->event = event;
}

/* Returns the place of a value's copy. */
static const uint64_t *moved(const struct tf_item *from, const uint64_t *values,
			     const uint64_t *value)
{
	return value ? values + (value - from->values) : NULL;
}

static void put_executions(struct pack *pack, struct tf_item *item)
{
	struct tf_item from = *item;
	void *executions = append(pack, from.paths, executions_size(&from));
	const uint64_t *values = append(pack, from.values, from.n_values * sizeof(*values));
	struct tf_block_exec *blocks = executions;
	struct tf_insn_exec *insns = executions;

	for (size_t i = 0; from.kind == TF_ITEM_BLOCKS && i < from.count; i++)
		blocks[i].values = moved(&from, values, blocks[i].values);
	for (size_t i = 0; from.kind == TF_ITEM_INSNS && i < from.count; i++)
		insns[i].values = moved(&from, values, insns[i].values);
	item->paths = executions;
	item->values = values;
	item->repetitions = moved(&from, values, from.repetitions);
}

/* ---- the pack ---------------------------------------------------------------------------- */

bool pack_put(struct pack **pack, int status, const struct tf_item *item,
	      const struct tf_error *error)
{
	size_t size = copy_size(status, item);
	struct pack *p = *pack;

	if (size > p->size - p->used) {
		if (p->used)
			return false;
		p = *pack = checked(realloc(p, sizeof(*p) + size));
		p->size = size;
	}
	struct copy *copy = append(p, &(struct copy){ .size = size, .status = status },
				   sizeof(*copy));

	if (status < 0) {
		append(p, error, sizeof(*error));
		return true;
	}
	copy->item = *item;
	if (item->kind == TF_ITEM_EVENT)
		put_event(p, &copy->item);
	else
		put_executions(p, &copy->item);
	return true;
}

int pack_get(const struct pack *pack, size_t *at, struct tf_item *item, struct tf_error *error)
{
	const struct copy *copy = (const struct copy *)(pack->bytes + *at);

	if (*at == pack->used)
		return 0;
	*at += copy->size;
	if (copy->status < 0)
		memcpy(error, copy + 1, sizeof(*error));
	else
		*item = copy->item;
	return copy->status;
}
