/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "tests/unit/traces/random/play.h"

static struct tf_writer_options random_writer_options(const struct random_trace *t)
{
	return (struct tf_writer_options){
		.size = sizeof(struct tf_writer_options),
		.chunk_instructions = t->options.chunk_instructions,
		.created_ns = 1700000000000000000,
		.uuid = t->uuid,
		.order_exact = true,
		.threads = t->options.writer_threads,
	};
}

int random_add_paths(struct random_player *p, uint32_t path)
{
	const struct random_trace *t = p->trace;
	int status = 0;

	for (; status == 0 && p->n_paths <= path; p->n_paths++) {
		const struct tf_path *next = &t->paths.at[p->n_paths];
		uint32_t id = 0, first_exit = 0;

		for (unsigned i = 0; i < next->n_blocks; i++)
			for (; status == 0 && p->n_blocks <= next->blocks[i]; p->n_blocks++) {
				struct tf_block b = t->blocks.at[p->n_blocks];

				if (b.id % 2) /* the writer numbers the extras itself */
					b.n_values = 0;
				status = tf_writer_add_block(p->writer, &b, &id, &p->error);
				assert(status || id == b.id);
			}
		if (status == 0)
			status = tf_writer_add_path(p->writer, next, &id, &first_exit, &p->error);
		assert(status || (id == next->id && first_exit == next->first_exit));
	}
	return status;
}

int random_play_op(struct random_player *p, const struct random_op *op)
{
	const struct random_trace *t = p->trace;
	struct tf_stream *stream = p->streams[op->thread];
	const struct random_exec *e;
	const struct tf_event *event;
	int status;

	switch (op->kind) {
	case OP_EXEC:
		e = &t->streams[op->thread].execs.at[op->index];
		status = random_add_paths(p, e->path);
		if (status < 0)
			return status;
		assert(tf_stream_ordinal(stream) == e->first);
		return e->partial ? tf_stream_partial(stream, e->path, e->executed, e->slots,
						      e->n_slots, e->rsp_after, &p->error)
				  : tf_stream_exec(stream, e->exit, e->slots, &p->error);
	case OP_EVENT:
		event = &t->streams[op->thread].events.at[op->index];
		return op->number ? tf_stream_event_ahead(stream, event, (uint32_t)op->number,
							  &p->error)
				  : tf_stream_event(stream, event, &p->error);
	case OP_REGISTERS:
		tf_stream_registers(stream, op->registers[0], op->registers[1], op->registers[2]);
		return 0;
	case OP_FLUSH: return tf_stream_flush(stream, &p->error);
	case OP_FLUSH_WRITER: return tf_writer_flush(p->writer, &p->error);
	case OP_SCHEDULE: return tf_writer_schedule(p->writer, op->thread, op->number, &p->error);
	}
	return 0;
}

int random_play(struct random_player *p, size_t count)
{
	int status = 0;

	for (; status == 0 && count && p->next_op < p->trace->ops.count; p->next_op++, count--)
		status = random_play_op(p, &p->trace->ops.at[p->next_op]);
	return status;
}

static int random_play_dictionary(struct random_player *p)
{
	const struct random_trace *t = p->trace;
	struct tf_writer *w = p->writer;
	struct tf_error *error = &p->error;
	int status = 0;

	for (size_t i = 0; status == 0 && i < t->meta.count; i++)
		status = tf_writer_meta(w, t->meta.at[i].key, t->meta.at[i].value, error);
	for (size_t i = 0; status == 0 && i < t->modules.count; i++)
		status = tf_writer_add_module(w, &t->modules.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->symbols.count; i++)
		status = tf_writer_add_symbols(w, t->symbols.at[i].module, t->symbols.at[i].symbols,
					       t->symbols.at[i].count, error);
	for (size_t i = 0; status == 0 && i < t->processes.count; i++)
		status = tf_writer_add_process(w, &t->processes.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->threads.count; i++)
		status = tf_writer_add_thread(w, &t->threads.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->functions.count; i++)
		status = tf_writer_add_function(w, &t->functions.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->mappings.count; i++)
		status = tf_writer_add_mapping(w, &t->mappings.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->regions.count; i++)
		status = tf_writer_add_region(w, &t->regions.at[i], NULL, error);
	for (uint32_t i = 0; status == 0 && i < t->threads.count; i++)
		status = tf_stream_open(w, i, &p->streams[i], error);
	return status;
}

int random_play_begin(struct random_player *p, const struct random_trace *t, int fd)
{
	struct tf_writer_options options = random_writer_options(t);
	int status;

	*p = (struct random_player){ .trace = t };
	p->streams = calloc(t->threads.count, sizeof(*p->streams));
	assert(p->streams);
	status = tf_writer_create_fd(fd, "random.trace", &options, &p->writer, &p->error);
	return status < 0 ? status : random_play_dictionary(p);
}

int random_play_end(struct random_player *p, bool finish)
{
	int status = 0;

	for (size_t i = 0; i < p->trace->threads.count; i++)
		if (p->streams[i]) {
			int closed = tf_stream_close(p->streams[i], status ? NULL : &p->error);

			status = status ? status : closed;
		}
	if (status == 0 && finish && p->writer)
		status = tf_writer_finish(p->writer, p->trace->wait_status, p->trace->stop_reason,
					  &p->error);
	tf_writer_free(p->writer);
	free(p->streams);
	return status;
}

int random_trace_write(const struct random_trace *t, int fd, bool finish, struct tf_error *error)
{
	struct random_player player;
	int status = random_play_begin(&player, t, fd), ended;

	if (status == 0)
		status = random_play(&player, SIZE_MAX);
	if (status < 0 && error)
		*error = player.error;
	ended = random_play_end(&player, finish && status == 0);
	if (status == 0 && ended < 0 && error)
		*error = player.error;
	return status < 0 ? status : ended;
}
