/* SPDX-License-Identifier: MIT */
/*
 * Within a path they are static; from one path to the next only exits after indirect transfers are
 * examined.
 */
#include "analyzers/slo/transfers.h"

#include "analyzers/common/numbering.h"
#include "cli/common/checked.h"
#include "traceformat/tracewriter.h"

struct indirect_exits {
	const struct tf_reader *reader;
	uint32_t *
		from; /* by exit: the last block, if it ends with an indirect transfer, else SLO_NONE */
	uint32_t *path_of; /* by exit */
	uint32_t *latest;  /* by exit: the latest block that followed, or SLO_NONE */
	struct numbering pairs;
};

static bool is_indirect(const struct tf_reader *reader, uint32_t block)
{
	const struct tf_block *b = tf_block(reader, block);

	return b && (b->end == TF_END_INDIRECT_JUMP || b->end == TF_END_INDIRECT_CALL ||
		     b->end == TF_END_RETURN);
}

static void add(struct indirect_exits *exits, uint32_t from, uint32_t to)
{
	const struct slo_transfer pair = { from, to };

	if (tf_block(exits->reader, to))
		numbering_add(&exits->pairs, &pair, sizeof(pair));
}

static void read_path(struct indirect_exits *exits, const struct tf_path *path)
{
	for (unsigned i = 0; i + 1u < path->n_blocks; i++)
		if (is_indirect(exits->reader, path->blocks[i]))
			add(exits, path->blocks[i], path->blocks[i + 1]);
	for (uint32_t i = 0; i <= path->n_exits; i++)
		exits->path_of[path->first_exit + i] = path->id;
	for (uint32_t i = 0; i < path->n_exits; i++) {
		uint32_t last = path->blocks[path->exits[i].n_blocks - 1];

		if (is_indirect(exits->reader, last))
			exits->from[path->first_exit + i] = last;
	}
}

static void read_item(struct indirect_exits *exits, const struct tf_item *item, uint32_t *before)
{
	for (size_t i = 0; i < item->count; i++) {
		uint32_t exit = item->paths[i].exit;

		if (*before != SLO_NONE && exits->from[*before] != SLO_NONE) {
			uint32_t to = tf_path(exits->reader, exits->path_of[exit])->blocks[0];

			if (exits->latest[*before] != to)
				add(exits, exits->from[*before], to);
			exits->latest[*before] = to;
		}
		*before = exit;
	}
}

/* Reads a thread. Paths with a signal or a gap between them did not follow each other. */
static int read_thread(struct indirect_exits *exits, struct tf_reader *reader, uint32_t thread,
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
		if (status < 0 ||
		    (item.kind == TF_ITEM_EVENT &&
		     (item.event->kind == TF_EVENT_SIGNAL ||
		      item.event->kind == TF_EVENT_SIGRETURN || item.event->kind == TF_EVENT_GAP)))
			before = SLO_NONE;
		else if (item.kind == TF_ITEM_PATHS)
			read_item(exits, &item, &before);
	tf_cursor_close(cursor);
	return status;
}

static uint32_t *all_none(size_t count)
{
	uint32_t *numbers = checked_array(count, sizeof(*numbers));

	for (size_t i = 0; i < count; i++)
		numbers[i] = SLO_NONE;
	return numbers;
}

int slo_transfers_list(struct tf_reader *reader, struct slo_transfer **transfers, size_t *count,
		       struct tf_error *error)
{
	uint32_t n_exits = tf_n_exits(reader);
	struct indirect_exits exits = {
		.reader = reader,
		.from = all_none(n_exits),
		.path_of = all_none(n_exits),
		.latest = all_none(n_exits),
	};
	int status = 0;

	for (uint32_t id = 0; id < tf_n_paths(reader); id++)
		if (tf_path(reader, id))
			read_path(&exits, tf_path(reader, id));
	for (uint32_t thread = 0; !status && thread < tf_n_threads(reader); thread++)
		if (tf_thread(reader, thread))
			status = read_thread(&exits, reader, thread, error);
	*count = exits.pairs.count;
	*transfers = checked_array(*count, sizeof(**transfers));
	for (uint32_t i = 0; i < exits.pairs.count; i++)
		(*transfers)[i] = *(const struct slo_transfer *)numbering_key(&exits.pairs, i);
	numbering_free(&exits.pairs);
	free(exits.from);
	free(exits.path_of);
	free(exits.latest);
	return status;
}
