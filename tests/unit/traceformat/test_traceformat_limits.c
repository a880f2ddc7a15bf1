/* SPDX-License-Identifier: MIT */
/*
 * Repetitions and sizes, which are values: the writer keeps to the limits of FORMAT.md 7, and the
 * reader refuses values beyond them.
 */
#include <fcntl.h>
#include <xxhash.h>

#include "tests/fuzz/loose_trace.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "tests/unit/traces/trace_file.h"
#include "traceformat/file/section.h"
#include "traceformat/writer/stream.h"

#define REP_STOSB BYTES("\xf3\xaa\xeb\xfc")
#define XSAVE     BYTES("\x0f\xae\x27\xeb\xfb")
#define MOST      (MAX_CHUNK_REPETITIONS / 2) /* of one execution */

enum { ADDRESS = 0x7000, N_VALUES = 4, TIMES = 5 };

static void begin(struct synthetic *s)
{
	synthetic_begin(s, NULL);
	ck_assert_uint_eq(synthetic_thread(s, synthetic_process(s, 1)), 0);
}

static void repeat(struct synthetic *s, const struct synthetic_code *rep, uint64_t n)
{
	synthetic_exec(s, 0, rep->taken, (uint64_t[N_VALUES]){ ADDRESS, n, n, 0 });
}

/* Reads the trace to its end; returns the reader's message, "" if there is none. */
static const char *read_all(struct synthetic *s, enum tf_view view, unsigned columns)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.view = view;
	options.columns = columns;
	s->error.text[0] = 0;
	synthetic_ok(s, tf_open(s->path, &reader, &s->error));
	synthetic_ok(s, tf_cursor_open(reader, &options, &cursor, &s->error));
	do
		status = tf_next(cursor, &item, &s->error);
	while (status > 0);
	ck_assert_int_eq(status, *s->error.text ? TF_E_DAMAGED : 0);
	tf_cursor_close(cursor);
	tf_close(reader);
	return s->error.text;
}

/* Checks that values beyond the limit are refused in each way of reading values. */
static void check_refused(struct synthetic *s, bool by_repetitions, const char *words)
{
	ck_assert_ptr_nonnull(strstr(read_all(s, TF_VIEW_BLOCKS, TF_ADDRESSES), words));
	ck_assert_ptr_nonnull(strstr(read_all(s, TF_VIEW_PATHS, TF_ADDRESSES), words));
	ck_assert_ptr_nonnull(strstr(s->error.text, " at offset "));
	if (by_repetitions)
		ck_assert_ptr_nonnull(strstr(read_all(s, TF_VIEW_PATHS, TF_REPETITIONS), words));
}

/* ---- the writer ------------------------------------------------------------------------------ */

static void write_often(struct synthetic *s, bool as_records)
{
	struct synthetic_code rep;
	uint64_t records[TIMES][1 + N_VALUES];

	begin(s);
	rep = synthetic_code(s, 0x1000, REP_STOSB);
	ck_assert_uint_eq(rep.n_values, N_VALUES);
	for (unsigned i = 0; i < TIMES; i++) {
		const uint64_t record[] = { tf_record_head(0, N_VALUES), ADDRESS, MOST, MOST, 0 };

		memcpy(records[i], record, sizeof(record));
		if (!as_records)
			repeat(s, &rep, MOST);
	}
	if (as_records)
		synthetic_ok(s, tf_stream_records(s->streams[0], records[0],
						  sizeof(records) / sizeof(uint64_t), &rep.taken, 1,
						  &s->error));
	synthetic_end(s);
}

/* Each chunk keeps to the limit, and no execution is lost. */
START_TEST(chunks_end_in_time)
{
	struct synthetic s;
	struct tf_reader *reader;
	struct tf_totals totals;

	write_often(&s, _i);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	synthetic_ok(&s, tf_get_thread_totals(reader, 0, &totals, &s.error));
	ck_assert_uint_eq(totals.repetitions, TIMES * MOST);
	tf_close(reader);
	ck_assert_str_eq(read_all(&s, TF_VIEW_PATHS, TF_REPETITIONS), "");
	synthetic_remove(&s);
}
END_TEST

START_TEST(too_often_is_not_written)
{
	static const uint64_t counts[] = { MAX_CHUNK_REPETITIONS + 1, UINT64_MAX };
	struct synthetic s;
	struct synthetic_code rep;

	begin(&s);
	rep = synthetic_code(&s, 0x1000, REP_STOSB);
	repeat(&s, &rep, 7);
	ck_assert_int_eq(tf_stream_exec(s.streams[0], rep.taken,
					(uint64_t[N_VALUES]){ ADDRESS, counts[_i], counts[_i], 0 },
					&s.error),
			 TF_E_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(s.error.text, "more than 2^39 times"));
	s.streams[0]->totals.repetitions = 7; /* so that the trace can be ended */
	synthetic_end(&s);
	synthetic_remove(&s);
}
END_TEST

/* ---- the reader ------------------------------------------------------------------------------ */

START_TEST(more_than_the_head_says)
{
	struct synthetic s;
	struct synthetic_code rep;

	begin(&s);
	rep = synthetic_code(&s, 0x1000, REP_STOSB);
	for (unsigned i = 0; i < 100; i++)
		repeat(&s, &rep, 10);
	s.streams[0]->totals.repetitions -= _i;
	synthetic_end(&s);
	if (_i)
		check_refused(&s, true, "repeat more often than it says");
	else
		ck_assert_str_eq(read_all(&s, TF_VIEW_PATHS, TF_REPETITIONS), "");
	synthetic_remove(&s);
}
END_TEST

/* Each number is within the limit of the head, but their sum is not. */
START_TEST(sums_beyond_the_head)
{
	struct synthetic s;
	struct synthetic_code rep;

	begin(&s);
	rep = synthetic_code(&s, 0x1000, REP_STOSB);
	repeat(&s, &rep, MOST - 1);
	s.streams[0]->totals.repetitions = 0;
	repeat(&s, &rep, MOST - 1);
	s.streams[0]->totals.repetitions = MOST;
	synthetic_end(&s);
	check_refused(&s, true, "repeat more often than it says");
	synthetic_remove(&s);
}
END_TEST

START_TEST(large_operands)
{
	struct synthetic s;
	struct synthetic_code xsave;

	begin(&s);
	xsave = synthetic_code(&s, 0x1000, XSAVE);
	ck_assert_uint_eq(xsave.n_values, 2);
	synthetic_exec(&s, 0, xsave.taken, (uint64_t[]){ ADDRESS, TF_MAX_OPERAND_BYTES + _i });
	synthetic_end(&s);
	if (_i)
		check_refused(&s, false, "an operand has more than 65536 bytes");
	else
		ck_assert_str_eq(read_all(&s, TF_VIEW_BLOCKS, TF_ADDRESSES), "");
	synthetic_remove(&s);
}
END_TEST

/* Adds 1 to the highest byte of the number of repetitions in the head of the chunk at offset. */
static void raise_head(int fd, size_t offset, size_t size)
{
	uint8_t bytes[4096], *descriptor = bytes + SECTION_HEADER_SIZE + 8, *head, *number;
	static const uint8_t limit[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x20 };
	size_t table;

	ck_assert_uint_le(size, sizeof(bytes));
	read_at(fd, bytes, size, offset);
	table = 8 + 32 * get_le16(bytes + SECTION_HEADER_SIZE);
	head = bytes + SECTION_HEADER_SIZE + table;
	ck_assert_uint_eq(get_le16(descriptor), COLUMN_HEAD);
	number = memmem(head, get_le64(descriptor + 16), limit, sizeof(limit));
	number = memmem(number + 1, 100, limit, sizeof(limit)); /* behind that of stores */
	ck_assert_ptr_nonnull(number);
	number[5]++;
	put_le64(descriptor + 24, XXH3_64bits(head, get_le64(descriptor + 16)));
	put_le64(bytes + 64, XXH3_64bits(bytes + SECTION_HEADER_SIZE, table));
	put_le64(bytes + 72, XXH3_64bits(bytes, 72));
	write_at(fd, bytes, size, offset);
}

START_TEST(heads_beyond_the_limit)
{
	struct synthetic s;
	struct synthetic_code rep;
	struct tf_section_info info;
	struct tf_reader *reader;
	uint32_t i = 0;
	int fd;

	begin(&s);
	rep = synthetic_code(&s, 0x1000, REP_STOSB);
	repeat(&s, &rep, MAX_CHUNK_REPETITIONS);
	synthetic_end(&s);
	fd = open(s.path, O_RDWR | O_CLOEXEC);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	while (tf_section(reader, i, &info) && info.kind != SECTION_CHUNK)
		i++;
	raise_head(fd, info.offset, SECTION_HEADER_SIZE + info.stored_size);
	tf_close(reader);
	close(fd);
	check_refused(&s, true, "2^40");
	synthetic_remove(&s);
}
END_TEST

/* A block may have as many values as a path, and no more; a trace with both can be read. */
START_TEST(values_of_a_block)
{
	enum { GATHERS = 248, VALUES = 1 + 1 + TF_MAX_LANES }; /* of each: address, mask, indices */
	static const uint8_t code[GATHERS + 1];
	static struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
	static struct tf_insn insns[GATHERS + 1];
	static struct tf_recipe recipes[TF_MAX_PATH_VALUES]; /* all constants */
	static const struct tf_exit end = { .n_blocks = 1 };
	struct tf_block block = { .module = TF_NONE, .pc = 0x1000, .insns = insns };
	struct tf_path path = { .n_blocks = 1, .n_exits = 1, .recipes = recipes, .exits = &end };
	unsigned loads = TF_MAX_PATH_VALUES - GATHERS * VALUES;
	struct tf_reader *reader;
	struct synthetic s;

	for (uint16_t i = 0; i <= GATHERS; i++) {
		insns[i] = (struct tf_insn){ i, 1, 0, i, 1 };
		operands[i] = (struct tf_operand){
			.insn = i,
			.access = TF_LOAD,
			.form = TF_LANES,
			.lanes = TF_MAX_LANES,
			.index_size = 8,
			.scale = 1,
			.size = 1,
			.extra = (uint16_t)(GATHERS + loads + i * (VALUES - 1)),
		};
	}
	for (unsigned i = 0; i <= loads; i++)
		operands[GATHERS + i] = (struct tf_operand){ .insn = GATHERS,
							     .access = TF_LOAD,
							     .size = 1 };
	insns[GATHERS].n_operands = (uint8_t)loads;
	block.code = code;
	block.operands = operands;
	block.n_insns = block.code_size = GATHERS + 1;
	block.n_operands = (uint16_t)(GATHERS + loads);
	block.n_values = TF_MAX_PATH_VALUES;
	begin(&s);
	synthetic_ok(&s, tf_writer_add_block(s.writer, &block, &block.id, &s.error));
	path.blocks = &block.id;
	path.n_insns = block.n_insns;
	path.n_values = block.n_values;
	synthetic_ok(&s, tf_writer_add_path(s.writer, &path, NULL, NULL, &s.error));
	insns[GATHERS].n_operands++;
	block.n_operands++;
	block.n_values++;
	ck_assert_int_eq(tf_writer_add_block(s.writer, &block, NULL, &s.error), TF_E_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(s.error.text, "too many values"));
	synthetic_end(&s);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	synthetic_ok(&s, tf_load(reader, &s.error));
	ck_assert_ptr_nonnull(tf_path(reader, 0));
	ck_assert_uint_eq(tf_path(reader, 0)->n_values, TF_MAX_PATH_VALUES);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	tf_close(reader);
	synthetic_remove(&s);
}
END_TEST

/* ---- sizes of sections and columns --------------------------------------------------------- */

START_TEST(sizes_that_can_be)
{
	ck_assert(sizes_plausible(CODEC_STORED, 7, 7));
	ck_assert(!sizes_plausible(CODEC_STORED, 7, 8));
	ck_assert(!sizes_plausible(CODEC_STORED, 7, 6));
	ck_assert(sizes_plausible(CODEC_STORED, MAX_RAW_SIZE, MAX_RAW_SIZE));
	ck_assert(!sizes_plausible(CODEC_STORED, MAX_RAW_SIZE + 1, MAX_RAW_SIZE + 1));
	ck_assert(sizes_plausible(CODEC_ZSTD, 1, MAX_EXPANSION));
	ck_assert(!sizes_plausible(CODEC_ZSTD, 1, MAX_EXPANSION + 1));
	ck_assert(!sizes_plausible(CODEC_ZSTD, MAX_RAW_SIZE * 2 + 1, 7));
	ck_assert(!sizes_plausible(CODEC_COLUMNS, 7, 7));
}
END_TEST

/* A header has zeros in its last 4 bytes of description, and a size from which offsets follow. */
START_TEST(headers_that_can_be)
{
	struct section s = { .kind = SECTION_META, .stored = UINT64_MAX / 2 };
	uint8_t h[SECTION_HEADER_SIZE];
	uint64_t hash;

	section_header_write(&s, 7, h);
	ck_assert(section_header_read(h, &s, &hash));
	ck_assert_uint_eq(hash, 7);
	s.stored++;
	section_header_write(&s, 7, h);
	ck_assert(!section_header_read(h, &s, &hash));
	s.stored = 7;
	section_header_write(&s, 7, h);
	h[63] = 1;
	put_le64(h + 72, XXH3_64bits(h, 72));
	ck_assert(!section_header_read(h, &s, &hash));
}
END_TEST

static void expect_sizes(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	ck_assert_msg(strstr(error->text, "a column's sizes cannot be"), "%s", error->text);
}

/* Adds bytes to a column. step: 0, or one that makes them compress less. */
static void enlarge(struct loose_part *part, size_t size, uint32_t step)
{
	for (size_t i = 0; i < size; i++)
		put_u8(&part->bytes, (uint8_t)(i * step >> 8));
	part->compress = true;
}

/* Two columns, each of which fits into a chunk, do not fit together. */
START_TEST(columns_that_fit_alone)
{
	enum { LESS = 48 << 20, MORE = 49 << 20 };
	struct random_options options = small_options(3);
	struct random_trace *trace = random_trace_new(&options);
	int fd = file_of_trace(trace, true);
	size_t size = file_size(fd);
	uint8_t *bytes = malloc(size);
	struct loose_trace t = { 0 };
	struct buffer file = { 0 };
	struct loose_section *chunk;
	struct tf_reader *reader;

	read_at(fd, bytes, size, 0);
	ck_assert(loose_trace_take(&t, bytes, size, 1 << 20));
	chunk = &t.sections[loose_trace_find(&t, SECTION_CHUNK, 0)];
	ck_assert_uint_gt(chunk->n_parts, 1);
	ck_assert_uint_eq(chunk->parts[0].id, COLUMN_HEAD);
	enlarge(&chunk->parts[0], LESS, 0);
	/* The size is not the column's: its limit is looked at before the column is read. */
	enlarge(&chunk->parts[1], 1 << 18, 40503);
	chunk->parts[1].raw = MORE;
	loose_trace_put(&t, &file);
	write_at(fd, file.data, file.size, 0);
	reader = open_file(fd);
	ck_assert_int_ge(tf_verify(reader, expect_sizes, NULL, NULL), 1);
	tf_close(reader);
	close(fd);
	buffer_free(&file);
	loose_trace_free(&t);
	random_trace_free(trace);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat limits");
	TCase *tests = tcase_create("limits");

	tcase_add_loop_test(tests, chunks_end_in_time, 0, 2);
	tcase_add_loop_test(tests, too_often_is_not_written, 0, 2);
	tcase_add_loop_test(tests, more_than_the_head_says, 0, 2);
	tcase_add_test(tests, sums_beyond_the_head);
	tcase_add_loop_test(tests, large_operands, 0, 2);
	tcase_add_test(tests, heads_beyond_the_limit);
	tcase_add_test(tests, values_of_a_block);
	tcase_add_test(tests, sizes_that_can_be);
	tcase_add_test(tests, headers_that_can_be);
	tcase_add_test(tests, columns_that_fit_alone);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
