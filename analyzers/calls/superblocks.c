/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/superblocks.h"

#include "cli/common/checked.h"

/* Returns true if the blocks of an exit are executed whole, and have costs that are static. */
static bool is_static(const struct call_code *code, const struct tf_exit_info *exit)
{
	for (unsigned i = 0; i < exit->n_blocks; i++)
		if (!tf_block(code->functions->reader, exit->path->blocks[i]) ||
		    !code->blocks[exit->path->blocks[i]].simple)
			return false;
	return exit->n_blocks != 0;
}

/* Adds a block to a run. value: number of its first value in the superblock. */
static void add_block(struct call_run *run, const struct call_code *code,
		      const struct tf_block *block, unsigned value)
{
	const struct call_block *cb = &code->blocks[block->id];

	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		run->costs.costs[i] += cb->costs.costs[i];
	run->site = block->id;
	run->jumped = block->end == TF_END_INDIRECT_JUMP ? CALL_JUMPED : CALL_FELL;
	if (!code->has_slots) {
		run->effect = cb->effect;
		run->slot = block->pc + block->code_size;
	} else if (cb->slot != TF_NONE) {
		run->effect = cb->effect;
		run->slot = value + cb->slot;
	}
}

static void begin_run(struct call_run *run, const struct call_code *code,
		      const struct tf_block *block)
{
	uint32_t piece = code->functions->first_piece[block->id];

	*run = (struct call_run){
		.pc = block->pc,
		.function = code->blocks[block->id].function,
		.begins = code->functions->pieces.at[piece].begins,
	};
}

/* Keeps the run that ends before the last one, unless another exit of the path has the same. */
static void keep_run(struct call_superblocks *s, struct call_exit *exit)
{
	if (exit->first + exit->n++ < s->runs.count)
		return;
	CHECKED_RESERVE(s->runs, s->runs.count + 1);
	s->runs.at[s->runs.count++] = exit->last;
}

/* Adds an exit. first: the first run of its path. */
static void add_exit(struct call_superblocks *s, const struct call_code *code, struct call_exit *to,
		     const struct tf_exit_info *exit, size_t first)
{
	unsigned value = 0;

	*to = (struct call_exit){ .first = (uint32_t)first, .n_values = exit->n_values };
	to->is_static = is_static(code, exit);
	for (unsigned i = 0; i < exit->n_blocks && to->is_static; i++) {
		const struct tf_block *block = tf_block(code->functions->reader,
							exit->path->blocks[i]);
		bool ends = to->last.effect != CALL_EFFECT_NONE ||
			    to->last.function != code->blocks[block->id].function;

		if (i && ends)
			keep_run(s, to);
		if (!i || ends)
			begin_run(&to->last, code, block);
		add_block(&to->last, code, block, value);
		value += block->n_values;
	}
}

void call_superblocks_init(struct call_superblocks *s, const struct call_code *code)
{
	uint32_t n = tf_n_exits(code->functions->reader);
	const struct tf_path *path = NULL;
	struct tf_exit_info exit;
	size_t first = 0;

	*s = (struct call_superblocks){ .exits = checked_array(n, sizeof(*s->exits)) };
	for (uint32_t id = 0; id < n; id++) {
		if (!tf_exit(code->functions->reader, id, &exit))
			continue;
		if (exit.path != path)
			first = s->runs.count;
		path = exit.path;
		add_exit(s, code, &s->exits[id], &exit, first);
	}
}

void call_superblocks_free(struct call_superblocks *s)
{
	free(s->exits);
	free(s->runs.at);
}
