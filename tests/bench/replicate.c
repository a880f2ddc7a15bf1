/* SPDX-License-Identifier: MIT */
/*
 * replicate - writes a trace whose first thread's stream is that of another trace, N times over:
 * long traces for measuring replay, made of real executions. The source must be of one-block
 * paths whose slots are their values, as the step backend writes them.
 *
 * usage: replicate SOURCE N TARGET
 */
#include <stdio.h>
#include <stdlib.h>

#include "traceformat/traceformat.h"

static struct tf_error error;

static void must(int status)
{
	if (status >= 0)
		return;
	fprintf(stderr, "replicate: %s\n", error.text);
	exit(1);
}

static void copy_dictionary(struct tf_reader *r, struct tf_writer *w)
{
	size_t n_symbols;

	for (uint32_t i = 0; tf_module(r, i); i++) {
		const struct tf_symbol *symbols = tf_symbols(r, i, &n_symbols);

		must(tf_writer_add_module(w, tf_module(r, i), NULL, &error));
		must(tf_writer_add_symbols(w, i, symbols, n_symbols, &error));
	}
	must(tf_writer_add_process(w, tf_process(r, 0), NULL, &error));
	must(tf_writer_add_thread(w, tf_thread(r, 0), NULL, &error));
	for (uint32_t i = 0; i < tf_n_blocks(r); i++)
		must(tf_writer_add_block(w, tf_block(r, i), NULL, &error));
	for (uint32_t i = 0; i < tf_n_paths(r); i++)
		must(tf_writer_add_path(w, tf_path(r, i), NULL, NULL, &error));
}

/* By block id: its path. */
static const struct tf_path **paths_of_blocks(struct tf_reader *r)
{
	const struct tf_path **of = calloc(tf_n_blocks(r) + 1, sizeof(*of));

	for (uint32_t i = 0; of && i < tf_n_paths(r); i++) {
		const struct tf_path *p = tf_path(r, i);

		if (p->n_blocks != 1 || p->recipes) {
			fprintf(stderr, "replicate: the source is not of one-block paths\n");
			exit(1);
		}
		of[p->blocks[0]] = p;
	}
	return of;
}

static void append(struct tf_stream *s, const struct tf_block_exec *e, const struct tf_path *p)
{
	if (e->outcome == TF_PARTIAL) {
		must(tf_stream_partial(s, p->id, e->executed, e->values, p->n_slots, 0, &error));
		return;
	}
	for (unsigned k = 0; k < p->n_exits; k++)
		if (p->exits[k].outcome == e->outcome) {
			must(tf_stream_exec(s, p->first_exit + k, e->values, &error));
			return;
		}
	abort();
}

int main(int argc, char **argv)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	const struct tf_path **path_of;
	struct tf_reader *r;
	struct tf_writer *w;
	struct tf_stream *s;

	if (argc != 4) {
		fprintf(stderr, "usage: replicate SOURCE N TARGET\n");
		return 2;
	}
	must(tf_open(argv[1], &r, &error));
	must(tf_load(r, &error));
	must(tf_writer_create(argv[3], NULL, &w, &error));
	copy_dictionary(r, w);
	path_of = paths_of_blocks(r);
	must(tf_stream_open(w, 0, &s, &error));
	options.columns = TF_ADDRESSES;
	options.thread = 0;
	for (int n = atoi(argv[2]); n > 0; n--) {
		struct tf_cursor *c;
		struct tf_item item;
		int status;

		must(tf_cursor_open(r, &options, &c, &error));
		while ((status = tf_next(c, &item, &error)) > 0)
			for (size_t i = 0; item.kind == TF_ITEM_BLOCKS && i < item.count; i++)
				append(s, &item.blocks[i], path_of[item.blocks[i].block->id]);
		must(status);
		tf_cursor_close(c);
	}
	must(tf_stream_close(s, &error));
	must(tf_writer_finish(w, 0, "replicated", &error));
	tf_writer_free(w);
	tf_close(r);
	free(path_of);
	return 0;
}
