/* SPDX-License-Identifier: MIT */
#include "analyzers/common/executed.h"

#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/tracesamples.h"

/* How often executions were interrupted before a place, and how often executions began there. */
struct visits {
	struct code_place key;
	struct code_point point;
	uint64_t interruptions, begins;
};

/* A partial execution of a path. */
struct partial {
	struct {
		uint32_t path, executed;
	} key;
	uint64_t times;
};

struct counts {
	const struct tf_reader *reader;
	uint64_t *begins; /* executions by path */
	uint32_t n_exits;
	uint64_t *times; /* by exit: of executions that are not partial */
	bool *partial;   /* by exit: its executions are */
	HASH_TABLE(struct partial) partials;
	HASH_TABLE(struct visits) places;
};

static void find_partial(struct counts *c)
{
	struct tf_exit_info info;

	for (uint32_t exit = 0; exit < c->n_exits; exit++)
		c->partial[exit] = tf_exit(c->reader, exit, &info) && info.outcome == TF_PARTIAL;
}

static void count(struct counts *c, uint32_t exit, uint32_t executed, uint64_t times)
{
	struct tf_exit_info info;
	struct partial *partial;

	if (exit >= c->n_exits)
		return;
	if (!c->partial[exit]) { /* by far the most */
		c->times[exit] += times;
		return;
	}
	if (!tf_exit(c->reader, exit, &info))
		return;
	c->begins[info.path->id] += times;
	partial = TABLE_PUT(c->partials, ((typeof(partial->key)){ info.path->id, executed }));
	((struct partial *)checked(partial))->times += times;
}

static bool count_executions(struct counts *c, struct tf_reader *reader)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;
	int status = 1;

	options.view = TF_VIEW_PATHS;
	for (uint32_t thread = 0; thread < tf_n_threads(reader); thread++) {
		options.thread = thread;
		if (tf_cursor_open(reader, &options, &cursor, &error) < 0) {
			command_error("%s", error.text);
			return false;
		}
		/* A damaged chunk is reported when the trace is replayed. */
		while ((status = tf_next(cursor, &item, NULL)) != 0)
			for (size_t i = 0;
			     status > 0 && item.kind == TF_ITEM_PATHS && i < item.count; i++)
				count(c, item.paths[i].exit, item.paths[i].executed, 1);
		tf_cursor_close(cursor);
	}
	return true;
}

static bool count_vectors(struct counts *c, struct tf_reader *reader, unsigned jobs)
{
	struct tf_vectors *vectors;
	struct tf_vector vector;
	struct tf_error error;
	int status;

	if (tf_vectors_open(reader, &vectors, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	tf_vectors_read_ahead(vectors, jobs - 1, true);
	/* Damage is reported when the vectors are analyzed. */
	while ((status = tf_vectors_next(vectors, &vector, NULL)) != 0)
		for (size_t i = 0; status > 0 && i < vector.n_counts; i++)
			count(c, vector.counts[i].exit, vector.counts[i].executed,
			      vector.counts[i].times);
	tf_vectors_close(vectors);
	return true;
}

static struct visits *visits_at(struct counts *c, const struct tf_block *block, unsigned insn)
{
	struct code_place place = code_place_at(block, block->insns[insn].offset);
	struct visits *v = checked(TABLE_PUT(c->places, place));

	v->point = (struct code_point){ block->id, insn };
	return v;
}

/*
 * Marks the blocks of a path's first instructions, and notes where control arrived by a transfer.
 */
static void mark_path(struct counts *c, struct executed *e, const struct tf_path *path,
		      uint32_t executed)
{
	const struct tf_block *last = NULL;

	for (unsigned i = 0; executed && i < path->n_blocks; i++) {
		const struct tf_block *block = tf_block(c->reader, path->blocks[i]);

		uint32_t n = executed < block->n_insns ? executed : block->n_insns;

		if (e->reached[block->id] < n)
			e->reached[block->id] = n;
		if (last && !falls_through(last))
			visits_at(c, block, 0)->begins = UINT64_MAX / 2;
		executed -= n;
		last = block;
	}
}

/* Notes an interruption before an instruction of the path. Behind its last one there is none. */
static void add_interruption(struct counts *c, const struct tf_path *path, uint32_t executed,
			     uint64_t times)
{
	for (unsigned i = 0; i < path->n_blocks; i++) {
		const struct tf_block *block = tf_block(c->reader, path->blocks[i]);

		if (executed < block->n_insns) {
			visits_at(c, block, executed)->interruptions += times;
			return;
		}
		executed -= block->n_insns;
	}
}

static void take_counts(struct counts *c, struct executed *e)
{
	const struct tf_reader *r = c->reader;
	struct tf_exit_info info;

	for (uint32_t exit = 0; exit < tf_n_exits(r); exit++)
		if (c->times[exit] && tf_exit(r, exit, &info))
			c->begins[info.path->id] += c->times[exit];
	for (uint32_t id = 0; id < tf_n_paths(r); id++)
		if (tf_path(r, id) && c->begins[id])
			visits_at(c, tf_block(r, tf_path(r, id)->blocks[0]), 0)->begins +=
				c->begins[id];
	for (uint32_t exit = 0; exit < tf_n_exits(r); exit++)
		if (c->times[exit] && tf_exit(r, exit, &info))
			mark_path(c, e, info.path, info.n_insns);
	for (size_t i = 0; i < c->partials.count; i++) {
		const struct partial *p = &c->partials.at[i];
		const struct tf_path *path = tf_path(r, p->key.path);

		mark_path(c, e, path, p->key.executed);
		add_interruption(c, path, p->key.executed, p->times);
	}
	e->resumed = checked_array(c->places.count + 1, sizeof(*e->resumed));
	for (size_t i = 0; i < c->places.count; i++) {
		const struct visits *v = &c->places.at[i];

		if (v->interruptions && v->begins <= v->interruptions)
			e->resumed[e->n_resumed++] = v->point;
	}
}

bool executed_find(struct tf_reader *reader, bool vectors, unsigned jobs, struct executed *e)
{
	struct counts c = {
		.reader = reader,
		.begins = checked_array(tf_n_paths(reader) + 1u, sizeof(*c.begins)),
		.n_exits = tf_n_exits(reader),
		.times = checked_array(tf_n_exits(reader) + 1u, sizeof(*c.times)),
		.partial = checked_array(tf_n_exits(reader) + 1u, sizeof(*c.partial)),
	};
	bool found;

	find_partial(&c);
	*e = (struct executed){ .reached = checked_array(tf_n_blocks(reader) + 1u,
							 sizeof(*e->reached)) };
	found = vectors ? count_vectors(&c, reader, jobs) : count_executions(&c, reader);
	if (found)
		take_counts(&c, e);
	free(c.begins);
	free(c.times);
	free(c.partial);
	TABLE_FREE(c.partials);
	TABLE_FREE(c.places);
	return found;
}

void executed_free(struct executed *e)
{
	free(e->reached);
	free(e->resumed);
	*e = (struct executed){ 0 };
}
