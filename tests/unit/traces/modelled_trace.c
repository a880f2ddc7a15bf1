/* SPDX-License-Identifier: MIT */
#include "tests/unit/traces/modelled_trace.h"
#include "tests/unit/random.h"

int modelled_dictionary(struct tf_writer *w, uint32_t *first_exits, struct tf_error *error)
{
	static const uint8_t code[MODELLED_SLOTS];
	struct tf_process process = { .pid = 1, .parent = TF_NONE };
	struct tf_thread thread = { .tid = 1 };
	struct tf_operand operands[MODELLED_SLOTS];
	struct tf_insn insns[MODELLED_SLOTS];
	int status = tf_writer_add_process(w, &process, NULL, error);

	if (status == 0)
		status = tf_writer_add_thread(w, &thread, NULL, error);
	for (uint16_t i = 0; i < MODELLED_SLOTS; i++) {
		operands[i] = (struct tf_operand){ .insn = i, .access = TF_LOAD, .size = 8 };
		insns[i] = (struct tf_insn){
			.offset = i, .length = 1, .first_operand = i, .n_operands = 1
		};
	}
	for (uint32_t i = 0; status == 0 && i < MODELLED_PATHS; i++) {
		struct tf_block block = {
			.module = TF_NONE,
			.pc = 0x401000 + 16 * i,
			.end = TF_END_INDIRECT_JUMP,
			.n_insns = MODELLED_SLOTS,
			.n_operands = MODELLED_SLOTS,
			.code_size = sizeof(code),
			.code = code,
			.insns = insns,
			.operands = operands,
		};
		struct tf_exit exit = { .n_blocks = 1,
					.outcome = TF_TAKEN,
					.n_slots = MODELLED_SLOTS };
		struct tf_path path = {
			.n_blocks = 1,
			.n_exits = 1,
			.n_slots = MODELLED_SLOTS,
			.n_values = MODELLED_SLOTS,
			.blocks = &i,
			.exits = &exit,
		};

		status = tf_writer_add_block(w, &block, NULL, error);
		if (status == 0)
			status = tf_writer_add_path(w, &path, NULL, &first_exits[i], error);
	}
	return status;
}

int modelled_trace_write(int fd, unsigned n_execs, struct tf_error *error)
{
	uint64_t state = 1, links[MODELLED_PLACES], targets[MODELLED_PLACES], at = 0;
	uint32_t first_exits[MODELLED_PATHS];
	struct tf_stream *stream = NULL;
	struct tf_writer *w;
	int status = tf_writer_create_fd(fd, "modelled", NULL, &w, error);

	if (status < 0)
		return status;
	for (unsigned i = 0; i < MODELLED_PLACES; i++) {
		links[i] = random_below(&state, MODELLED_PLACES);
		targets[i] = random_u64(&state) >> 20;
	}
	status = modelled_dictionary(w, first_exits, error);
	if (status == 0)
		status = tf_stream_open(w, 0, &stream, error);
	for (unsigned i = 0; status == 0 && i < n_execs; i++) {
		uint64_t slots[MODELLED_SLOTS] = { 0x7f0000 + 8 * at, targets[at],
						   0x600000 + 2 * at + i };

		status = tf_stream_exec(stream, first_exits[targets[at] % MODELLED_PATHS], slots,
					error);
		at = random_chance(&state, 20) ? random_below(&state, MODELLED_PLACES) : links[at];
	}
	if (stream) {
		int closed = tf_stream_close(stream, error);

		status = status ? status : closed;
	}
	if (status == 0)
		status = tf_writer_finish(w, 0, "exit", error);
	tf_writer_free(w);
	return status;
}
