/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/walk_internal.h"

static inline void walk_run(struct call_walk *walk, const struct call_run *run,
			    const uint64_t *values)
{
	if (walk->effect != CALL_EFFECT_NONE)
		call_walk_finish(walk, run->pc);
	if (call_walk_top(walk)->function != run->function)
		call_walk_arrive(walk, run->function, run->begins);
	call_costs_add(&walk->profile->costs, call_walk_top(walk)->node, &run->costs);
	walk->site = run->site;
	walk->jumped = run->jumped;
	walk->effect = run->effect;
	if (run->effect != CALL_EFFECT_NONE)
		walk->slot = walk->calls.by_return_address ? run->slot : values[run->slot];
}

static void walk_blocks(struct call_walk *walk, const struct tf_path_exec *exec,
			const uint64_t *values)
{
	const struct tf_reader *reader = walk->profile->reader;
	struct tf_exit_info exit;

	if (!tf_exit(reader, exec->exit, &exit))
		return;
	for (uint32_t i = 0, left = exec->executed; left; i++) {
		const struct tf_block *block = tf_block(reader, exit.path->blocks[i]);
		uint32_t n = left < block->n_insns ? left : block->n_insns;

		left -= n;
		call_walk_block(walk, &(struct tf_block_exec){
					      block, values, (uint16_t)n,
					      (uint8_t)tf_block_outcome(&exit, i, left) });
		if (values)
			values += block->n_values;
	}
}

unsigned call_walk_superblock(struct call_walk *walk, const struct tf_path_exec *exec,
			      const uint64_t *values)
{
	const struct call_superblocks *s = &walk->profile->superblocks;
	const struct call_exit *exit = &s->exits[exec->exit];
	const struct call_run *run = s->runs.at + exit->first, *end = run + exit->n;

	if (!exit->is_static) {
		walk_blocks(walk, exec, values);
		return exit->n_values;
	}
	for (; run < end; run++)
		walk_run(walk, run, values);
	walk_run(walk, &exit->last, values);
	return exit->n_values;
}
