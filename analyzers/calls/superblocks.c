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

static struct call_run *new_run(struct call_superblocks *s, const struct call_code *code,
				const struct tf_block *block)
{
	uint32_t piece = code->functions->first_piece[block->id];
	struct call_run *run;

	CHECKED_RESERVE(s->runs, s->runs.count + 1);
	run = &s->runs.at[s->runs.count++];
	*run = (struct call_run){
		.pc = block->pc,
		.function = code->blocks[block->id].function,
		.begins = code->functions->pieces.at[piece].begins,
	};
	return run;
}

static void add_exit(struct call_superblocks *s, const struct call_code *code, struct call_exit *to,
		     const struct tf_exit_info *exit)
{
	struct call_run *run = NULL;
	unsigned value = 0;

	to->n_values = exit->n_values;
	to->first = (uint32_t)s->runs.count;
	if (!is_static(code, exit))
		return;
	for (unsigned i = 0; i < exit->n_blocks; i++) {
		const struct tf_block *block = tf_block(code->functions->reader,
							exit->path->blocks[i]);

		if (!run || run->effect != CALL_EFFECT_NONE ||
		    run->function != code->blocks[block->id].function)
			run = new_run(s, code, block);
		add_block(run, code, block, value);
		value += block->n_values;
	}
	to->n = (uint32_t)s->runs.count - to->first;
}

void call_superblocks_init(struct call_superblocks *s, const struct call_code *code)
{
	uint32_t n = tf_n_exits(code->functions->reader);
	struct tf_exit_info exit;

	*s = (struct call_superblocks){ .exits = checked_array(n, sizeof(*s->exits)) };
	for (uint32_t id = 0; id < n; id++)
		if (tf_exit(code->functions->reader, id, &exit))
			add_exit(s, code, &s->exits[id], &exit);
}

void call_superblocks_free(struct call_superblocks *s)
{
	free(s->exits);
	free(s->runs.at);
}
