/* SPDX-License-Identifier: MIT */
/*
 * The superblocks of a trace. The exits of a path share its segments and accesses: each exit has
 * the first ones.
 */
#include "analyzers/mica/analysis.h"
#include "analyzers/mica/code.h"

enum { ACCESSES_A_VALUE = 2 }; /* at most: a read and a write */

/* The ends of the segments and accesses listed so far. */
struct list {
	struct mica_segment *segment;
	struct mica_access *access;
};

static bool is_plain(const struct mica_code *code, const struct tf_block *block)
{
	const struct mica_insn *insns = code->insns + code->first[block->id];

	for (unsigned i = 0; i < block->n_insns; i++)
		if (!insns[i].plain)
			return false;
	return true;
}

static void list_accesses(struct list *to, const struct mica_insn *insn, uint16_t first_value,
			  uint16_t at)
{
	for (unsigned i = 0; i < 2; i++)
		if (insn->read[i] != MICA_NO_OPERAND)
			*to->access++ = (struct mica_access){ insn->place, insn->read_size,
							      first_value + insn->read[i], at, i };
	if (insn->write != MICA_NO_OPERAND)
		*to->access++ = (struct mica_access){ insn->place, insn->write_size,
						      first_value + insn->write, at, MICA_WRITE };
}

static void list_block(struct list *to, const struct mica_code *code, const struct tf_block *block,
		       uint16_t first_value, uint16_t first_insn)
{
	const struct mica_insn *insns = code->insns + code->first[block->id];
	const struct mica_insn *last = &insns[block->n_insns - 1];

	for (unsigned i = 0; i < block->n_insns; i++)
		list_accesses(to, &insns[i], first_value, first_insn + i);
	*to->segment++ = (struct mica_segment){
		.insns = insns,
		.count = block->n_insns,
		.first_value = first_value,
		.branch = last->facts.conditional ? last->branch : MICA_NO_BRANCH,
	};
}

/*
 * Makes superblocks of the exits behind block k of the path, whose segments and accesses end with
 * `end`.
 */
static void make_superblocks(struct mica_code *code, const struct tf_path *path, unsigned k,
			     const struct list *begin, const struct list *end)
{
	for (uint32_t exit = path->first_exit; exit < path->first_exit + path->n_exits; exit++) {
		struct tf_exit_info info;

		if (!tf_exit(code->reader, exit, &info) || info.n_blocks != k + 1)
			continue;
		code->superblocks[exit] = (struct mica_superblock){
			.number = exit,
			.n_segments = k + 1,
			.taken = info.outcome == TF_TAKEN,
			.n_values = info.n_values,
			.n_insns = info.n_insns,
			.n_accesses = end->access - begin->access,
			.segments = begin->segment,
			.accesses = begin->access,
		};
	}
}

static void read_path(struct mica_code *code, const struct tf_path *path, struct list *to)
{
	const struct list begin = *to;
	uint16_t first_value = 0, first_insn = 0;

	for (unsigned k = 0; k < path->n_blocks; k++) {
		const struct tf_block *block = tf_block(code->reader, path->blocks[k]);

		if (!is_plain(code, block))
			return;
		if (k) {
			struct mica_segment *before = to->segment - 1;
			const struct mica_insn *last = &before->insns[before->count - 1];

			before->taken = block->pc != last->pc + last->length;
		}
		list_block(to, code, block, first_value, first_insn);
		make_superblocks(code, path, k, &begin, to);
		first_value += block->n_values;
		first_insn += block->n_insns;
	}
}

void mica_code_read_superblocks(struct mica_code *code)
{
	uint32_t n_paths = tf_n_paths(code->reader), n_exits = tf_n_exits(code->reader);
	size_t n_segments = 0, n_values = 0;
	struct tf_exit_info info;

	for (uint32_t id = 0; id < n_paths; id++) {
		const struct tf_path *path = tf_path(code->reader, id);

		n_segments += path ? path->n_blocks : 0;
		n_values += path ? path->n_values : 0;
	}
	code->numbers.superblocks = n_exits;
	code->superblocks = checked_array(n_exits, sizeof(*code->superblocks));
	code->segments = checked_array(n_segments, sizeof(*code->segments));
	code->accesses = checked_array(ACCESSES_A_VALUE * n_values, sizeof(*code->accesses));
	struct list list = { code->segments, code->accesses };

	for (uint32_t exit = 0; exit < n_exits; exit++)
		if (tf_exit(code->reader, exit, &info))
			code->superblocks[exit].n_values = info.n_values;
	for (uint32_t id = 0; id < n_paths; id++)
		if (tf_path(code->reader, id))
			read_path(code, tf_path(code->reader, id), &list);
}
