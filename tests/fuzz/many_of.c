/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace that has N of something, for tests of time and memory:
 *	many_of THING N OUT
 * threads: each in a process of its own, with a chunk; modules: each with a block; symbols: of one
 * module; mappings: at random addresses, each with its event; unmaps: likewise, but half of them
 * unmap; regions: each begins and ends; blocks: at one pc; events: calls of malloc whose results
 * overlap; sections: chunks of one block; forks: processes that begin with the objects of the
 * first; turns: threads that take turns, twice each; large: chunks of 50 MB; dense: chunks of 60 Mi
 * instructions; repeats, unseen: chunks of a rep stosb with half as many repetitions as a chunk may
 * have, unseen with a prefix that exp-bbv does not step over.
 * The other dictionaries compress as well as the format allows; a little of each record is random.
 * insns: blocks of 256 instructions; long: paths of 256 blocks; slots: paths of 4096 slots,
 * executed; exits: paths of 1024 exits; fans: likewise, each behind 256 blocks of two functions by
 * turns; names: modules with long names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/tracewriter.h"

static struct tf_error error;
static struct tf_writer *writer;
static struct tf_stream *stream;
static uint32_t first_exit;

static void must(int status)
{
	if (status >= 0)
		return;
	fprintf(stderr, "many_of: %s\n", error.text);
	exit(1);
}

static uint64_t random_number(void)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Adds a block "mov (%rsi),%rax; jne" with a path of its own; returns the exit at its end. */
static uint32_t add_block(uint32_t module, uint64_t pc, uint8_t byte)
{
	const uint8_t code[] = { 0x48, 0x8b, 0x06, 0x75, byte };
	static const struct tf_operand load = { .insn = 0, .access = TF_LOAD, .size = 8 };
	static const struct tf_insn insns[] = {
		{ .offset = 0, .length = 3, .n_operands = 1 },
		{ .offset = 3, .length = 2, .first_operand = 1 },
	};
	const struct tf_block block = {
		.module = module,
		.pc = pc,
		.module_offset = pc,
		.target = pc,
		.end = TF_END_CONDITIONAL,
		.n_insns = 2,
		.n_operands = 1,
		.n_values = 1,
		.code_size = sizeof(code),
		.code = code,
		.insns = insns,
		.operands = &load,
	};
	const struct tf_exit exit = { .n_blocks = 1, .n_slots = 1 };
	uint32_t id, out;

	must(tf_writer_add_block(writer, &block, &id, &error));
	must(tf_writer_add_path(writer,
				&(struct tf_path){ .n_blocks = 1,
						   .blocks = &id,
						   .n_values = 1,
						   .n_slots = 1,
						   .n_exits = 1,
						   .exits = &exit },
				NULL, &out, &error));
	return out;
}

/* Adds a block of 256 instructions "nop", which is executed once. */
static uint32_t add_long_block(uint32_t i)
{
	static uint8_t code[TF_MAX_BLOCK_INSNS];
	static struct tf_insn insns[TF_MAX_BLOCK_INSNS];
	uint32_t id;

	for (uint16_t k = 0; k < TF_MAX_BLOCK_INSNS; k++) {
		code[k] = 0x90;
		insns[k] = (struct tf_insn){ .offset = k, .length = 1 };
	}
	for (unsigned k = 0; k < 5; k++)
		code[TF_MAX_BLOCK_INSNS - 1 - k] = (uint8_t)(random_number() >> 32);
	must(tf_writer_add_block(writer,
				 &(struct tf_block){ .module = 0,
						     .pc = 0x500000 + 4096 * (uint64_t)i,
						     .module_offset = 0x500000 + 4096 * (uint64_t)i,
						     .end = TF_END_NONE,
						     .n_insns = TF_MAX_BLOCK_INSNS,
						     .code_size = TF_MAX_BLOCK_INSNS,
						     .code = code,
						     .insns = insns },
				 &id, &error));
	return id;
}

/* Adds a path of so many times blocks that have no operands, by turns, and executes it. */
static void run_path_of(const uint32_t ids[2], uint16_t n_blocks, uint16_t n_slots,
			uint16_t n_exits)
{
	static uint32_t blocks[TF_MAX_PATH_BLOCKS];
	static struct tf_exit exits[TF_MAX_PATH_EXITS];
	static const struct tf_recipe none[1];
	static const uint64_t slots[TF_MAX_PATH_SLOTS];
	uint32_t out;

	for (unsigned i = 0; i < n_blocks; i++)
		blocks[i] = ids[i % 2];
	for (unsigned i = 0; i < n_exits; i++)
		exits[i] = (struct tf_exit){ .n_blocks = n_blocks, .n_slots = n_slots };
	for (unsigned i = 0; i < n_exits / 256; i++) {
		exits[i].rsp_rule = TF_RSP_DELTA;
		exits[i].rsp_value = (int64_t)(random_number() >> 8);
	}
	must(tf_writer_add_path(writer,
				&(struct tf_path){ .n_blocks = n_blocks,
						   .blocks = blocks,
						   .n_slots = n_slots,
						   .recipes = n_slots ? none : NULL,
						   .n_exits = n_exits,
						   .exits = exits },
				NULL, &out, &error));
	must(tf_stream_exec(stream, out, slots, &error));
}

static void run_path(uint32_t id, uint16_t n_blocks, uint16_t n_slots, uint16_t n_exits)
{
	run_path_of((const uint32_t[]){ id, id }, n_blocks, n_slots, n_exits);
}

static void execute(uint32_t out, uint64_t address)
{
	must(tf_stream_exec(stream, out, &address, &error));
}

static void tell(struct tf_event event)
{
	must(tf_stream_event(stream, &event, &error));
}

static void add_mapping(uint32_t i, bool unmaps)
{
	struct tf_mapping mapping = {
		.change = unmaps && i % 2 ? TF_UNMAP : TF_MAP,
		.module = i % 3 ? TF_NONE : 0,
		.start = random_number() >> 18 << 12,
		.size = 4096 * (1 + random_number() % 64),
		.protection = 3,
		.name = "",
		.file_offset = i % 2 * 4096,
	};
	uint32_t index;

	must(tf_writer_add_mapping(writer, &mapping, &index, &error));
	tell((struct tf_event){ .kind = TF_EVENT_MAPPING, .mapping = { index } });
}

static void add_region(uint32_t i)
{
	char name[16];
	uint32_t index;

	snprintf(name, sizeof(name), "r%u", i);
	must(tf_writer_add_region(writer, &(struct tf_region){ .name = name }, &index, &error));
	tell((struct tf_event){ .kind = TF_EVENT_REGION_BEGIN, .region = { index } });
	execute(first_exit, 0x7000);
	tell((struct tf_event){ .kind = TF_EVENT_REGION_END, .region = { index } });
}

static void add_module(uint32_t i)
{
	char path[32];
	uint32_t module;

	snprintf(path, sizeof(path), "/lib/%u.so", i);
	must(tf_writer_add_module(writer, &(struct tf_module){ .path = path }, &module, &error));
	must(tf_writer_add_symbols(writer, module, &(struct tf_symbol){ 0x1000, 64, 2, "f" }, 1,
				   &error));
	execute(add_block(module, 0x100000 + 64 * (uint64_t)i, 0xfb), 0x7000 + i);
}

static void add_symbols(uint32_t n)
{
	struct tf_symbol *symbols = calloc(n, sizeof(*symbols));

	for (uint32_t i = 0; i < n; i++)
		symbols[i] = (struct tf_symbol){ 0x400000 + 2 * (n - i), 1u << 30, 2, "s" };
	must(tf_writer_add_symbols(writer, 0, symbols, n, &error));
	free(symbols);
}

static void call_malloc(uint32_t i)
{
	tell((struct tf_event){ .kind = TF_EVENT_CALL, .call = { 0, 1, { 100000 } } });
	execute(first_exit, 0x10000000 + 64 * (uint64_t)i);
	tell((struct tf_event){ .kind = TF_EVENT_RETURN,
				.ret = { 0, 0x10000000 + 64 * (uint64_t)i } });
}

/* Adds a child of the first process, with a thread. */
static void add_thread(bool starts)
{
	static bool later;
	uint32_t process, thread;

	if (!later)
		must(tf_writer_schedule(writer, 0, tf_stream_ordinal(stream), &error));
	later = true;
	must(tf_stream_close(stream, &error));
	must(tf_writer_add_process(writer, &(struct tf_process){ .pid = 9 }, &process, &error));
	must(tf_writer_add_thread(writer, &(struct tf_thread){ .process = process, .tid = 9 },
				  &thread, &error));
	must(tf_stream_open(writer, thread, &stream, &error));
	if (starts)
		tell((struct tf_event){ .kind = TF_EVENT_PROCESS_START,
					.process_start = { process, 1 } });
	execute(first_exit, 0x7000);
	must(tf_writer_schedule(writer, thread, 2, &error));
}

/* Adds a module with a name of 4000 bytes. */
static void add_long_name(void)
{
	static char path[4000];

	memset(path, 'n', sizeof(path) - 1);
	snprintf(path, sizeof(path), "/%016llx%016llx", (unsigned long long)random_number(),
		 (unsigned long long)random_number());
	path[33] = 'n';
	must(tf_writer_add_module(writer, &(struct tf_module){ .path = path }, NULL, &error));
}

/* Adds a path through two functions, with exits that are all at its end. */
static void add_fan(uint32_t i)
{
	static const struct tf_symbol functions[] = {
		{ 0x500000, TF_MAX_BLOCK_INSNS, 2, "even" },
		{ 0x501000, TF_MAX_BLOCK_INSNS, 2, "odd" },
	};
	static uint32_t ids[2];

	if (i == 0) {
		must(tf_writer_add_symbols(writer, 0, functions, 2, &error));
		ids[0] = add_long_block(0);
		ids[1] = add_long_block(1);
	}
	run_path_of(ids, TF_MAX_PATH_BLOCKS, 0, TF_MAX_PATH_EXITS);
}

static void add_bomb(const char *thing, uint32_t i)
{
	static uint32_t id;

	if (i == 0 || !strcmp(thing, "insns"))
		id = add_long_block(i);
	if (!strcmp(thing, "insns"))
		run_path(id, 1, 0, 1);
	else if (!strcmp(thing, "long"))
		run_path(id, TF_MAX_PATH_BLOCKS, 0, 1);
	else if (!strcmp(thing, "slots"))
		run_path(id, 1, TF_MAX_PATH_SLOTS, 1);
	else if (!strcmp(thing, "exits"))
		run_path(id, 1, 0, TF_MAX_PATH_EXITS);
	else if (!strcmp(thing, "names"))
		add_long_name();
}

/* Runs all threads once, and then once more, so that none has ended when the next one begins. */
static void take_turns(uint32_t n)
{
	static struct tf_stream **streams;

	streams = calloc(n, sizeof(*streams));
	must(tf_writer_schedule(writer, 0, tf_stream_ordinal(stream), &error));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t thread;

		must(tf_writer_add_thread(writer, &(struct tf_thread){ .tid = 9 }, &thread,
					  &error));
		must(tf_stream_open(writer, thread, &streams[i], &error));
	}
	for (uint32_t i = 0; i < 2 * n; i++) {
		const uint64_t address = 0x7000;

		must(tf_stream_exec(streams[i % n], first_exit, &address, &error));
		must(tf_writer_schedule(writer, 1 + i % n, 2, &error));
	}
	for (uint32_t i = 0; i < n; i++)
		must(tf_stream_close(streams[i], &error));
	free(streams);
}

/* Adds a chunk, nearly as large as a chunk may be, which compresses to some KB. */
static void add_large_chunk(void)
{
	for (unsigned i = 0; i < 10 << 20; i++)
		execute(first_exit, (uint64_t)(i % 2) << 40);
	must(tf_stream_flush(stream, &error));
}

/* Adds a chunk of as many instructions as a chunk may have, which is small. */
static void add_dense_chunk(void)
{
	static uint32_t out; /* not the first exit */
	static uint32_t blocks[TF_MAX_PATH_BLOCKS];

	if (!out) {
		uint32_t id = add_long_block(0);

		for (unsigned k = 0; k < TF_MAX_PATH_BLOCKS; k++)
			blocks[k] = id;
		must(tf_writer_add_path(
			writer,
			&(struct tf_path){
				.n_blocks = TF_MAX_PATH_BLOCKS,
				.blocks = blocks,
				.n_exits = 1,
				.exits = &(struct tf_exit){ .n_blocks = TF_MAX_PATH_BLOCKS } },
			NULL, &out, &error));
	}
	for (unsigned i = 0; i < (60 << 20) / TF_MAX_PATH_BLOCKS / TF_MAX_BLOCK_INSNS; i++)
		must(tf_stream_exec(stream, out, NULL, &error));
	must(tf_stream_flush(stream, &error));
}

/* Adds a chunk of one rep stosb that says that it has stored half a terabyte. */
static void add_repeating_chunk(bool unseen)
{
	static const uint8_t code[] = { 0x2e, 0xf3, 0xaa };
	static const uint64_t repetitions = UINT64_C(1) << 39,
			      values[] = { 0x10000, repetitions, repetitions, 0 };
	const struct tf_operand store = {
		.access = TF_STORE, .size = 1, .form = TF_REP, .extra = 1
	};
	const struct tf_exit exit = { .n_blocks = 1, .n_slots = 4 };
	static uint32_t out; /* not the first exit */
	uint8_t length = unseen ? 3 : 2;
	uint32_t id;

	if (!out) {
		must(tf_writer_add_block(writer,
					 &(struct tf_block){
						 .pc = 0x600000,
						 .module_offset = 0x600000,
						 .end = TF_END_NONE,
						 .n_insns = 1,
						 .n_operands = 1,
						 .n_values = 4,
						 .code_size = length,
						 .code = code + (3 - length),
						 .insns = &(struct tf_insn){ .length = length,
									     .flags = TF_INSN_REP,
									     .n_operands = 1 },
						 .operands = &store },
					 &id, &error));
		must(tf_writer_add_path(writer,
					&(struct tf_path){ .n_blocks = 1,
							   .blocks = &id,
							   .n_values = 4,
							   .n_slots = 4,
							   .n_exits = 1,
							   .exits = &exit },
					NULL, &out, &error));
	}
	must(tf_stream_exec(stream, out, values, &error));
	must(tf_stream_flush(stream, &error));
}

static void add(const char *thing, uint32_t i, uint32_t n)
{
	if (!strcmp(thing, "threads"))
		add_thread(false);
	else if (!strcmp(thing, "forks") && i < n / 2)
		call_malloc(i * 2000);
	else if (!strcmp(thing, "forks"))
		add_thread(true);
	else if (!strcmp(thing, "modules"))
		add_module(i);
	else if (!strcmp(thing, "mappings") || !strcmp(thing, "unmaps"))
		add_mapping(i, *thing == 'u');
	else if (!strcmp(thing, "regions"))
		add_region(i);
	else if (!strcmp(thing, "blocks"))
		execute(add_block(i % 2 ? 0 : TF_NONE, 0x402000 + i / 256 % 2, (uint8_t)i), 0x7000);
	else if (!strcmp(thing, "events"))
		call_malloc(i);
	else if (!strcmp(thing, "sections"))
		must(tf_stream_flush((execute(first_exit, 0x7000), stream), &error));
	else if (!strcmp(thing, "symbols") && i == 0)
		add_symbols(n);
	else if (!strcmp(thing, "large"))
		add_large_chunk();
	else if (!strcmp(thing, "dense"))
		add_dense_chunk();
	else if (!strcmp(thing, "repeats") || !strcmp(thing, "unseen"))
		add_repeating_chunk(*thing == 'u');
	else if (!strcmp(thing, "turns") && i == 0)
		take_turns(n);
	else if (!strcmp(thing, "fans"))
		add_fan(i);
	else
		add_bomb(thing, i);
}

int main(int argc, char **argv)
{
	struct tf_writer_options options = { .size = sizeof(options),
					     .chunk_instructions = 60u << 20,
					     .created_ns = UINT64_MAX,
					     .uuid = (const uint8_t *)"many of one kind" };
	uint32_t n = argc == 4 ? (uint32_t)strtoul(argv[2], NULL, 0) : 0;

	if (argc != 4)
		return fprintf(stderr, "usage: many_of THING N OUT\n"), 2;
	must(tf_writer_create(argv[3], &options, &writer, &error));
	must(tf_writer_add_module(writer, &(struct tf_module){ .path = "/bin/many" }, NULL,
				  &error));
	must(tf_writer_add_process(writer, &(struct tf_process){ .pid = 7, .parent = TF_NONE },
				   NULL, &error));
	must(tf_writer_add_thread(writer, &(struct tf_thread){ .tid = 7 }, NULL, &error));
	must(tf_writer_add_function(writer, &(struct tf_function){ .n_args = 1, .name = "malloc" },
				    NULL, &error));
	must(tf_writer_add_function(writer, &(struct tf_function){ .n_args = 1, .name = "free" },
				    NULL, &error));
	must(tf_stream_open(writer, 0, &stream, &error));
	first_exit = add_block(0, 0x401000, 0xfb);
	execute(first_exit, 0x7000);
	for (uint32_t i = 0; i < n; i++)
		add(argv[1], i, n);
	execute(first_exit, 0x7008);
	must(tf_stream_close(stream, &error));
	must(tf_writer_finish(writer, 0, "exit", &error));
	tf_writer_free(writer);
	return 0;
}
