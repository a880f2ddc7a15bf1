/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/traces/synthetic.h"
#include "traceformat/traceisa.h"

void synthetic_begin(struct synthetic *s, const struct tf_writer_options *options)
{
	struct tf_module module = { .kind = TF_MODULE_FILE, .path = "/bin/synthetic" };

	memset(s, 0, sizeof(*s));
	s->fd = scratch_file(s->path, "synthetic");
	synthetic_ok(s, tf_writer_create_fd(s->fd, s->path, options, &s->writer, &s->error));
	synthetic_ok(s, tf_writer_add_module(s->writer, &module, &s->module, &s->error));
}

uint32_t synthetic_process(struct synthetic *s, uint32_t pid)
{
	struct tf_process process = { .pid = pid, .parent = TF_NONE };
	uint32_t index;

	synthetic_ok(s, tf_writer_add_process(s->writer, &process, &index, &s->error));
	return index;
}

uint32_t synthetic_thread(struct synthetic *s, uint32_t process)
{
	struct tf_thread thread = { .process = process, .tid = process };
	uint32_t index;

	synthetic_ok(s, tf_writer_add_thread(s->writer, &thread, &index, &s->error));
	ck_assert_uint_lt(index, SYNTHETIC_THREADS);
	synthetic_ok(s, tf_stream_open(s->writer, index, &s->streams[index], &s->error));
	return index;
}

uint32_t synthetic_region(struct synthetic *s, const char *name)
{
	struct tf_region region = { .name = name };
	uint32_t index;

	synthetic_ok(s, tf_writer_add_region(s->writer, &region, &index, &s->error));
	return index;
}

/* Adds the operands of the block's next instruction; their extras begin at *n_extras. */
static void synthetic_operands(struct synthetic_block *b, const struct isa_insn *facts,
			       uint16_t *n_extras)
{
	bool rep = facts->flags & TF_INSN_REP;

	for (size_t i = 0; i < facts->n_operands; i++) {
		struct tf_operand *operand = &b->operands[b->block.n_operands++];

		*operand = facts->operands[i].trace;
		operand->insn = b->block.n_insns;
		operand->extra = *n_extras;
		*n_extras += rep ? 0 : facts->operands[i].n_extras;
	}
	*n_extras += rep ? 3 : 0;
}

void synthetic_decode(struct synthetic_block *b, uint64_t pc, const char *code, size_t size)
{
	struct isa_insn facts = { .end = TF_END_NONE };
	uint16_t n_extras = 0;

	memset(b, 0, sizeof(*b));
	b->block = (struct tf_block){
		.pc = pc,
		.module_offset = pc,
		.module = TF_NONE,
		.code_size = size,
		.code = (const uint8_t *)code,
		.insns = b->insns,
		.operands = b->operands,
	};
	for (size_t at = 0; at < size; at += facts.length) {
		ck_assert_int_eq(isa_decode(b->block.code + at, size - at, pc + at, ISA_INTEL,
					    &facts),
				 0);
		b->insns[b->block.n_insns] = (struct tf_insn){
			.offset = at,
			.length = facts.length,
			.flags = facts.flags,
			.first_operand = b->block.n_operands,
			.n_operands = facts.n_operands,
		};
		synthetic_operands(b, &facts, &n_extras);
		b->block.n_insns++;
	}
	b->block.end = facts.end;
	b->block.target = facts.target;
	b->block.n_values = b->block.n_operands + n_extras;
	for (size_t i = 0; i < b->block.n_operands; i++)
		b->operands[i].extra = b->operands[i].form == TF_PLAIN
					       ? 0
					       : b->operands[i].extra + b->block.n_operands;
}

struct synthetic_code synthetic_code(struct synthetic *s, uint64_t pc, const char *code,
				     size_t size)
{
	struct synthetic_block b;
	struct synthetic_code made;

	synthetic_decode(&b, pc, code, size);
	b.block.module = s->module;
	made.n_insns = b.block.n_insns;
	made.n_values = b.block.n_values;
	struct tf_exit exits[2] = {
		{ .n_blocks = 1, .outcome = TF_NOT_TAKEN, .n_slots = made.n_values },
		{ .n_blocks = 1, .outcome = TF_TAKEN, .n_slots = made.n_values },
	};
	struct tf_path path = {
		.n_blocks = 1,
		.n_exits = 2,
		.n_slots = made.n_values,
		.n_values = made.n_values,
		.n_insns = made.n_insns,
		.exits = exits,
	};

	synthetic_ok(s, tf_writer_add_block(s->writer, &b.block, &made.block, &s->error));
	path.blocks = &made.block;
	synthetic_ok(s,
		     tf_writer_add_path(s->writer, &path, &made.path, &made.not_taken, &s->error));
	made.taken = made.not_taken + 1;
	return made;
}

void synthetic_exec(struct synthetic *s, uint32_t thread, uint32_t exit, const uint64_t *values)
{
	synthetic_ok(s, tf_stream_exec(s->streams[thread], exit, values, &s->error));
}

void synthetic_partial(struct synthetic *s, uint32_t thread, const struct synthetic_code *code,
		       uint32_t executed, const uint64_t *values)
{
	synthetic_ok(s, tf_stream_partial(s->streams[thread], code->path, executed, values,
					  code->n_values, 0, &s->error));
}

void synthetic_schedule(struct synthetic *s, uint32_t thread, uint64_t instructions)
{
	synthetic_ok(s, tf_writer_schedule(s->writer, thread, instructions, &s->error));
}

void synthetic_event(struct synthetic *s, uint32_t thread, const struct tf_event *event)
{
	synthetic_ok(s, tf_stream_event(s->streams[thread], event, &s->error));
}

void synthetic_flush(struct synthetic *s, uint32_t thread)
{
	synthetic_ok(s, tf_stream_flush(s->streams[thread], &s->error));
}

void synthetic_end(struct synthetic *s)
{
	for (size_t i = 0; i < SYNTHETIC_THREADS; i++)
		if (s->streams[i])
			synthetic_ok(s, tf_stream_close(s->streams[i], &s->error));
	synthetic_ok(s, tf_writer_finish(s->writer, 0, "exit", &s->error));
	tf_writer_free(s->writer);
	close(s->fd);
}

void synthetic_remove(struct synthetic *s)
{
	unlink(s->path);
}
