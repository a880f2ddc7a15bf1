/* SPDX-License-Identifier: MIT */
/*
 * The superblocks of a trace. The exits of a path share its segments and accesses: each exit has
 * the first ones.
 */
#include <stdlib.h>

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
 * Lists the blocks of the path, up to the first one that is not plain. Sets ends[k] to the end of
 * the accesses of block k, and returns the number of blocks.
 */
static unsigned list_blocks(const struct mica_code *code, const struct tf_path *path,
			    struct list *to, const struct mica_access **ends)
{
	uint16_t first_value = 0, first_insn = 0;
	unsigned k;

	for (k = 0; k < path->n_blocks; k++) {
		const struct tf_block *block = tf_block(code->reader, path->blocks[k]);

		if (!is_plain(code, block))
			break;
		if (k) {
			struct mica_segment *before = to->segment - 1;
			const struct mica_insn *last = &before->insns[before->count - 1];

			before->taken = block->pc != last->pc + last->length;
		}
		list_block(to, code, block, first_value, first_insn);
		ends[k] = to->access;
		first_value += block->n_values;
		first_insn += block->n_insns;
	}
	return k;
}

/* Makes the superblock of an exit behind blocks that were listed from `begin` on. */
static void make_superblock(struct mica_superblock *superblock, const struct tf_exit_info *info,
			    const struct list *begin, const struct mica_access *end)
{
	superblock->n_segments = info->n_blocks;
	superblock->taken = info->outcome == TF_TAKEN;
	superblock->n_insns = info->n_insns;
	superblock->n_accesses = end - begin->access;
	superblock->segments = begin->segment;
	superblock->accesses = begin->access;
}

static void read_path(struct mica_code *code, const struct tf_path *path, struct list *to,
		      const struct mica_access **ends)
{
	const struct list begin = *to;
	unsigned n_plain = list_blocks(code, path, to, ends);

	/* The last exit is the partial one. */
	for (uint32_t exit = path->first_exit; exit <= path->first_exit + path->n_exits; exit++) {
		struct tf_exit_info info;

		if (!tf_exit(code->reader, exit, &info))
			continue;
		code->superblocks[exit].number = exit;
		code->superblocks[exit].n_values = info.n_values;
		if (info.n_blocks && info.n_blocks <= n_plain)
			make_superblock(&code->superblocks[exit], &info, &begin,
					ends[info.n_blocks - 1]);
	}
}

void mica_code_read_superblocks(struct mica_code *code)
{
	uint32_t n_paths = tf_n_paths(code->reader), n_exits = tf_n_exits(code->reader);
	size_t n_segments = 0, n_values = 0, longest = 0;

	for (uint32_t id = 0; id < n_paths; id++) {
		const struct tf_path *path = tf_path(code->reader, id);

		n_segments += path ? path->n_blocks : 0;
		n_values += path ? path->n_values : 0;
		if (path && path->n_blocks > longest)
			longest = path->n_blocks;
	}
	code->numbers.superblocks = n_exits;
	code->superblocks = checked_array(n_exits, sizeof(*code->superblocks));
	code->segments = checked_array(n_segments, sizeof(*code->segments));
	code->accesses = checked_array(ACCESSES_A_VALUE * n_values, sizeof(*code->accesses));
	struct list list = { code->segments, code->accesses };
	const struct mica_access **ends = checked_array(longest, sizeof(*ends));

	for (uint32_t id = 0; id < n_paths; id++)
		if (tf_path(code->reader, id))
			read_path(code, tf_path(code->reader, id), &list, ends);
	free(ends);
}
