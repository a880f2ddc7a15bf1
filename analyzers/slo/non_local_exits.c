/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/non_local_exits.h"

#include "analyzers/common/workers.h"
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

enum { BATCH = 2048, N_BATCHES = 4 };

/* Executions of a thread, and perhaps an event behind them. */
struct batch {
	size_t count;
	bool has_event;
	struct tf_event event;
	struct walker_execution executions[BATCH];
	uint64_t slots[BATCH]; /* by execution */
};

/* The walk through a thread, behind the decoding of its executions. */
struct follow {
	struct walker walker;
	struct workers *workers;
	struct batch *filling, batches[N_BATCHES];
};

static void walk(void *opaque, unsigned task, unsigned number)
{
	struct follow *follow = opaque;
	struct batch *batch = &follow->batches[number];

	(void)task;
	for (size_t i = 0; i < batch->count; i++)
		walker_enter(&follow->walker, &batch->executions[i], batch->slots[i]);
	if (batch->has_event)
		walker_event(&follow->walker, &batch->event);
}

static void begin_batch(struct follow *follow)
{
	follow->filling = &follow->batches[workers_batch(follow->workers)];
	follow->filling->count = 0;
	follow->filling->has_event = false;
}

static void hand_on(struct follow *follow)
{
	workers_hand_out(follow->workers);
	begin_batch(follow);
}

static void take_item(struct follow *follow, const struct tf_item *item)
{
	if (item->kind == TF_ITEM_EVENT) {
		follow->filling->event = *item->event;
		follow->filling->has_event = true;
		hand_on(follow);
		return;
	}
	for (size_t i = 0; i < item->count; i++) {
		struct batch *batch;

		if (follow->filling->count == BATCH)
			hand_on(follow);
		batch = follow->filling;
		batch->executions[batch->count] = walker_execution(follow->walker.code,
								   &item->blocks[i],
								   &batch->slots[batch->count]);
		batch->count++;
	}
}

static int follow_thread(struct follow *follow, struct tf_reader *reader, uint32_t thread,
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
		if (status > 0)
			take_item(follow, &item);
	tf_cursor_close(cursor);
	return status;
}

static int follow_threads(const struct slo_code *code, struct tf_reader *reader, unsigned jobs,
			  struct landings *landings, struct tf_error *error)
{
	struct follow *follow = checked_array(1, sizeof(*follow));
	struct contexts contexts;
	int status = 0;

	contexts_init(&contexts);
	follow->workers = workers_new(jobs - 1, 1, N_BATCHES, walk, follow);
	begin_batch(follow);
	for (uint32_t thread = 0; !status && thread < tf_n_threads(reader); thread++) {
		if (!tf_thread(reader, thread))
			continue;
		walker_init(&follow->walker, code, &contexts);
		follow->walker.landed = add;
		follow->walker.opaque = landings;
		status = follow_thread(follow, reader, thread, error);
		hand_on(follow);
		workers_finish(follow->workers);
		walker_free(&follow->walker);
	}
	workers_free(follow->workers);
	contexts_free(&contexts);
	free(follow);
	return status;
}

static int compare_edges(const void *a, const void *b)
{
	const struct slo_non_local_exit_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

int slo_non_local_exit_list(const struct slo_code *code, struct tf_reader *reader, unsigned jobs,
			    struct slo_non_local_exit *landed, struct tf_error *error)
{
	struct landings landings = { 0 };
	int status = follow_threads(code, reader, jobs, &landings, error);

	landed->count = landings.count;
	landed->edges = checked_array(landings.count, sizeof(*landed->edges));
	for (size_t i = 0; i < landings.count; i++)
		landed->edges[i] = landings.at[i].key;
	qsort(landed->edges, landed->count, sizeof(*landed->edges), compare_edges);
	TABLE_FREE(landings);
	return status;
}
