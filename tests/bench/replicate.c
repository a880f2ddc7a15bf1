/* SPDX-License-Identifier: MIT */
/*
 * replicate - writes a trace whose streams are those of another trace, N times over, with its
 * events, addresses and order of threads: long traces for measuring replay, made of real
 * executions. Every block becomes a path of its own whose slots are its values, as the step
 * backend writes them.
 *
 * usage: replicate SOURCE N TARGET
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "traceformat/tracewriter.h"

struct copy {
	struct tf_reader *reader;
	struct tf_writer *writer;
	struct tf_stream **streams; /* by thread */
	uint64_t *position;         /* by thread: ordinal reached in the original */
	uint32_t *first_exit;       /* by block */
	struct tf_error error;
};

/* Ends the program if a call of the library failed. */
static void check(struct copy *c, int status)
{
	if (status < 0)
		errx(1, "%s", c->error.text);
}

static void copy_names(struct copy *c)
{
	struct tf_reader *r = c->reader;
	struct tf_writer *w = c->writer;
	const char *key, *value;

	for (size_t i = 0; (key = tf_meta_at(r, i, &value)); i++)
		check(c, tf_writer_meta(w, key, value, &c->error));
	for (uint32_t i = 0; tf_module(r, i); i++) {
		size_t count;
		const struct tf_symbol *symbols = tf_symbols(r, i, &count);

		check(c, tf_writer_add_module(w, tf_module(r, i), NULL, &c->error));
		check(c, tf_writer_add_symbols(w, i, symbols, count, &c->error));
	}
	for (uint32_t i = 0; tf_process(r, i); i++)
		check(c, tf_writer_add_process(w, tf_process(r, i), NULL, &c->error));
	for (uint32_t i = 0; tf_thread(r, i); i++)
		check(c, tf_writer_add_thread(w, tf_thread(r, i), NULL, &c->error));
	for (uint32_t i = 0; tf_function(r, i); i++)
		check(c, tf_writer_add_function(w, tf_function(r, i), NULL, &c->error));
	for (uint32_t i = 0; tf_mapping(r, i); i++)
		check(c, tf_writer_add_mapping(w, tf_mapping(r, i), NULL, &c->error));
	for (uint32_t i = 0; tf_region(r, i); i++)
		check(c, tf_writer_add_region(w, tf_region(r, i), NULL, &c->error));
}

static void copy_blocks(struct copy *c)
{
	uint32_t n = tf_n_blocks(c->reader);

	c->first_exit = calloc(n + 1, sizeof(*c->first_exit));
	if (!c->first_exit)
		errx(1, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		const struct tf_block *b = tf_block(c->reader, i);
		struct tf_exit exits[2] = {
			[TF_NOT_TAKEN] = { .n_blocks = 1,
					   .outcome = TF_NOT_TAKEN,
					   .n_slots = b->n_values },
			[TF_TAKEN] = { .n_blocks = 1, .outcome = TF_TAKEN, .n_slots = b->n_values },
		};
		struct tf_path path = {
			.n_blocks = 1,
			.n_exits = 2,
			.n_slots = b->n_values,
			.n_values = b->n_values,
			.blocks = &i,
			.exits = exits,
		};

		check(c, tf_writer_add_block(c->writer, b, NULL, &c->error));
		check(c, tf_writer_add_path(c->writer, &path, NULL, &c->first_exit[i], &c->error));
	}
}

static void open_streams(struct copy *c)
{
	uint32_t n = 0;

	while (tf_thread(c->reader, n))
		n++;
	c->streams = calloc(n + 1, sizeof(*c->streams));
	c->position = calloc(n + 1, sizeof(*c->position));
	if (!c->streams || !c->position)
		errx(1, "out of memory");
	for (uint32_t i = 0; i < n; i++)
		check(c, tf_stream_open(c->writer, i, &c->streams[i], &c->error));
}

static void copy_event(struct copy *c, const struct tf_event *event)
{
	if (event->kind == TF_EVENT_GAP && event->gap.reason == TF_GAP_FAULT)
		errx(1, "the trace is damaged");
	check(c, tf_stream_event_ahead(c->streams[event->thread], event,
				       (uint32_t)(event->ordinal - c->position[event->thread]),
				       &c->error));
}

static void copy_execution(struct copy *c, uint32_t thread, const struct tf_block_exec *e)
{
	struct tf_stream *stream = c->streams[thread];
	uint32_t id = e->block->id;

	if (e->outcome == TF_PARTIAL) /* path ids are block ids */
		check(c, tf_stream_partial(stream, id, e->executed, e->values, e->block->n_values,
					   0, &c->error));
	else
		check(c,
		      tf_stream_exec(stream, c->first_exit[id] + e->outcome, e->values, &c->error));
}

static void copy_streams(struct copy *c)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.columns = TF_ADDRESSES | TF_EVENTS;
	for (uint32_t i = 0; tf_thread(c->reader, i); i++)
		c->position[i] = 0;
	check(c, tf_cursor_open(c->reader, &options, &cursor, &c->error));
	while ((status = tf_next(cursor, &item, &c->error)) > 0) {
		if (item.kind == TF_ITEM_EVENT) {
			copy_event(c, item.event);
			continue;
		}
		for (size_t i = 0; i < item.count; i++)
			copy_execution(c, item.thread, &item.blocks[i]);
		c->position[item.thread] += item.instructions;
		check(c, tf_writer_schedule(c->writer, item.thread, item.instructions, &c->error));
	}
	check(c, status);
	tf_cursor_close(cursor);
}

int main(int argc, char **argv)
{
	struct copy c = { 0 };
	struct tf_writer_options options = { .size = sizeof(options) };
	struct tf_info info;

	if (argc != 4 || atoi(argv[2]) < 1)
		errx(2, "usage: replicate SOURCE N TARGET");
	check(&c, tf_open(argv[1], &c.reader, &c.error));
	check(&c, tf_load(c.reader, &c.error));
	check(&c, tf_get_info(c.reader, &info, &c.error));
	options.order_exact = info.order_exact;
	options.no_addresses = !info.has_addresses;
	check(&c, tf_writer_create(argv[3], &options, &c.writer, &c.error));
	copy_names(&c);
	copy_blocks(&c);
	open_streams(&c);
	for (int i = 0; i < atoi(argv[2]); i++)
		copy_streams(&c);
	for (uint32_t i = 0; tf_thread(c.reader, i); i++)
		check(&c, tf_stream_close(c.streams[i], &c.error));
	check(&c, tf_writer_finish(c.writer, info.wait_status, info.stop_reason, &c.error));
	tf_writer_free(c.writer);
	tf_close(c.reader);
	free(c.first_exit);
	free(c.streams);
	free(c.position);
	return 0;
}
