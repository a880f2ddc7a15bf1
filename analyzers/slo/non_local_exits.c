/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/non_local_exits.h"

#include "analyzers/slo/walker.h"
#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

struct landing {
	struct slo_non_local_exit_edge key;
};

/* The landings of all threads. */
struct landings {
	HASH_TABLE(struct landing);
};

static void add(void *opaque, uint32_t from, uint32_t to)
{
	struct landings *landings = opaque;

	checked(TABLE_PUT(*landings, { from, to }));
}

static int follow_thread(struct walker *walker, struct tf_reader *reader, uint32_t thread,
			 struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;

	options.columns = TF_ADDRESSES | TF_EVENTS;
	options.thread = thread;

	int status = tf_cursor_open(reader, &options, &cursor, error);

	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0 || status == TF_E_DAMAGED)
		if (status > 0 && item.kind == TF_ITEM_EVENT)
			walker_event(walker, item.event);
		else if (status > 0)
			for (size_t i = 0; i < item.count; i++)
				walker_enter(walker, &item.blocks[i]);
	tf_cursor_close(cursor);
	return status;
}

static int follow_threads(const struct slo_code *code, struct tf_reader *reader,
			  struct landings *landings, struct tf_error *error)
{
	struct contexts contexts;
	int status = 0;

	contexts_init(&contexts);
	for (uint32_t thread = 0; !status && thread < tf_n_threads(reader); thread++) {
		struct walker walker;

		if (!tf_thread(reader, thread))
			continue;
		walker_init(&walker, code, &contexts);
		walker.landed = add;
		walker.opaque = landings;
		status = follow_thread(&walker, reader, thread, error);
		walker_free(&walker);
	}
	contexts_free(&contexts);
	return status;
}

static int compare_edges(const void *a, const void *b)
{
	const struct slo_non_local_exit_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

int slo_non_local_exit_list(const struct slo_code *code, struct tf_reader *reader,
			    struct slo_non_local_exit *landed, struct tf_error *error)
{
	struct landings landings = { 0 };
	int status = follow_threads(code, reader, &landings, error);

	landed->count = landings.count;
	landed->edges = checked_array(landings.count, sizeof(*landed->edges));
	for (size_t i = 0; i < landings.count; i++)
		landed->edges[i] = landings.at[i].key;
	qsort(landed->edges, landed->count, sizeof(*landed->edges), compare_edges);
	TABLE_FREE(landings);
	return status;
}
