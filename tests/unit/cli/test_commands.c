/* SPDX-License-Identifier: MIT */
/*
 * The commands on a small trace that has every form of operand, every kind of event, and names
 * that are up to no good. They are looked for beside this test's folder, in ../bin; what they
 * should print in tests/cli/expected.
 */
#include <check.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/run_suite.h"
#include "traceformat/traceformat.h"

static char source[PATH_MAX];	/* its top: where tests are run from */
static char bin[PATH_MAX + 4];
static char folder[] = "/tmp/test_commands.XXXXXX";

/* ---- the trace --------------------------------------------------------------------------- */

static struct tf_error error;
#define OK(call) ck_assert_msg((call) >= 0, "%s", error.text)

static const uint8_t main_code[] = {
	0x55,			/* push %rbp */
	0x48, 0x8b, 0x18,	/* mov (%rax), %rbx */
	0xf3, 0xa4,		/* rep movsb */
	0x01, 0x03,		/* add %eax, (%rbx) */
	0x0f, 0x18, 0x08,	/* prefetcht0 (%rax) */
	0x0f, 0x05,		/* syscall */
};
static const struct tf_insn main_insns[] = {
	{ .offset = 0, .length = 1, .first_operand = 0, .n_operands = 1 },
	{ .offset = 1, .length = 3, .first_operand = 1, .n_operands = 1 },
	{ .offset = 4, .length = 2, .flags = TF_INSN_REP, .first_operand = 2, .n_operands = 2 },
	{ .offset = 6, .length = 2, .first_operand = 4, .n_operands = 1 },
	{ .offset = 8, .length = 3, .first_operand = 5, .n_operands = 1 },
	{ .offset = 11, .length = 2, .first_operand = 6 },
};
static const struct tf_operand main_operands[] = {
	{ .access = TF_STORE, .flags = TF_IMPLICIT, .size = 8 },
	{ .access = TF_LOAD, .size = 8 },
	{ .access = TF_STORE, .form = TF_REP, .flags = TF_IMPLICIT, .size = 1 },
	{ .access = TF_LOAD, .form = TF_REP, .flags = TF_IMPLICIT, .size = 1 },
	{ .access = TF_LOAD | TF_STORE, .size = 4 },
	{ .access = TF_PREFETCH, .size = 64 },
};
static const uint64_t main_values[] = {
	0x7ffe1000, 0x5000, 0x6000, 0x7000, 0x8000, 0x9000,
	10, 4, TF_REP_DOWN | TF_REP_INTERRUPTED,
};

static const uint8_t lanes_code[] = {
	0xc4, 0xe2, 0x69, 0x90, 0x04, 0x88,	/* vpgatherdd %xmm2, (%rax,%xmm1,4), %xmm0 */
	0xc4, 0xe2, 0x71, 0x2c, 0x00,		/* vmaskmovps (%rax), %xmm1, %xmm0 */
	0x0f, 0xae, 0x27,			/* xsave (%rdi) */
	0x06,					/* nothing in 64-bit mode */
};
static const struct tf_insn lanes_insns[] = {
	{ .offset = 0, .length = 6, .first_operand = 0, .n_operands = 1 },
	{ .offset = 6, .length = 5, .first_operand = 1, .n_operands = 1 },
	{ .offset = 11, .length = 3, .first_operand = 2, .n_operands = 1 },
	{ .offset = 14, .length = 1, .flags = TF_INSN_OPAQUE, .first_operand = 3 },
};
static const struct tf_operand lanes_operands[] = {
	{ .access = TF_LOAD, .form = TF_LANES, .size = 4, .lanes = 4, .index_size = 4, .scale = 4 },
	{ .access = TF_LOAD, .form = TF_MASKED, .size = 4, .lanes = 4 },
	{ .access = TF_STORE, .form = TF_SIZED },
};
static const uint64_t lanes_values[] = {
	0x10000, 0x20000, 0x30000,
	0x5, 0x200000001, 0xfffffffffffffffc,	/* lanes 0 and 2; indices 1, 2, -4, -1 */
	0xa,					/* lanes 1 and 3 */
	2696,
};

/* Adds a block and a path of it alone; returns the exit after the whole of it. */
static uint32_t add_block(struct tf_writer *writer, const struct tf_block *block, uint16_t n_values,
			  uint32_t *path_id)
{
	struct tf_exit out = { .n_blocks = 1, .n_slots = n_values };
	struct tf_path path = {
		.n_blocks = 1, .n_exits = 1, .n_slots = n_values, .n_values = n_values,
		.exits = &out,
	};
	uint32_t block_id, whole;

	OK(tf_writer_add_block(writer, block, &block_id, &error));
	path.blocks = &block_id;
	OK(tf_writer_add_path(writer, &path, path_id, &whole, &error));
	return whole;
}

static void put_events(struct tf_stream *stream)
{
	const struct tf_event events[] = {
		{ .kind = TF_EVENT_SYSCALL, .syscall = { 1, { 1, 0x5000, 3, 4, 5, 6 }, 1000 } },
		{ .kind = TF_EVENT_SYSCALL_RESULT, .syscall_result = { 1, -2, 2000 } },
		{ .kind = TF_EVENT_SYSCALL_RESULT, .syscall_result = { 9999, 77, 2000 } },
		{ .kind = TF_EVENT_SIGNAL, .signal = { 11, -1, 0xdead, 0x401001, 0x402000 } },
		{ .kind = TF_EVENT_SIGRETURN, .sigreturn = { 0x401001 } },
		{ .kind = TF_EVENT_EXEC, .exec = { "/bin/\"q\"\n\xff", 3000 } },
		{ .kind = TF_EVENT_MAPPING, .mapping = { 0 } },
		{ .kind = TF_EVENT_REGION_BEGIN, .region = { 0 } },
		{ .kind = TF_EVENT_REGION_END, .region = { 0 } },
		{ .kind = TF_EVENT_CALL, .call = { 0, 2, { 16, 32 } } },
		{ .kind = TF_EVENT_RETURN, .ret = { 0, 0x5000 } },
		{ .kind = TF_EVENT_CONTROL_WORD, .control_word = { TF_MXCSR, 0x1f80 } },
		{ .kind = TF_EVENT_GAP, .gap = { TF_GAP_SKIPPED, 5 } },
		{ .kind = TF_EVENT_TIME, .time = { 4000 } },
		{ .kind = TF_EVENT_SEGMENT_BASE, .segment_base = { TF_SEGMENT_FS, 0x7000 } },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		OK(tf_stream_event(stream, &events[i], &error));
}

enum trace_kind { GOOD, UNFINISHED, WITHOUT_ADDRESSES };

static void write_trace(const char *path, enum trace_kind kind)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = 1700000000123456789,
		.uuid = (const uint8_t *)"0123456789abcdef",
		.order_exact = true,
		.no_addresses = kind == WITHOUT_ADDRESSES,
	};
	const struct tf_module module = {
		.path = "/bin/e\033vil", .build_id = { 0xab, 0xcd }, .build_id_size = 2,
		.file_size = 12345,
	};
	const struct tf_symbol symbols[] = {
		{ .value = 0x1000, .size = 0x20, .kind = 2, .name = "main" },
		{ .value = 0x1020, .size = 0x20, .kind = 2, .name = "la\x01nes" },
	};
	const struct tf_mapping mapping = {
		.start = 0x400000, .size = 0x2000, .file_offset = 0x1000, .protection = 5,
		.name = "/bin/e\033vil",
	};
	const struct tf_block main_block = {
		.pc = 0x401000, .module_offset = 0x1000, .end = TF_END_SYSCALL,
		.n_insns = 6, .n_operands = 6, .code_size = sizeof(main_code),
		.code = main_code, .insns = main_insns, .operands = main_operands,
	};
	const struct tf_block lanes_block = {
		.pc = 0x401024, .module_offset = 0x1024, .end = TF_END_OPAQUE,
		.n_insns = 4, .n_operands = 3, .code_size = sizeof(lanes_code),
		.code = lanes_code, .insns = lanes_insns, .operands = lanes_operands,
	};
	struct tf_writer *writer;
	struct tf_stream *streams[2];
	uint32_t main_path, lanes_path;

	OK(tf_writer_create(path, &options, &writer, &error));
	OK(tf_writer_meta(writer, "command.argv", "e\033vil --now", &error));
	OK(tf_writer_add_module(writer, &module, NULL, &error));
	OK(tf_writer_add_symbols(writer, 0, symbols, 2, &error));
	OK(tf_writer_add_process(writer, &(struct tf_process){ .pid = 100, .parent = TF_NONE },
				 NULL, &error));
	OK(tf_writer_add_thread(writer, &(struct tf_thread){ .tid = 100 }, NULL, &error));
	OK(tf_writer_add_thread(writer, &(struct tf_thread){ .tid = 101 }, NULL, &error));
	OK(tf_writer_add_function(writer, &(struct tf_function){ .n_args = 2, .name = "calloc" },
				  NULL, &error));
	OK(tf_writer_add_mapping(writer, &mapping, NULL, &error));
	OK(tf_writer_add_region(writer, &(struct tf_region){ .name = "the, region" }, NULL,
				&error));
	uint32_t main_exit = add_block(writer, &main_block, 9, &main_path);
	uint32_t lanes_exit = add_block(writer, &lanes_block, 8, &lanes_path);

	for (uint32_t i = 0; i < 2; i++) {
		const struct tf_event start = {
			.kind = TF_EVENT_THREAD_START, .thread_start = { i, 10 },
		};

		OK(tf_stream_open(writer, i, &streams[i], &error));
		OK(tf_stream_event(streams[i], &start, &error));
	}
	const struct tf_event begin = { .kind = TF_EVENT_PROCESS_START, .process_start = { 0, 20 } };
	const struct tf_event end = { .kind = TF_EVENT_THREAD_EXIT, .thread_exit = { 3, 30 } };
	const struct tf_event killed = { .kind = TF_EVENT_PROCESS_EXIT, .process_exit = { 11, 40 } };

	OK(tf_stream_event(streams[0], &begin, &error));
	OK(tf_stream_exec(streams[0], main_exit, main_values, &error));
	OK(tf_writer_schedule(writer, 0, 6, &error));
	put_events(streams[0]);
	OK(tf_stream_partial(streams[1], main_path, 2, main_values, 9, 0, &error));
	OK(tf_writer_schedule(writer, 1, 2, &error));
	OK(tf_stream_exec(streams[0], lanes_exit, lanes_values, &error));
	OK(tf_writer_schedule(writer, 0, 4, &error));
	OK(tf_stream_event(streams[0], &end, &error));
	OK(tf_stream_event(streams[0], &killed, &error));
	OK(tf_stream_close(streams[0], &error));
	OK(tf_stream_close(streams[1], &error));
	if (kind != UNFINISHED)
		OK(tf_writer_finish(writer, 11, "exit", &error));
	else
		OK(tf_writer_flush(writer, &error));
	tf_writer_free(writer);
}

/* The good trace with a bit flipped in its first section of that kind, a chunk of thread 0;
 * returns the bytes that are lost with it. */
static uint64_t write_damaged(const char *path, const char *kind)
{
	struct tf_section_info section;
	struct tf_reader *reader;
	uint32_t i = 0;

	OK(tf_open("good.trace", &reader, &error));
	do
		ck_assert(tf_section(reader, i++, &section));
	while (strcmp(tf_section_kind_name(section.kind), kind) ||
	       (section.thread != 0 && section.thread != TF_NONE));
	tf_close(reader);
	ck_assert_int_eq(system("cp good.trace damaged"), 0);
	ck_assert_int_eq(rename("damaged", path), 0);
	FILE *file = fopen(path, "r+");
	long inside = (long)(section.offset + 80 + section.stored_size / 2);

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, inside, SEEK_SET), 0);
	int byte = getc(file);

	ck_assert_int_eq(fseek(file, inside, SEEK_SET), 0);
	ck_assert_int_ne(putc(byte ^ 1, file), EOF);
	ck_assert_int_eq(fclose(file), 0);
	return 80 + ((section.stored_size + 7) & ~UINT64_C(7));
}

/* ---- running ----------------------------------------------------------------------------- */

struct result {
	int status;
	char out[1 << 15], err[1 << 12];
};

static void read_all(const char *name, char *text, size_t size)
{
	FILE *file = fopen(name, "r");

	ck_assert_msg(file, "%s cannot be opened", name);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Runs "trace-" command in the folder of the traces. */
static const struct result *run(const char *command)
{
	static struct result result;
	char line[PATH_MAX + 1024];

	snprintf(line, sizeof(line), "PATH='%s':'%s':$PATH; { trace-%s; } >out 2>err",
		 bin, folder, command);
	int status = system(line);

	ck_assert(WIFEXITED(status));
	result.status = WEXITSTATUS(status);
	read_all("out", result.out, sizeof(result.out));
	read_all("err", result.err, sizeof(result.err));
	return &result;
}

/* Fails with the first line that differs. */
static void expect_lines(const char *text, const char *expected)
{
	for (int line = 1; *text || *expected; line++) {
		size_t length = strcspn(text, "\n"), expected_length = strcspn(expected, "\n");

		ck_assert_msg(length == expected_length && !memcmp(text, expected, length),
			      "line %d is '%.*s', not '%.*s'", line, (int)length, text,
			      (int)expected_length, expected);
		text += length + (text[length] == '\n');
		expected += expected_length + (expected[expected_length] == '\n');
	}
}

static void expect(const char *command, int status, const char *out, const char *err)
{
	const struct result *result = run(command);

	ck_assert_msg(result->status == status, "%s: status %d, %s", command, result->status,
		      result->err);
	expect_lines(result->err, err);
	expect_lines(result->out, out);
}

static void expect_file(const char *command, const char *name)
{
	char path[2 * PATH_MAX], text[1 << 15];

	snprintf(path, sizeof(path), "%s/tests/cli/expected/%s", source, name);
	read_all(path, text, sizeof(text));
	expect(command, 0, text, "");
}

static void expect_in(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

static void setup(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(bin, sizeof(bin), "%s/bin", self);
	ck_assert_ptr_nonnull(getcwd(source, sizeof(source)));
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	write_trace("good.trace", GOOD);
	write_trace("open.trace", UNFINISHED);
	write_trace("control.trace", WITHOUT_ADDRESSES);
	write_damaged("bad.trace", "CHUNK");
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	char line[sizeof(folder) + 16];

	snprintf(line, sizeof(line), "rm -r %s", folder);
	ck_assert_int_eq(system(line), 0);
}

/* ---- trace-dump -------------------------------------------------------------------------- */

START_TEST(dump_text_is_exact)
{
	expect_file("dump good.trace", "dump.text");
}
END_TEST

START_TEST(dump_jsonl_is_exact)
{
	expect_file("dump --format=jsonl good.trace", "dump.jsonl");
}
END_TEST

START_TEST(dump_csv_is_exact)
{
	expect_file("dump --format=csv good.trace", "dump.csv");
}
END_TEST

START_TEST(dump_blocks)
{
	expect("dump --blocks --no-events good.trace", 0,
	"         0  t0        401000  block 0          6 of   6  not-taken  main (e\\x1bvil)\n"
	"         0  t1        401000  block 0          2 of   6  partial    main (e\\x1bvil)\n"
	"         6  t0        401024  block 1          4 of   4  not-taken  la\\x01nes+0x4 (e\\x1bvil)\n",
	"");
}
END_TEST

START_TEST(dump_blocks_jsonl)
{
	expect("dump --blocks --no-events --thread=1 --format=jsonl good.trace", 0,
	"{\"type\":\"block\",\"ordinal\":0,\"thread\":1,\"pc\":\"0x401000\",\"block\":0,\"instructions\":2,\"outcome\":\"partial\"}\n",
	"");
}
END_TEST

START_TEST(dump_blocks_csv)
{
	expect("dump --blocks --format=csv -t 1 good.trace", 0,
	"type,ordinal,thread,pc,block,instructions,outcome,text\n"
	"event,0,1,,,,,thread-start started=1 tid=101 process=0 time_ns=10\n"
	"block,0,1,0x401000,0,2,partial,main (e\033vil)\n",
	"");
}
END_TEST

START_TEST(dump_part)
{
	expect("dump --no-events -f 5 --count=2 --intel --bytes --symbols=no good.trace", 0,
	"         5  t0        40100b  0f05                  syscall\n"
	"         0  t1        401000  55                    push rbp                             [store 8 @0x7ffe1000]\n",
	"");
}
END_TEST

START_TEST(dump_part_of_thread)
{
	expect("dump --no-events -t 1 -f 1 good.trace", 0,
	"main+0x1 (e\\x1bvil):\n"
	"         1        401001  mov (%rax), %rbx                     [load 8 @0x5000]\n",
	"");
}
END_TEST

START_TEST(dump_without_addresses)
{
	const struct result *result = run("dump --no-events --symbols=no -c 3 control.trace");

	ck_assert_int_eq(result->status, 0);
	ck_assert_str_eq(result->out,
		"         0  t0        401000  push %rbp                            [store 8]\n"
		"         1  t0        401001  mov (%rax), %rbx                     [load 8]\n"
		"         2  t0        401004  rep movsb                            "
		"[store 1 x4 down interrupted] [load 1 x4 down interrupted]\n");
	result = run("dump --no-events --format=jsonl -f 2 -c 1 control.trace");
	expect_in(result->out,
		  "\"mem\":[{\"kind\":\"store\",\"address\":null,\"size\":1,\"count\":4,"
		  "\"down\":true,\"interrupted\":true},"
		  "{\"kind\":\"load\",\"address\":null,\"size\":1,\"count\":4,"
		  "\"down\":true,\"interrupted\":true}]}\n");
	result = run("dump --no-events --format=jsonl -t 0 -f 8 control.trace");
	expect_in(result->out, "\"mem\":[{\"kind\":\"store\",\"address\":null,\"size\":2696,"
			       "\"count\":1}]}\n");
}
END_TEST

START_TEST(dump_passes_over_damage)
{
	const struct result *result = run("dump --no-events --symbols=no bad.trace");

	ck_assert_int_eq(result->status, 1);
	expect_in(result->err, "trace-dump: error: bad.trace: ");
	expect_in(result->out, "  t1  ");
	ck_assert_ptr_null(strstr(result->out, "vpgather"));
}
END_TEST

START_TEST(dump_says_what_is_lost)
{
	write_damaged("names.trace", "SYMBOLS");
	const struct result *result = run("dump names.trace");

	expect_in(result->err, "trace-dump: names.trace: trace is damaged: ");
	ck_assert_ptr_null(strstr(result->out, "main"));
}
END_TEST

START_TEST(dump_beyond_the_end)
{
	expect("dump --from=12 --no-events good.trace", 0, "",
	       "trace-dump: warning: nothing was executed from instruction 12 on; there are 12\n");
	expect("dump --from=2k --thread=1 good.trace", 0, "",
	       "trace-dump: warning: nothing was executed from instruction 2,000 on; "
	       "there are 2\n");
	ck_assert_str_eq(run("dump --from=11 good.trace")->err, "");
	ck_assert_str_eq(run("dump --count=0 good.trace")->err, "");
	ck_assert_str_eq(run("dump --from=3 --count=0 good.trace")->err, "");
	expect_in(run("mix --from=12 good.trace")->err,
		  "trace-mix: warning: nothing was executed from instruction 12 on");
	ck_assert_str_eq(run("mix --from=11 good.trace")->err, "");
	ck_assert_str_eq(run("mix --from=12 --count=0 good.trace")->err, "");
}
END_TEST

START_TEST(dump_standard_input)
{
	expect_file("dump - <good.trace", "dump.text");
}
END_TEST

START_TEST(dump_refuses)
{
	static const char *const usage[] = {
		"dump", "dump a b", "dump --from=x a", "dump -c -1 a", "dump -t 4294967295 a",
		"dump --symbols=maybe a", "dump --format=json a", "dump --nonsense a",
	};

	for (size_t i = 0; i < sizeof(usage) / sizeof(usage[0]); i++) {
		const struct result *result = run(usage[i]);

		ck_assert_msg(result->status == 2, "%s: %d", usage[i], result->status);
		ck_assert_str_eq(result->out, "");
		expect_in(result->err, "Try 'trace-dump --help'.\n");
	}
	ck_assert_int_eq(run("dump --thread=9 good.trace")->status, 1);
	ck_assert_int_eq(run("dump nowhere.trace")->status, 1);
	expect("dump - <&-", 1, "", "trace-dump: error: standard input: Bad file descriptor\n");
	ck_assert_int_eq(run("dump /etc/passwd")->status, 1);
}
END_TEST

/* ---- trace-info -------------------------------------------------------------------------- */

static json_t *run_json(const char *command)
{
	json_error_t json_error;
	json_t *root = json_loads(run(command)->out, 0, &json_error);

	ck_assert_msg(root, "%s: %s", command, json_error.text);
	return root;
}

static json_int_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_integer(value), "%s", key);
	return json_integer_value(value);
}

START_TEST(info_json)
{
	json_t *info = run_json("info --format=json good.trace");
	struct stat file;

	ck_assert_int_eq(stat("good.trace", &file), 0);
	ck_assert_int_eq(number(info, "instructions"), 12);
	ck_assert_int_eq(number(info, "loads"), 1 + 4 + 1 + 1 + 4);
	ck_assert_int_eq(number(info, "stores"), 1 + 4 + 1 + 1 + 1);
	ck_assert_int_eq(number(info, "threads"), 2);
	ck_assert_int_eq(number(info, "processes"), 1);
	ck_assert_int_eq(number(info, "bytes"), file.st_size);
	ck_assert_int_eq(number(info, "exit_signal"), 11);
	ck_assert(json_is_true(json_object_get(info, "complete")));
	ck_assert_str_eq(json_string_value(json_object_get(info, "created")),
			 "2023-11-14T22:13:20Z");
	ck_assert_str_eq(json_string_value(json_object_get(info, "command")), "e\033vil --now");
	json_decref(info);
}
END_TEST

/* What each row of a table stores adds up to this. */
static json_int_t sum(const json_t *table)
{
	json_int_t total = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(table, i, row)
		total += number(row, "stored");
	return total;
}

START_TEST(info_sizes_add_up)
{
	json_t *info = run_json("info --format=json --columns good.trace");
	json_t *kinds = json_object_get(info, "section_kinds");
	const json_t *row;
	size_t i;

	ck_assert_int_eq(sum(kinds), number(info, "bytes"));
	json_array_foreach(kinds, i, row)
		if (!strcmp(json_string_value(json_object_get(row, "kind")), "CHUNK"))
			ck_assert_int_eq(number(row, "stored"),
					 sum(json_object_get(info, "columns")));
	json_decref(info);
}
END_TEST

START_TEST(info_lists)
{
	const struct result *result = run("info -tm --meta good.trace");

	ck_assert_int_eq(result->status, 0);
	expect_in(result->out, "process list:\n"
			       "process  pid  parent\n"
			       "      0  100  -\n");
	expect_in(result->out, "thread  process  tid  instructions  loads  stores  events\n"
			       "     0        0  100            10     10       7      19\n"
			       "     1        0  101             2      1       1       1\n");
	expect_in(result->out, "module  kind  size [bytes]  symbols  build id  path\n"
			       "     0  file        12,345        2  abcd      /bin/e\\x1bvil\n");
	expect_in(result->out, "command.argv  e\\x1bvil --now\n");
}
END_TEST

START_TEST(info_of_unfinished)
{
	json_t *info = run_json("info --format=json open.trace");
	const struct result *result = run("info --format=json open.trace");

	ck_assert_int_eq(result->status, 0);
	expect_in(result->err, "trace-info: open.trace: trace was not closed: ");
	expect_in(result->err, " sections usable, 12 instructions; 0 bytes lost\n");
	ck_assert(json_is_false(json_object_get(info, "complete")));
	ck_assert(json_is_null(json_object_get(info, "stop_reason")));
	ck_assert_int_eq(number(info, "instructions"), 12);
	json_decref(info);
}
END_TEST

START_TEST(info_refuses)
{
	const struct result *result = run("info nowhere.trace good.trace");

	ck_assert_int_eq(result->status, 1);
	expect_in(result->err, "nowhere.trace");
	expect_in(result->out, "good.trace");
	ck_assert_int_eq(run("info")->status, 2);
	ck_assert_int_eq(run("info --format=xml good.trace")->status, 2);
	result = run("info good.trace >/dev/full");
	ck_assert_int_eq(result->status, 1);
	expect_in(result->err, "No space left on device");
}
END_TEST

/* ---- trace-verify, trace-repair ---------------------------------------------------------- */

static void expect_state(const char *trace, const char *state, int status)
{
	char command[256];

	snprintf(command, sizeof(command), "verify --format=json %s", trace);
	json_t *root = run_json(command);
	const json_t *row = json_array_get(json_object_get(root, "traces"), 0);

	ck_assert_str_eq(json_string_value(json_object_get(row, "state")), state);
	json_decref(root);
	ck_assert_msg((run(command)->status == 0) == (status == 0), "%s", trace);
	ck_assert_msg((*run(command)->err == '\0') == (status == 0), "%s", trace);
}

static int lines_in(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

START_TEST(verify_states)
{
	expect_state("good.trace", "good", 0);
	expect_state("open.trace", "not closed", 1);
	expect_state("bad.trace", "damaged", 1);
	expect("verify -q good.trace", 0, "", "");
	/* One fault for each of the damaged places. */
	ck_assert_int_eq(lines_in(run("verify -q bad.trace")->err), 1);
	ck_assert_int_eq(lines_in(run("verify -q open.trace")->err), 1);
	ck_assert_int_eq(run("verify good.trace bad.trace")->status, 1);
	ck_assert_int_eq(run("verify /etc/passwd good.trace")->status, 1);
	ck_assert_int_eq(run("verify")->status, 2);
}
END_TEST

/* What verification alone finds is counted as well, once. */
START_TEST(verify_counts_losses)
{
	static const char *const kinds[] = { "CHUNK", "META", "SYMBOLS", "BLOCKS", "END" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t lost = write_damaged("lost.trace", kinds[i]);
		json_t *root = run_json("verify --format=json lost.trace");
		const json_t *row = json_array_get(json_object_get(root, "traces"), 0);
		int faults = lines_in(run("verify -q lost.trace")->err);

		ck_assert_str_eq(json_string_value(json_object_get(row, "state")), "damaged");
		ck_assert_int_eq(number(row, "sections_lost"), !strcmp(kinds[i], "BLOCKS") ? 3 : 1);
		ck_assert_int_eq(number(row, "faults"), faults);
		if (strcmp(kinds[i], "BLOCKS")) {	/* without blocks, chunks mean nothing */
			ck_assert_int_eq(faults, 1);
			ck_assert_int_eq(number(row, "bytes_lost"), (json_int_t)lost);
		}
		json_decref(root);
	}
	write_damaged("lost.trace", "END");
	expect_in(run("info lost.trace")->err, "trace-info: lost.trace: trace is damaged: ");
	expect("verify nowhere.trace", 1, "",
	       "trace-verify: error: nowhere.trace: No such file or directory\n");
}
END_TEST

START_TEST(repair_makes_whole)
{
	ck_assert_int_eq(run("repair -o whole.trace open.trace")->status, 0);
	expect_state("whole.trace", "good", 0);
	expect_file("dump whole.trace", "dump.text");
	ck_assert_int_eq(run("repair -o - open.trace | trace-verify -")->status, 0);
}
END_TEST

START_TEST(repair_says_what_is_lost)
{
	json_t *summary = run_json("repair --format=json -o rest.trace bad.trace");

	ck_assert_int_eq(number(summary, "sections_left_out"), 1);
	ck_assert_int_eq(number(summary, "instructions"), 2);
	ck_assert_int_eq(number(summary, "instructions_lost"), 10);
	json_decref(summary);
	expect_state("rest.trace", "good", 0);
}
END_TEST

START_TEST(repair_harms_nothing)
{
	ck_assert_int_eq(system("cp good.trace copy; ln -s copy link; echo keep >kept"), 0);
	ck_assert_int_eq(run("repair -o kept open.trace")->status, 1);
	ck_assert_int_eq(system("grep -q keep kept"), 0);
	ck_assert_int_eq(run("repair --force -o link copy")->status, 1);
	ck_assert_int_eq(run("repair --force -o copy - <copy")->status, 1);
	ck_assert_int_eq(system("cmp good.trace copy"), 0);
	ck_assert_int_eq(run("repair --force -o kept open.trace")->status, 0);
	expect_state("kept", "good", 0);
	ck_assert_int_eq(run("repair open.trace")->status, 2);
	ck_assert_int_eq(run("repair -o out")->status, 2);
	ck_assert_int_eq(run("repair -o nowhere/x open.trace")->status, 1);
}
END_TEST

/* ---- trace-analyze ----------------------------------------------------------------------- */

static void write_script(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	ck_assert_int_eq(chmod(name, 0755), 0);
}

static void write_scripts(void)
{
	write_script("trace-sums", "# libtraceformat\n"
				   "[ \"$1\" = --summary ] && echo 'adds, up' || echo \"$0:$*:\"");
	write_script("trace-broken", "# libtraceformat\nexit 1");
	write_script("trace-foreign", "touch foreign-was-run");
}

START_TEST(analyze_list)
{
	write_scripts();
	const struct result *result = run("analyze --list --format=csv");
	char expected[PATH_MAX];

	snprintf(expected, sizeof(expected), "\nsums,\"adds, up\",%s/trace-sums\n", folder);
	ck_assert_int_eq(result->status, 0);
	ck_assert_int_eq(strncmp(result->out, "analyzer,summary,path\n", 22), 0);
	expect_in(result->out, expected);
	ck_assert_ptr_null(strstr(result->out, "\nbroken,"));
	ck_assert_ptr_null(strstr(result->out, "\nforeign,"));
	ck_assert_ptr_null(strstr(result->out, "\ninfo,"));
	ck_assert_int_ne(access("foreign-was-run", F_OK), 0);
	ck_assert_int_eq(run("analyze --list extra")->status, 2);
}
END_TEST

START_TEST(analyze_runs)
{
	char expected[PATH_MAX];

	write_scripts();
	snprintf(expected, sizeof(expected), "%s/trace-sums:--top=3 x.trace:\n", folder);
	expect("analyze sums --top=3 x.trace", 0, expected, "");
	ck_assert_int_eq(run("analyze broken")->status, 1);
}
END_TEST

START_TEST(analyze_refuses)
{
	write_scripts();
	const struct result *result = run("analyze smus x.trace");

	ck_assert_int_eq(result->status, 2);
	expect_in(result->err, "there is no analyzer 'smus'; did you mean 'sums'?\n");
	ck_assert_int_eq(run("analyze foreign")->status, 2);
	ck_assert_int_ne(access("foreign-was-run", F_OK), 0);
	result = run("analyze info good.trace");
	ck_assert_int_eq(result->status, 2);
	expect_in(result->err, "run trace-info");
	ck_assert_int_eq(run("analyze")->status, 2);
}
END_TEST

/* ------------------------------------------------------------------------------------------ */

START_TEST(help_and_version)
{
	static const char *const commands[] = { "info", "dump", "verify", "repair", "analyze" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char command[64], expected[64];

		snprintf(command, sizeof(command), "%s --help", commands[i]);
		snprintf(expected, sizeof(expected), "Usage: trace-%s ", commands[i]);
		const struct result *result = run(command);

		ck_assert_int_eq(result->status, 0);
		ck_assert_str_eq(result->err, "");
		ck_assert_int_eq(strncmp(result->out, expected, strlen(expected)), 0);
		snprintf(command, sizeof(command), "%s --version", commands[i]);
		snprintf(expected, sizeof(expected), "trace-%s (tracelab) ", commands[i]);
		result = run(command);
		ck_assert_int_eq(result->status, 0);
		ck_assert_int_eq(strncmp(result->out, expected, strlen(expected)), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("commands");
	TCase *tests = tcase_create("commands");

	tcase_add_unchecked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, dump_text_is_exact);
	tcase_add_test(tests, dump_jsonl_is_exact);
	tcase_add_test(tests, dump_csv_is_exact);
	tcase_add_test(tests, dump_blocks);
	tcase_add_test(tests, dump_blocks_jsonl);
	tcase_add_test(tests, dump_blocks_csv);
	tcase_add_test(tests, dump_part);
	tcase_add_test(tests, dump_part_of_thread);
	tcase_add_test(tests, dump_without_addresses);
	tcase_add_test(tests, dump_passes_over_damage);
	tcase_add_test(tests, dump_says_what_is_lost);
	tcase_add_test(tests, dump_beyond_the_end);
	tcase_add_test(tests, dump_standard_input);
	tcase_add_test(tests, dump_refuses);
	tcase_add_test(tests, info_json);
	tcase_add_test(tests, info_sizes_add_up);
	tcase_add_test(tests, info_lists);
	tcase_add_test(tests, info_of_unfinished);
	tcase_add_test(tests, info_refuses);
	tcase_add_test(tests, verify_states);
	tcase_add_test(tests, verify_counts_losses);
	tcase_add_test(tests, repair_makes_whole);
	tcase_add_test(tests, repair_says_what_is_lost);
	tcase_add_test(tests, repair_harms_nothing);
	tcase_add_test(tests, analyze_list);
	tcase_add_test(tests, analyze_runs);
	tcase_add_test(tests, analyze_refuses);
	tcase_add_test(tests, help_and_version);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
