/* SPDX-License-Identifier: MIT */
/*
 * write-trace - writes a trace by hand, without a recorder: the way to bring traces of a
 * simulator or of another tool into this format. FORMAT.md section 11 explains its bytes.
 *
 * The program it pretends to have seen:
 *
 *	401000: mov (%rsi),%rax		four times; rsi goes up by 8 from 0x7000
 *	401003: add $8,%rsi
 *	401007: jne 401000
 *	401009: syscall			exit_group(0)
 */
#include <stdio.h>
#include <stdlib.h>

#include <tracewriter.h>

static struct tf_error error;

static void must(int status)
{
	if (status >= 0)
		return;
	fprintf(stderr, "write-trace: %s\n", error.text);
	exit(1);
}

static uint32_t add_loop(struct tf_writer *w)
{
	static const uint8_t code[] = { 0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 0x08, 0x75, 0xf7 };
	static const struct tf_operand load = { .insn = 0, .access = TF_LOAD, .size = 8 };
	static const struct tf_insn insns[] = {
		{ .offset = 0, .length = 3, .first_operand = 0, .n_operands = 1 },
		{ .offset = 3, .length = 4, .first_operand = 1 },
		{ .offset = 7, .length = 2, .first_operand = 1 },
	};
	const struct tf_block block = {
		.module = 0,
		.pc = 0x401000,
		.module_offset = 0x401000,
		.target = 0x401000,
		.end = TF_END_CONDITIONAL,
		.n_insns = 3,
		.n_operands = 1,
		.n_values = 1,
		.code_size = sizeof(code),
		.code = code,
		.insns = insns,
		.operands = &load,
	};
	const struct tf_exit exits[] = {
		{ .n_blocks = 1, .outcome = TF_NOT_TAKEN, .n_slots = 1 },
		{ .n_blocks = 1, .outcome = TF_TAKEN, .n_slots = 1 },
	};
	uint32_t id, first_exit;

	must(tf_writer_add_block(w, &block, &id, &error));
	must(tf_writer_add_path(w,
				&(struct tf_path){ .n_blocks = 1,
						   .blocks = &id,
						   .n_values = 1,
						   .n_slots = 1,
						   .n_exits = 2,
						   .exits = exits },
				NULL, &first_exit, &error));
	return first_exit;
}

static uint32_t add_exit(struct tf_writer *w)
{
	static const uint8_t code[] = { 0x0f, 0x05 };
	static const struct tf_insn insn = { .length = 2 };
	const struct tf_block block = {
		.module = 0,
		.pc = 0x401009,
		.module_offset = 0x401009,
		.end = TF_END_SYSCALL,
		.n_insns = 1,
		.code_size = sizeof(code),
		.code = code,
		.insns = &insn,
	};
	const struct tf_exit exit = { .n_blocks = 1, .outcome = TF_NOT_TAKEN };
	uint32_t id, first_exit;

	must(tf_writer_add_block(w, &block, &id, &error));
	must(tf_writer_add_path(
		w, &(struct tf_path){ .n_blocks = 1, .blocks = &id, .n_exits = 1, .exits = &exit },
		NULL, &first_exit, &error));
	return first_exit;
}

int main(int argc, char **argv)
{
	static const uint8_t uuid[16] = "an example trace";
	const struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = UINT64_MAX,
		.uuid = uuid,
		.order_exact = true,
	};
	const struct tf_symbol symbol = {
		.value = 0x401000, .size = 11, .kind = 2, .name = "_start"
	};
	struct tf_stream *stream;
	struct tf_writer *w;
	uint32_t loop, leave;
	uint64_t rsi = 0x7000;

	if (argc != 2) {
		fprintf(stderr, "usage: write-trace FILE\n");
		return 2;
	}
	must(tf_writer_create(argv[1], &options, &w, &error));
	must(tf_writer_meta(w, "command.argv", "./loop", &error));
	must(tf_writer_add_module(w, &(struct tf_module){ .path = "/loop" }, NULL, &error));
	must(tf_writer_add_symbols(w, 0, &symbol, 1, &error));
	must(tf_writer_add_process(w, &(struct tf_process){ .pid = 7, .parent = TF_NONE }, NULL,
				   &error));
	must(tf_writer_add_thread(w, &(struct tf_thread){ .process = 0, .tid = 7 }, NULL, &error));
	loop = add_loop(w);
	leave = add_exit(w);

	must(tf_stream_open(w, 0, &stream, &error));
	for (int i = 0; i < 4; i++, rsi += 8)
		must(tf_stream_exec(stream, i < 3 ? loop + 1 : loop, &rsi, &error));
	must(tf_stream_exec(stream, leave, NULL, &error));
	must(tf_stream_event(stream,
			     &(struct tf_event){ .kind = TF_EVENT_SYSCALL,
						 .syscall = { .number = 231 } },
			     &error));
	must(tf_stream_close(stream, &error));
	must(tf_writer_finish(w, 0, "exit", &error));
	tf_writer_free(w);
	return 0;
}
