/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cli/odd_trace.h"
#include "tests/fuzz/loose_trace.h"
#include "traceformat/traceformat.h"
#include "traceformat/tracewriter.h"

static struct tf_error error;
#define OK(call) ck_assert_msg((call) >= 0, "%s", error.text)

static const uint8_t main_code[] = {
	0x55,             /* push %rbp */
	0x48, 0x8b, 0x18, /* mov (%rax), %rbx */
	0xf3, 0xa4,       /* rep movsb */
	0x01, 0x03,       /* add %eax, (%rbx) */
	0x0f, 0x18, 0x08, /* prefetcht0 (%rax) */
	0x0f, 0x05,       /* syscall */
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
static const uint64_t main_values[] = { 0x7ffe1000, 0x5000, 0x6000,
					0x7000,     0x8000, 0x9000,
					10,         4,      TF_REP_DOWN | TF_REP_INTERRUPTED };

static const uint8_t lanes_code[] = {
	0xc4, 0xe2, 0x69, 0x90, 0x04, 0x88, /* vpgatherdd %xmm2, (%rax,%xmm1,4), %xmm0 */
	0xc4, 0xe2, 0x71, 0x2c, 0x00,       /* vmaskmovps (%rax), %xmm1, %xmm0 */
	0x0f, 0xae, 0x27,                   /* xsave (%rdi) */
	0x06,                               /* nothing in 64-bit mode */
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
	0x10000, 0x20000,     0x30000,
	0x5,     0x200000001, 0xfffffffffffffffc, /* lanes 0 and 2; indices 1, 2, -4, -1 */
	0xa,                                      /* lanes 1 and 3 */
	2696
};

/* Adds a block and a path of only this block. Returns the exit after the whole path. */
static uint32_t add_block(struct tf_writer *writer, const struct tf_block *block, uint16_t n_values,
			  uint32_t *path_id)
{
	struct tf_exit out = { .n_blocks = 1, .n_slots = n_values };
	struct tf_path path = {
		.n_blocks = 1,
		.n_exits = 1,
		.n_slots = n_values,
		.n_values = n_values,
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

void odd_trace_write(const char *path, enum odd_trace_kind kind)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = 1700000000123456789,
		.uuid = (const uint8_t *)"0123456789abcdef",
		.order_exact = true,
		.no_addresses = kind == WITHOUT_ADDRESSES,
	};
	const struct tf_module module = {
		.path = "/bin/e\033vil",
		.build_id = { 0xab, 0xcd },
		.build_id_size = 2,
		.file_size = 12345,
	};
	const struct tf_symbol symbols[] = {
		{ .value = 0x1000, .size = 0x20, .kind = 2, .name = "main" },
		{ .value = 0x1020, .size = 0x20, .kind = 2, .name = "la\x01nes" },
	};
	const struct tf_mapping mapping = {
		.start = 0x400000,
		.size = 0x2000,
		.file_offset = 0x1000,
		.protection = 5,
		.name = "/bin/e\033vil",
	};
	const struct tf_block main_block = {
		.pc = 0x401000,
		.module_offset = 0x1000,
		.end = TF_END_SYSCALL,
		.n_insns = 6,
		.n_operands = 6,
		.code_size = sizeof(main_code),
		.code = main_code,
		.insns = main_insns,
		.operands = main_operands,
	};
	const struct tf_block lanes_block = {
		.pc = 0x401024,
		.module_offset = 0x1024,
		.end = TF_END_OPAQUE,
		.n_insns = 4,
		.n_operands = 3,
		.code_size = sizeof(lanes_code),
		.code = lanes_code,
		.insns = lanes_insns,
		.operands = lanes_operands,
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
			.kind = TF_EVENT_THREAD_START,
			.thread_start = { i, 10 },
		};

		OK(tf_stream_open(writer, i, &streams[i], &error));
		OK(tf_stream_event(streams[i], &start, &error));
	}
	const struct tf_event begin = { .kind = TF_EVENT_PROCESS_START,
					.process_start = { 0, 20 } };
	const struct tf_event end = { .kind = TF_EVENT_THREAD_EXIT, .thread_exit = { 3, 30 } };
	const struct tf_event killed = { .kind = TF_EVENT_PROCESS_EXIT,
					 .process_exit = { 11, 40 } };

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

/* Copies good.trace, without copies of its sections. */
static void copy_plainly(const char *path)
{
	struct loose_trace t = { 0 };
	struct buffer in = { 0 }, out = { 0 };
	FILE *file = fopen("good.trace", "r");

	ck_assert(file && buffer_reserve(&in, 1 << 16));
	in.size = fread(in.data, 1, 1 << 16, file);
	fclose(file);
	ck_assert(in.size < 1 << 16 && loose_trace_take(&t, in.data, in.size, MAX_RAW_SIZE));
	loose_trace_put(&t, &out);
	file = fopen(path, "w");
	ck_assert(file && fwrite(out.data, 1, out.size, file) == out.size);
	ck_assert_int_eq(fclose(file), 0);
	loose_trace_free(&t);
	buffer_free(&in);
	buffer_free(&out);
}

uint64_t odd_trace_damage(const char *path, const char *kind, bool copies)
{
	struct tf_section_info section;
	struct tf_reader *reader;
	uint32_t i = 0;

	if (copies)
		ck_assert_int_eq(system("cp good.trace damaged"), 0);
	else
		copy_plainly("damaged");
	OK(tf_open("damaged", &reader, &error));
	do
		ck_assert(tf_section(reader, i++, &section));
	while (strcmp(tf_section_kind_name(section.kind), kind) ||
	       (section.thread != 0 && section.thread != TF_NONE));
	tf_close(reader);
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
