/* SPDX-License-Identifier: MIT */
/* The writer: what it refuses, where it can write to, failing writes, and files that grow. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

/* A writer to a file of its own, with one module, process and thread. */
struct fixture {
	int fd;
	struct tf_writer *writer;
	struct tf_stream *stream;
};

static struct fixture begin(const struct tf_writer_options *options)
{
	struct fixture f = { .fd = new_file() };

	ck_assert_int_eq(tf_writer_create_fd(f.fd, "x", options, &f.writer, NULL), 0);
	tf_writer_add_module(f.writer, &(struct tf_module){ .path = "/x" }, NULL, NULL);
	tf_writer_add_process(f.writer, &(struct tf_process){ .pid = 1, .parent = TF_NONE }, NULL, NULL);
	tf_writer_add_thread(f.writer, &(struct tf_thread){ .tid = 1 }, NULL, NULL);
	ck_assert_int_eq(tf_stream_open(f.writer, 0, &f.stream, NULL), 0);
	return f;
}

/* Finishes the trace and opens it. */
static struct tf_reader *reopen(struct fixture *f)
{
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;

	ck_assert_msg(tf_stream_close(f->stream, &error) == 0, "%s", error.text);
	ck_assert_int_eq(tf_writer_finish(f->writer, 0, "exit", NULL), 0);
	tf_writer_free(f->writer);
	reader = open_file(f->fd);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	return reader;
}

static void end(struct fixture *f)
{
	tf_close(reopen(f));
	close(f->fd);
}

/* A block of two instructions, of which the second loads. */
static const uint8_t code[8];
static const struct tf_insn insns[] = { { 0, 3, 0, 0, 0 }, { 3, 5, 0, 0, 1 } };
static const struct tf_operand operands[] = { { .insn = 1, .access = TF_LOAD, .size = 8 } };
static const struct tf_block block = {
	.module = TF_NONE, .pc = 0x1000, .n_insns = 2, .n_operands = 1, .code_size = 8,
	.code = code, .insns = insns, .operands = operands,
};

/* The same with one change each, none of which can be. */
START_TEST(bad_blocks)
{
	struct tf_insn i[2];
	struct tf_operand o[1];
	struct tf_block b = block;
	struct fixture f = begin(NULL);
	struct tf_error error = { .text = "" };

	memcpy(i, insns, sizeof(i));
	memcpy(o, operands, sizeof(o));
	b.insns = i;
	b.operands = o;
	switch (_i) {
	case 0: b.module = 1; break;
	case 1: b.n_insns = 0; break;
	case 2: b.end = TF_END_OPAQUE + 1; break;
	case 3: b.code_size = 7; break;
	case 4: i[1].offset = 4; break;
	case 5: i[0].length = 0; break;
	case 6: i[0].length = 16; break;
	case 7: i[0].flags = 4; break;
	case 8: i[1].first_operand = 1; break;
	case 9: i[1].n_operands = 2; break;
	case 10: i[1].n_operands = 0; break;
	case 11: o[0].access = 0; break;
	case 12: o[0].access = TF_LOAD | TF_PREFETCH; break;
	case 13: o[0].form = TF_SIZED + 1; break;
	case 14: o[0].form = TF_REP; break;
	case 15: i[1].flags = TF_INSN_REP; break;
	case 16: o[0].flags = 4; break;
	case 17: o[0].segment = 3; break;
	case 18: o[0].size = 0; break;
	case 19: o[0].form = TF_SIZED; break;
	case 20: o[0].lanes = 1; break;
	case 21: o[0].form = TF_MASKED; break;
	case 22: o[0].form = TF_MASKED; o[0].lanes = 65; break;
	case 23: o[0].form = TF_LANES; o[0].lanes = 4; o[0].index_size = 2; o[0].scale = 1; break;
	case 24: o[0].form = TF_LANES; o[0].lanes = 4; o[0].index_size = 4; o[0].scale = 3; break;
	case 25: o[0].scale = 1; break;
	case 26: b.n_values = 2; break;
	case 27: b.n_insns = TF_MAX_BLOCK_INSNS + 1; break;
	}
	ck_assert_int_eq(tf_writer_add_block(f.writer, &b, NULL, &error), TF_E_ARGUMENT);
	ck_assert_str_ne(error.text, "");
	ck_assert_int_eq(tf_writer_add_block(f.writer, &block, NULL, NULL), 0);
	end(&f);
}
END_TEST

/* 250 operands of 64 lanes with 8-byte indices have 16500 values. */
START_TEST(too_many_values)
{
	struct tf_insn insn = { .length = 1, .n_operands = 250 };
	struct tf_operand o[250];
	struct tf_block b = {
		.module = TF_NONE, .n_insns = 1, .n_operands = 250, .code_size = 1, .code = code,
		.insns = &insn, .operands = o,
	};
	struct fixture f = begin(NULL);

	for (unsigned k = 0; k < 250; k++)
		o[k] = (struct tf_operand){ .access = TF_LOAD, .form = TF_LANES, .size = 8,
					    .lanes = 64, .index_size = 8, .scale = 1 };
	ck_assert_int_eq(tf_writer_add_block(f.writer, &b, NULL, NULL), TF_E_ARGUMENT);
	insn.n_operands = 240;
	b.n_operands = 240;
	ck_assert_int_eq(tf_writer_add_block(f.writer, &b, NULL, NULL), 0);
	end(&f);
}
END_TEST

START_TEST(bad_paths)
{
	uint32_t blocks[2] = { 0, 0 };
	struct tf_recipe recipes[2] = { { .base = TF_BASE_SLOT }, { .base = TF_BASE_RSP } };
	struct tf_exit exits[2] = { { .n_blocks = 1, .n_slots = 1 }, { .n_blocks = 2, .n_slots = 1 } };
	struct tf_path p = { .n_blocks = 2, .n_exits = 2, .n_slots = 1, .n_values = 2,
			     .blocks = blocks, .recipes = recipes, .exits = exits };
	struct fixture f = begin(NULL);
	struct tf_error error = { .text = "" };

	ck_assert_int_eq(tf_writer_add_block(f.writer, &block, NULL, NULL), 0);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, NULL, NULL), 0);
	switch (_i) {
	case 0: p.n_blocks = 0; break;
	case 1: p.n_blocks = TF_MAX_PATH_BLOCKS + 1; break;
	case 2: blocks[1] = 1; break;
	case 3: p.n_slots = TF_MAX_PATH_SLOTS + 1; break;
	case 4: p.n_exits = TF_MAX_PATH_EXITS + 1; break;
	case 5: p.n_values = 1; break;
	case 6: p.recipes = NULL; break;
	case 7: recipes[0].base = 4; break;
	case 8: recipes[0].slot = 1; break;
	case 9: recipes[0].scale = 3; break;
	case 10: recipes[0].scale = 16; break;
	case 11: recipes[0].bit_string = 8; break;
	case 12: recipes[0].bit_string = 128; break;
	case 13: recipes[0].scale = 1; recipes[0].bit_string = 16; break;
	case 14: recipes[1].scale = 1; recipes[1].index_slot = 1; break;
	case 15: recipes[0].address32 = 2; break;
	case 16: recipes[0].segment = 3; break;
	case 17: exits[0].n_blocks = 0; break;
	case 18: exits[0].n_blocks = 3; break;
	case 19: exits[0].outcome = TF_PARTIAL; break;
	case 20: exits[0].n_slots = 2; break;
	case 21: exits[0].n_slots = 0; break;
	case 22: exits[0].rsp_rule = 3; break;
	case 23: exits[0].rsp_rule = TF_RSP_SLOT; exits[0].rsp_slot = 1; break;
	}
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, NULL, &error), TF_E_ARGUMENT);
	ck_assert_str_ne(error.text, "");
	end(&f);
}
END_TEST

START_TEST(bad_references)
{
	struct fixture f = begin(NULL);
	struct tf_stream *second;

	ck_assert_int_eq(tf_writer_add_module(f.writer, &(struct tf_module){ .build_id_size = 21 }, NULL,
					      NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_add_symbols(f.writer, 1, NULL, 0, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_add_thread(f.writer, &(struct tf_thread){ .process = 1 }, NULL, NULL),
			 TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_add_mapping(f.writer, &(struct tf_mapping){ .process = 1 }, NULL,
					       NULL), TF_E_ARGUMENT);
	const struct tf_function seven = { .n_args = 7, .name = "f" };

	ck_assert_int_eq(tf_writer_add_function(f.writer, &seven, NULL, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_open(f.writer, 0, &second, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_open(f.writer, 1, &second, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_schedule(f.writer, 1, 1, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_exec(f.stream, 0, NULL, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 1, NULL, 0, 0, NULL), TF_E_ARGUMENT);
	end(&f);
}
END_TEST

START_TEST(bad_executions)
{
	struct tf_exit exit = { .n_blocks = 1, .n_slots = 1 };
	struct tf_path p = { .n_blocks = 1, .n_exits = 1, .n_slots = 1, .n_values = 1,
			     .blocks = (uint32_t[]){ 0 }, .exits = &exit };
	struct tf_event event = { .kind = TF_EVENT_TIME };
	struct fixture f = begin(NULL);
	uint64_t slot = 0x5000;

	tf_writer_add_block(f.writer, &block, NULL, NULL);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, &slot, NULL), TF_E_ARGUMENT);	/* partial exit */
	ck_assert_int_eq(tf_stream_exec(f.stream, 2, &slot, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 0, &slot, 1, 0, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 3, &slot, 1, 0, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 1, &slot, 2, 0, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 2, &slot, 0, 0, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 1, NULL, 0, 0, NULL), 0);
	ck_assert_int_eq(tf_stream_event_ahead(f.stream, &event, 2, NULL), 0);
	ck_assert_int_eq(tf_stream_event_ahead(f.stream, &event, 1, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_flush(f.stream, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_exec(f.stream, 0, &slot, NULL), 0);
	event.kind = TF_EVENT_CALL;
	event.call.n_args = 7;
	ck_assert_int_eq(tf_stream_event(f.stream, &event, NULL), TF_E_ARGUMENT);
	event = (struct tf_event){ .kind = TF_EVENT_SEGMENT_BASE, .segment_base = { 0, 1 } };
	ck_assert_int_eq(tf_stream_event(f.stream, &event, NULL), TF_E_ARGUMENT);
	event.segment_base.segment = 3;
	ck_assert_int_eq(tf_stream_event(f.stream, &event, NULL), TF_E_ARGUMENT);
	end(&f);
}
END_TEST

/* A path that needs rsp may be executed only where it is known. */
START_TEST(unknown_rsp)
{
	struct tf_recipe recipe = { .base = TF_BASE_RSP, .displacement = 8 };
	struct tf_exit exits[] = {
		{ .n_blocks = 1, .rsp_rule = TF_RSP_UNTRACKED },
		{ .n_blocks = 1, .rsp_rule = TF_RSP_DELTA, .rsp_value = -16 },
	};
	struct tf_path p = { .n_blocks = 1, .n_exits = 2, .n_values = 1, .recipes = &recipe,
			     .blocks = (uint32_t[]){ 0 }, .exits = exits };
	static const uint64_t expected[] = { 0x7008, 0x6ff8, 0x9008, 0x8ff8, 0xa008 };
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct fixture f = begin(NULL);
	struct tf_cursor *cursor;
	struct tf_reader *reader;
	struct tf_item item;
	unsigned n = 0;

	tf_writer_add_block(f.writer, &block, NULL, NULL);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), TF_E_ARGUMENT);
	tf_stream_registers(f.stream, 0x7000, 0, 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 0, NULL, NULL), 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_stream_flush(f.stream, NULL), 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), TF_E_ARGUMENT);
	tf_stream_registers(f.stream, 0x9000, 0, 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), 0);
	tf_stream_registers(f.stream, 0x8ff0, 0, 0);	/* what it is anyway */
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), 0);
	tf_stream_registers(f.stream, 0xa000, 0, 0);	/* inside a chunk */
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), 0);
	reader = reopen(&f);
	options.columns = TF_ADDRESSES;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0)
		for (size_t i = 0; i < item.count; i++, n++)
			ck_assert_uint_eq(item.blocks[i].values[0], expected[n]);
	ck_assert_uint_eq(n, 5);
	tf_cursor_close(cursor);
	tf_close(reader);
	close(f.fd);
}
END_TEST

/* The longest paths in the longest chunks: no chunk may exceed what readers take. */
START_TEST(longest_chunk)
{
	struct tf_writer_options options = { .size = sizeof(options), .chunk_instructions = 1 << 26 };
	struct fixture f = begin(&options);
	struct tf_exit exit = { .n_blocks = TF_MAX_PATH_BLOCKS };
	struct tf_insn i[TF_MAX_BLOCK_INSNS];
	uint8_t nops[TF_MAX_BLOCK_INSNS] = { 0 };
	struct tf_block b = { .module = TF_NONE, .n_insns = TF_MAX_BLOCK_INSNS, .insns = i,
			      .code_size = TF_MAX_BLOCK_INSNS, .code = nops };
	uint32_t blocks[TF_MAX_PATH_BLOCKS] = { 0 };
	struct tf_path p = { .n_blocks = TF_MAX_PATH_BLOCKS, .n_exits = 1, .exits = &exit,
			     .blocks = blocks };
	struct tf_reader *reader;
	struct tf_info info;

	for (unsigned k = 0; k < TF_MAX_BLOCK_INSNS; k++)
		i[k] = (struct tf_insn){ .offset = (uint16_t)k, .length = 1 };
	ck_assert_int_eq(tf_writer_add_block(f.writer, &b, NULL, NULL), 0);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 1, NULL, 0, 0, NULL), 0);
	for (unsigned k = 0; k < 1025; k++)
		ck_assert_int_eq(tf_stream_exec(f.stream, 0, NULL, NULL), 0);
	reader = reopen(&f);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.totals.instructions, 1 + 1025 * 65536);
	ck_assert_uint_eq(info.n_chunks, 2);
	tf_close(reader);
	close(f.fd);
	options.chunk_instructions++;
	ck_assert_int_eq(tf_writer_create_fd(f.fd, "x", &options, &f.writer, NULL), TF_E_ARGUMENT);
	options.size++;
	ck_assert_int_eq(tf_writer_create_fd(f.fd, "x", &options, &f.writer, NULL), TF_E_ARGUMENT);
}
END_TEST

START_TEST(many_symbols)
{
	enum { N = 50000 };
	struct tf_symbol *symbols = calloc(N, sizeof(*symbols));
	const struct tf_symbol *found;
	struct fixture f = begin(NULL);
	struct tf_reader *reader;
	size_t count;

	for (unsigned i = 0; i < N; i++)
		symbols[i] = (struct tf_symbol){ .value = 16 * i, .size = 16, .kind = 2, .name = "s" };
	ck_assert_int_eq(tf_writer_add_symbols(f.writer, 0, symbols, N, NULL), 0);
	reader = reopen(&f);
	found = tf_symbols(reader, 0, &count);
	ck_assert_uint_eq(count, N);
	for (unsigned i = 0; i < N; i++)
		ck_assert_uint_eq(found[i].value, 16 * i);
	tf_close(reader);
	close(f.fd);
	free(symbols);
}
END_TEST

/* ---- places to write to -------------------------------------------------------------------- */

static void check_equal_to_truth(struct tf_reader *reader, const struct random_trace *t)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES | TF_EVENTS;
	for (uint32_t i = 0; i < t->options.n_threads; i++) {
		struct truth truth = truth_thread(t, i, options.view, options.columns);
		struct tf_cursor *cursor;
		char why[1024] = "";

		options.thread = i;
		ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
		ck_assert_msg(truth_cursor(cursor, &truth, 0, truth.items.count, options.columns, why,
					   sizeof(why)), "thread %u: %s", i, why);
		tf_cursor_close(cursor);
		free(truth.items.at);
	}
}

static void *drain(void *opaque)
{
	int *fds = opaque;		/* from a pipe, to a file */
	char bytes[4096];
	ssize_t n;

	while ((n = read(fds[0], bytes, sizeof(bytes))) > 0)
		if (write(fds[1], bytes, (size_t)n) != n)
			abort();
	return NULL;
}

START_TEST(pipe_gives_the_same)
{
	struct random_options options = small_options(11);
	struct random_trace *t = random_trace_new(&options);
	int direct = file_of_trace(t, true), ends[2], fds[2];
	size_t size = file_size(direct);
	uint8_t *a = malloc(size), *b = malloc(size);
	pthread_t thread;

	ck_assert_int_eq(pipe(ends), 0);
	fds[0] = ends[0];
	fds[1] = new_file();
	ck_assert_int_eq(pthread_create(&thread, NULL, drain, fds), 0);
	ck_assert_int_eq(random_trace_write(t, ends[1], true, NULL), 0);
	close(ends[1]);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(file_size(fds[1]), size);
	read_at(direct, a, size, 0);
	read_at(fds[1], b, size, 0);
	ck_assert_int_eq(memcmp(a, b, size), 0);
	free(a);
	free(b);
	random_trace_free(t);
}
END_TEST

/* A reader that goes away after some bytes: an error that stays, and no crash. */
START_TEST(broken_pipe)
{
	struct random_options options = small_options(12);
	struct random_trace *t = random_trace_new(&options);
	struct tf_error error = { .text = "" };
	struct random_player player;
	int ends[2], status;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(random_play_begin(&player, t, ends[1]), 0);
	ck_assert_int_eq(random_play(&player, 50), 0);
	close(ends[0]);
	status = random_play(&player, SIZE_MAX);
	if (status == 0)	/* no chunk was full before the end */
		status = tf_stream_flush(player.streams[0], &player.error);
	ck_assert_int_eq(status, TF_E_IO);
	ck_assert_ptr_nonnull(strstr(player.error.text, strerror(EPIPE)));
	ck_assert_int_eq(tf_writer_meta(player.writer, "a", "b", NULL), 0);
	ck_assert_int_eq(tf_writer_flush(player.writer, &error), TF_E_IO);
	ck_assert_str_eq(error.text, player.error.text);
	ck_assert_int_eq(tf_writer_finish(player.writer, 0, "exit", NULL), TF_E_IO);
	random_play_end(&player, false);
	close(ends[1]);
	random_trace_free(t);
}
END_TEST

START_TEST(cannot_create)
{
	struct tf_error error = { .text = "" };
	struct tf_writer *writer;
	char path[] = "/tmp/traceXXXXXX";
	struct tf_reader *reader;
	int fd;

	ck_assert_int_eq(tf_writer_create("/nowhere/x.trace", NULL, &writer, &error), TF_E_IO);
	ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x.trace"));
	ck_assert_int_eq(tf_writer_create("/dev/full", NULL, &writer, &error), TF_E_IO);
	ck_assert_ptr_nonnull(strstr(error.text, strerror(ENOSPC)));

	fd = mkstemp(path);	/* what was there is replaced */
	write_at(fd, path, sizeof(path), 1000);
	ck_assert_int_eq(tf_writer_create(path, NULL, &writer, &error), 0);
	ck_assert_int_eq(tf_writer_finish(writer, 0, "exit", NULL), 0);
	tf_writer_free(writer);
	ck_assert_int_eq(tf_open(path, &reader, &error), 0);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	tf_close(reader);
	unlink(path);
	close(fd);
}
END_TEST

/* A file that must not grow beyond some size, as on a full disk: what is there can be read. */
START_TEST(full_disk)
{
	struct random_options options = small_options(13);
	struct random_trace *t = random_trace_new(&options);
	int whole = file_of_trace(t, true), fd;
	size_t size = file_size(whole);
	char path[] = "/tmp/traceXXXXXX";

	signal(SIGXFSZ, SIG_IGN);
	fd = mkstemp(path);
	unlink(path);
	for (size_t limit = 64; limit < size; limit += 1 + size / 100) {
		struct rlimit r = { limit, RLIM_INFINITY };
		struct tf_cursor_options merged = TF_CURSOR_OPTIONS;
		struct tf_error error = { .text = "" };
		struct tf_reader *reader;
		struct tf_cursor *cursor;
		struct tf_info info;
		struct tf_item item;

		ck_assert_int_eq(ftruncate(fd, 0), 0);
		ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
		ck_assert_int_eq(random_trace_write(t, fd, true, &error), TF_E_IO);
		r.rlim_cur = RLIM_INFINITY;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
		ck_assert_ptr_nonnull(strstr(error.text, strerror(EFBIG)));
		ck_assert_uint_eq(file_size(fd), limit);

		reader = open_file(fd);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert(!info.complete);
		ck_assert_int_eq(tf_cursor_open(reader, &merged, &cursor, NULL), 0);
		while (tf_next(cursor, &item, &error) > 0)
			info.totals.instructions -= item.instructions;
		ck_assert_uint_eq(info.totals.instructions, 0);
		tf_cursor_close(cursor);
		tf_close(reader);
	}
	random_trace_free(t);
}
END_TEST

/* ---- growing files, threads ---------------------------------------------------------------- */

/* Hands out what has come, and checks that the list goes on where it stopped. */
static size_t take_new(struct tf_cursor *cursor, const struct truth *truth, size_t from)
{
	struct tf_error error = { .text = "" };
	struct tf_item item;
	int status;

	while ((status = tf_next(cursor, &item, &error)) > 0) {
		if (item.kind == TF_ITEM_EVENT) {
			ck_assert(from < truth->items.count && truth->items.at[from].event);
			ck_assert(truth_event_same(item.event, truth->items.at[from++].event));
			continue;
		}
		for (size_t i = 0; i < item.count; i++) {
			ck_assert_uint_lt(from, truth->items.count);
			ck_assert(truth_same(&truth->items.at[from++], &item, i, TF_ADDRESSES | TF_EVENTS));
		}
	}
	ck_assert_msg(status == 0, "%s", error.text);
	return from;
}

START_TEST(growing)
{
	struct random_options options = small_options(20 + (uint64_t)_i);
	struct random_trace *t = random_trace_new(&options);
	struct tf_cursor_options follow = TF_CURSOR_OPTIONS;
	int fd = new_file(), out = dup(fd), reads = 0;
	struct tf_cursor *cursors[3] = { NULL };
	struct tf_reader *reader = NULL;
	size_t next[3] = { 0 };
	struct truth truths[3];
	struct random_player player;
	struct tf_info info;

	follow.view = _i % 2 ? TF_VIEW_BLOCKS : TF_VIEW_INSNS;
	follow.columns = TF_ADDRESSES | TF_EVENTS;
	for (uint32_t i = 0; i < 3; i++)
		truths[i] = truth_thread(t, i, follow.view, follow.columns);
	ck_assert_int_eq(random_play_begin(&player, t, out), 0);
	ck_assert_int_eq(tf_writer_flush(player.writer, NULL), 0);
	for (;; reads++) {
		bool last = player.next_op == t->ops.count;

		if (last) {
			ck_assert_int_eq(random_play_end(&player, true), 0);
		} else {
			ck_assert_int_eq(random_play(&player, 7), 0);
			if (reads % 3 == 2)
				for (unsigned i = 0; i < 3; i++)	/* refused before an execution */
					tf_stream_flush(player.streams[i], NULL);
		}
		if (!reader) {
			reader = open_file(fd);
			for (uint32_t i = 0; i < 3; i++) {
				follow.thread = i;
				ck_assert_int_eq(tf_cursor_open(reader, &follow, &cursors[i], NULL), 0);
			}
		}
		ck_assert_int_ge(tf_refresh(reader, NULL), 0);
		for (unsigned i = 0; i < 3; i++)
			next[i] = take_new(cursors[i], &truths[i], next[i]);
		if (last)
			break;
	}
	ck_assert_int_eq(tf_refresh(reader, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(info.complete);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(next[i], truths[i].items.count);
		free(truths[i].items.at);
		tf_cursor_close(cursors[i]);
	}
	tf_close(reader);
	close(fd);
	close(out);
	random_trace_free(t);
}
END_TEST

struct parallel { struct random_player *player; uint32_t thread; int status; };

static void *play_thread(void *opaque)
{
	struct parallel *p = opaque;
	const struct random_trace *t = p->player->trace;
	struct random_player mine = *p->player;		/* its own error */

	for (size_t i = 0; i < t->ops.count && p->status == 0; i++)
		if (t->ops.at[i].thread == p->thread && t->ops.at[i].kind < OP_FLUSH_WRITER)
			p->status = random_play_op(&mine, &t->ops.at[i]);
	return NULL;
}

/* Streams of one writer filled by several threads at a time. */
START_TEST(parallel_streams)
{
	struct random_options options = small_options(40 + (uint64_t)_i);
	struct parallel parallel[3];
	struct random_player player;
	struct random_trace *t;
	struct tf_reader *reader;
	pthread_t threads[3];
	int fd = new_file();

	options.n_execs = 3000;
	t = random_trace_new(&options);
	ck_assert_int_eq(random_play_begin(&player, t, fd), 0);
	ck_assert_int_eq(random_add_paths(&player, options.n_paths - 1), 0);
	for (uint32_t i = 0; i < 3; i++) {
		parallel[i] = (struct parallel){ &player, i, 0 };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, play_thread, &parallel[i]), 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(parallel[i].status, 0);
	}
	ck_assert_int_eq(random_play_end(&player, true), 0);
	reader = open_file(fd);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	check_equal_to_truth(reader, t);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

/* ---- threads of the writer's own ---- */

static void check_same_bytes(int a, int b)
{
	size_t size = file_size(a);
	uint8_t *x = malloc(size), *y = malloc(size);

	ck_assert_uint_eq(file_size(b), size);
	read_at(a, x, size, 0);
	read_at(b, y, size, 0);
	ck_assert_int_eq(memcmp(x, y, size), 0);
	free(x);
	free(y);
}

START_TEST(threads_write_the_same)
{
	struct random_options options = small_options(900 + (uint64_t)_i);
	struct random_trace *t;
	int alone, together;

	options.n_execs = 3000;
	t = random_trace_new(&options);
	alone = file_of_trace(t, true);
	t->options.writer_threads = 1 + (unsigned)_i % 4;
	together = file_of_trace(t, true);
	check_same_bytes(alone, together);
	close(alone);
	close(together);
	random_trace_free(t);
}
END_TEST

START_TEST(threads_tell_of_errors)
{
	struct random_options options = small_options(950);
	struct tf_error error = { .text = "" };
	struct random_trace *t;
	int full = memfd_create("full", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(full, 2000), 0);
	ck_assert_int_eq(fcntl(full, F_ADD_SEALS, F_SEAL_GROW), 0);
	options.n_execs = 3000;
	options.writer_threads = 2;
	t = random_trace_new(&options);
	ck_assert_int_eq(random_trace_write(t, full, true, &error), TF_E_IO);
	ck_assert_ptr_nonnull(strstr(error.text, "cannot write at offset "));
	close(full);
	random_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat writer");
	TCase *tests = tcase_create("writer");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, bad_blocks, 0, 28);
	tcase_add_test(tests, too_many_values);
	tcase_add_loop_test(tests, bad_paths, 0, 24);
	tcase_add_test(tests, bad_references);
	tcase_add_test(tests, bad_executions);
	tcase_add_test(tests, unknown_rsp);
	tcase_add_test(tests, longest_chunk);
	tcase_add_test(tests, many_symbols);
	tcase_add_test(tests, pipe_gives_the_same);
	tcase_add_test(tests, broken_pipe);
	tcase_add_test(tests, cannot_create);
	tcase_add_test(tests, full_disk);
	tcase_add_loop_test(tests, growing, 0, 6);
	tcase_add_loop_test(tests, parallel_streams, 0, 3);
	tcase_add_loop_test(tests, threads_write_the_same, 0, 12);
	tcase_add_test(tests, threads_tell_of_errors);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
