/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a path follow each other in the static code, so each path is examined once. From
 * one path to the next, only exits that end with an indirect transfer are examined.
 */
#include "analyzers/slo/transfers.h"

#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/tracewriter.h"

struct indirect_exit {
	uint32_t path;   /* the exit's path */
	uint32_t from;   /* its last block, if that ends with an indirect transfer, else SLO_NONE */
	uint32_t latest; /* the latest block that followed, or SLO_NONE */
};

struct found_transfer {
	struct slo_transfer key;
};

struct search {
	const struct tf_reader *reader;
	struct indirect_exit *exits; /* by exit */
	HASH_TABLE(struct found_transfer) found;
};

static bool is_indirect(const struct tf_reader *reader, uint32_t block)
{
	const struct tf_block *b = tf_block(reader, block);

	return b && (b->end == TF_END_INDIRECT_JUMP || b->end == TF_END_INDIRECT_CALL ||
		     b->end == TF_END_RETURN);
}

static void add(struct search *s, uint32_t from, uint32_t to)
{
	if (tf_block(s->reader, to))
		checked(TABLE_PUT(s->found, { from, to }));
}

static void read_path(struct search *s, const struct tf_path *path)
{
	struct indirect_exit *exits = &s->exits[path->first_exit];

	for (unsigned i = 0; i + 1u < path->n_blocks; i++)
		if (is_indirect(s->reader, path->blocks[i]))
			add(s, path->blocks[i], path->blocks[i + 1]);
	for (uint32_t i = 0; i <= path->n_exits; i++)
		exits[i].path = path->id;
	for (uint32_t i = 0; i < path->n_exits; i++) {
		uint32_t last = path->blocks[path->exits[i].n_blocks - 1];

		if (is_indirect(s->reader, last))
			exits[i].from = last;
	}
}

static void read_item(struct search *s, const struct tf_item *item, uint32_t *before)
{
	for (size_t i = 0; i < item->count; i++) {
		uint32_t exit = item->paths[i].exit;
		struct indirect_exit *left = *before == SLO_NONE ? NULL : &s->exits[*before];

		if (left && left->from != SLO_NONE) {
			uint32_t to = tf_path(s->reader, s->exits[exit].path)->blocks[0];

			if (left->latest != to)
				add(s, left->from, to);
			left->latest = to;
		}
		*before = exit;
	}
}

/* Returns true if the paths before and after an event do not follow each other. */
static bool separates(const struct tf_event *event)
{
	return event->kind == TF_EVENT_SIGNAL || event->kind == TF_EVENT_SIGRETURN ||
	       event->kind == TF_EVENT_GAP;
}

static int read_thread(struct search *s, struct tf_reader *reader, uint32_t thread,
		       struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	uint32_t before = SLO_NONE;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = thread;

	int status = tf_cursor_open(reader, &options, &cursor, error);

	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0 || status == TF_E_DAMAGED)
		if (status < 0 || (item.kind == TF_ITEM_EVENT && separates(item.event)))
			before = SLO_NONE;
		else if (item.kind == TF_ITEM_PATHS)
			read_item(s, &item, &before);
	tf_cursor_close(cursor);
	return status;
}

static struct indirect_exit *new_exits(uint32_t count)
{
	struct indirect_exit *exits = checked_array(count, sizeof(*exits));

	for (uint32_t i = 0; i < count; i++)
		exits[i] = (struct indirect_exit){ SLO_NONE, SLO_NONE, SLO_NONE };
	return exits;
}

int slo_transfers_list(struct tf_reader *reader, struct slo_transfer **transfers, size_t *count,
		       struct tf_error *error)
{
	struct search s = { .reader = reader, .exits = new_exits(tf_n_exits(reader)) };
	int status = 0;

	for (uint32_t id = 0; id < tf_n_paths(reader); id++)
		if (tf_path(reader, id))
			read_path(&s, tf_path(reader, id));
	for (uint32_t thread = 0; !status && thread < tf_n_threads(reader); thread++)
		if (tf_thread(reader, thread))
			status = read_thread(&s, reader, thread, error);
	*count = s.found.count;
	*transfers = checked_array(*count, sizeof(**transfers));
	for (size_t i = 0; i < s.found.count; i++)
		(*transfers)[i] = s.found.at[i].key;
	TABLE_FREE(s.found);
	free(s.exits);
	return status;
}
