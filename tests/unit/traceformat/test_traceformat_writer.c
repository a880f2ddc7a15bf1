/* SPDX-License-Identifier: MIT */
/* The writer: invalid input, which it refuses, and input of the largest valid size. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

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
	tf_writer_add_process(f.writer, &(struct tf_process){ .pid = 1, .parent = TF_NONE }, NULL,
			      NULL);
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
/* clang-format off */
static const struct tf_block block = {
	.module = TF_NONE, .pc = 0x1000, .n_insns = 2, .n_operands = 1, .code_size = 8,
	.code = code, .insns = insns, .operands = operands,
};
/* clang-format on */

/* Blocks with one invalid change each are refused. */
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
	case 22:
		o[0].form = TF_MASKED;
		o[0].lanes = 65;
		break;
	case 23:
		o[0].form = TF_LANES;
		o[0].lanes = 4;
		o[0].index_size = 2;
		o[0].scale = 1;
		break;
	case 24:
		o[0].form = TF_LANES;
		o[0].lanes = 4;
		o[0].index_size = 4;
		o[0].scale = 3;
		break;
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
		.module = TF_NONE,
		.n_insns = 1,
		.n_operands = 250,
		.code_size = 1,
		.code = code,
		.insns = &insn,
		.operands = o,
	};
	struct fixture f = begin(NULL);

	for (unsigned k = 0; k < 250; k++)
		o[k] = (struct tf_operand){ .access = TF_LOAD,
					    .form = TF_LANES,
					    .size = 8,
					    .lanes = 64,
					    .index_size = 8,
					    .scale = 1 };
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
	struct tf_exit exits[2] = { { .n_blocks = 1, .n_slots = 1 },
				    { .n_blocks = 2, .n_slots = 1 } };
	struct tf_path p = { .n_blocks = 2,
			     .n_exits = 2,
			     .n_slots = 1,
			     .n_values = 2,
			     .blocks = blocks,
			     .recipes = recipes,
			     .exits = exits };
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
	case 13:
		recipes[0].scale = 1;
		recipes[0].bit_string = 16;
		break;
	case 14:
		recipes[1].scale = 1;
		recipes[1].index_slot = 1;
		break;
	case 15: recipes[0].address32 = 2; break;
	case 16: recipes[0].segment = 3; break;
	case 17: exits[0].n_blocks = 0; break;
	case 18: exits[0].n_blocks = 3; break;
	case 19: exits[0].outcome = TF_PARTIAL; break;
	case 20: exits[0].n_slots = 2; break;
	case 21: exits[0].n_slots = 0; break;
	case 22: exits[0].rsp_rule = 3; break;
	case 23:
		exits[0].rsp_rule = TF_RSP_SLOT;
		exits[0].rsp_slot = 1;
		break;
	case 24: /* one slot more than the base's */
		p.n_slots = 2;
		recipes[1] = (struct tf_recipe){ .base = TF_BASE_SLOT,
						 .scale = 1,
						 .index_slot = 1 };
		break;
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

	ck_assert_int_eq(tf_writer_add_module(f.writer, &(struct tf_module){ .build_id_size = 21 },
					      NULL, NULL),
			 TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_add_symbols(f.writer, 1, NULL, 0, NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_add_thread(f.writer, &(struct tf_thread){ .process = 1 }, NULL,
					      NULL),
			 TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_add_mapping(f.writer, &(struct tf_mapping){ .process = 1 }, NULL,
					       NULL),
			 TF_E_ARGUMENT);
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
	struct tf_path p = { .n_blocks = 1,
			     .n_exits = 1,
			     .n_slots = 1,
			     .n_values = 1,
			     .blocks = (uint32_t[]){ 0 },
			     .exits = &exit };
	struct tf_event event = { .kind = TF_EVENT_TIME };
	struct fixture f = begin(NULL);
	uint64_t slot = 0x5000;

	tf_writer_add_block(f.writer, &block, NULL, NULL);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, &slot, NULL),
			 TF_E_ARGUMENT); /* partial exit */
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

/* Compares the first value of each of a thread's n block executions. */
static void check_values_of(struct tf_reader *reader, uint32_t thread, const uint64_t *expected,
			    unsigned n)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	unsigned found = 0;

	options.columns = TF_ADDRESSES;
	options.thread = thread;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0)
		for (size_t i = 0; item.kind == TF_ITEM_BLOCKS && i < item.count; i++, found++) {
			ck_assert_uint_lt(found, n);
			ck_assert_uint_eq(item.blocks[i].values[0], expected[found]);
		}
	ck_assert_uint_eq(found, n);
	tf_cursor_close(cursor);
}

static void check_first_values(struct tf_reader *reader, const uint64_t *expected, unsigned n)
{
	check_values_of(reader, TF_MERGED, expected, n);
}

/* A thread does not see what threads that have ended have left in the writer. */
START_TEST(next_threads)
{
	enum { N = 8, THREADS = 3 };
	static const uint64_t expected[N] = { 0x7000, 0x7008, 0x7010, 0x20,
					      0x7018, 0x7020, 0,      0x8000 };
	struct tf_exit out = { .n_blocks = 1, .n_slots = 1, .rsp_rule = TF_RSP_UNTRACKED };
	struct tf_path p = { .n_blocks = 1,
			     .n_exits = 1,
			     .n_values = 1,
			     .n_slots = 1,
			     .blocks = (uint32_t[]){ 0 },
			     .exits = &out };
	struct fixture f = begin(NULL);
	struct tf_reader *reader;
	uint64_t records[2 * N];
	uint32_t exit;

	tf_writer_add_block(f.writer, &block, NULL, NULL);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &p, NULL, &exit, NULL), 0);
	for (unsigned i = 0; i < N; i++) {
		records[2 * i] = tf_record_head(0, 1);
		records[2 * i + 1] = expected[i];
	}
	for (unsigned thread = 0; thread < THREADS; thread++) {
		if (thread) {
			ck_assert_int_eq(tf_stream_close(f.stream, NULL), 0);
			tf_writer_add_thread(f.writer, &(struct tf_thread){ .tid = 1 + thread },
					     NULL, NULL);
			ck_assert_int_eq(tf_stream_open(f.writer, thread, &f.stream, NULL), 0);
		}
		ck_assert_int_eq(tf_stream_records(f.stream, records, 2 * N, &exit, 1, NULL),
				 2 * N);
	}
	reader = reopen(&f);
	for (unsigned thread = 0; thread < THREADS; thread++)
		check_values_of(reader, thread, expected, N);
	tf_close(reader);
	close(f.fd);
}
END_TEST

/* A path that needs rsp may be executed only where rsp is known. */
START_TEST(unknown_rsp)
{
	struct tf_recipe recipe = { .base = TF_BASE_RSP, .displacement = 8 };
	struct tf_exit exits[] = {
		{ .n_blocks = 1, .rsp_rule = TF_RSP_UNTRACKED },
		{ .n_blocks = 1, .rsp_rule = TF_RSP_DELTA, .rsp_value = -16 },
	};
	struct tf_path p = { .n_blocks = 1,
			     .n_exits = 2,
			     .n_values = 1,
			     .recipes = &recipe,
			     .blocks = (uint32_t[]){ 0 },
			     .exits = exits };
	static const uint64_t expected[] = { 0x7008, 0x6ff8, 0x9008, 0x8ff8, 0xa008 };
	struct fixture f = begin(NULL);
	struct tf_reader *reader;

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
	tf_stream_registers(f.stream, 0x8ff0, 0, 0); /* no change */
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), 0);
	tf_stream_registers(f.stream, 0xa000, 0, 0); /* inside a chunk */
	ck_assert_int_eq(tf_stream_exec(f.stream, 1, NULL, NULL), 0);
	reader = reopen(&f);
	check_first_values(reader, expected, 5);
	tf_close(reader);
	close(f.fd);
}
END_TEST

/* If rsp changes between executions, the execution before can store it; no chunk begins. */
START_TEST(rsp_is_told_by_executions)
{
	struct tf_recipe recipe = { .base = TF_BASE_RSP }, constant = { .base = TF_BASE_CONSTANT };
	struct tf_exit delta = { .n_blocks = 1, .rsp_rule = TF_RSP_DELTA, .rsp_value = -16 };
	struct tf_exit slot = { .n_blocks = 1, .rsp_rule = TF_RSP_SLOT, .n_slots = 1 };
	struct tf_path user = { .n_blocks = 1,
				.n_exits = 1,
				.n_values = 1,
				.recipes = &recipe,
				.blocks = (uint32_t[]){ 0 },
				.exits = &delta };
	struct tf_path teller = { .n_blocks = 1,
				  .n_exits = 1,
				  .n_values = 1,
				  .n_slots = 1,
				  .recipes = &constant,
				  .blocks = (uint32_t[]){ 0 },
				  .exits = &slot };
	static const uint64_t expected[] = { 0x7000, 0x8000, 0, 0xa000 };
	const struct tf_event event = { .kind = TF_EVENT_TIME };
	struct fixture f = begin(NULL);
	struct tf_reader *reader;
	struct tf_info info;

	tf_writer_add_block(f.writer, &block, NULL, NULL);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &user, NULL, NULL, NULL), 0);
	ck_assert_int_eq(tf_writer_add_path(f.writer, &teller, NULL, NULL, NULL), 0);
	ck_assert(!tf_stream_misses_rsp(f.stream, 0x7000)); /* a chunk begins */
	tf_stream_registers(f.stream, 0x7000, 0, 0);
	ck_assert_int_eq(tf_stream_partial(f.stream, 0, 2, NULL, 0, 0x6ff0, NULL), 0);
	ck_assert_int_eq(tf_stream_event(f.stream, &event, NULL), 0);
	ck_assert(!tf_stream_misses_rsp(f.stream, 0x8000));
	tf_stream_registers(f.stream, 0x8000, 0, 0);
	tf_stream_registers(f.stream, 0x8000000000, 0, 0); /* has more bytes */
	tf_stream_registers(f.stream, 0x8000, 0, 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 0, NULL, NULL), 0);
	ck_assert(!tf_stream_misses_rsp(f.stream, 0x7ff0));
	ck_assert(tf_stream_misses_rsp(f.stream, 0x9000));
	ck_assert_int_eq(tf_stream_exec(f.stream, 2, (uint64_t[]){ 0xa000 }, NULL), 0);
	ck_assert(!tf_stream_misses_rsp(f.stream, 0xa000));
	tf_stream_registers(f.stream, 0xa000, 0, 0);
	ck_assert_int_eq(tf_stream_exec(f.stream, 0, NULL, NULL), 0);
	reader = reopen(&f);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.n_chunks, 1);
	check_first_values(reader, expected, 4);
	tf_close(reader);
	close(f.fd);
}
END_TEST

/* The longest paths in the longest chunks: no chunk may exceed what readers take. */
START_TEST(longest_chunk)
{
	struct tf_writer_options options = { .size = sizeof(options),
					     .chunk_instructions = 1 << 26 };
	struct fixture f = begin(&options);
	struct tf_exit exit = { .n_blocks = TF_MAX_PATH_BLOCKS };
	struct tf_insn i[TF_MAX_BLOCK_INSNS];
	uint8_t nops[TF_MAX_BLOCK_INSNS] = { 0 };
	struct tf_block b = { .module = TF_NONE,
			      .n_insns = TF_MAX_BLOCK_INSNS,
			      .insns = i,
			      .code_size = TF_MAX_BLOCK_INSNS,
			      .code = nops };
	uint32_t blocks[TF_MAX_PATH_BLOCKS] = { 0 };
	struct tf_path p = {
		.n_blocks = TF_MAX_PATH_BLOCKS, .n_exits = 1, .exits = &exit, .blocks = blocks
	};
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
		symbols[i] = (struct tf_symbol){
			.value = 16 * i, .size = 16, .kind = 2, .name = "s"
		};
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

int main(void)
{
	Suite *suite = suite_create("traceformat writer");
	TCase *tests = tcase_create("writer");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, bad_blocks, 0, 28);
	tcase_add_loop_test(tests, bad_paths, 0, 25);
	tcase_add_test(tests, too_many_values);
	tcase_add_test(tests, bad_references);
	tcase_add_test(tests, bad_executions);
	tcase_add_test(tests, next_threads);
	tcase_add_test(tests, unknown_rsp);
	tcase_add_test(tests, rsp_is_told_by_executions);
	tcase_add_test(tests, longest_chunk);
	tcase_add_test(tests, many_symbols);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
