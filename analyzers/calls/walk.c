/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/walk_internal.h"
#include "cli/common/checked.h"

void call_profile_init(struct call_profile *p, struct tf_reader *reader, bool has_slots,
		       enum call_detail detail)
{
	uint32_t n = tf_n_blocks(reader);

	*p = (struct call_profile){ .reader = reader, .has_slots = has_slots };
	p->costs.detail = detail;
	call_functions_init(&p->functions, reader);
	p->signal = call_functions_label(&p->functions, "[signal]");
	call_tree_init(&p->tree, call_functions_label(&p->functions, "[other paths]"));
	/* Profiles with detail have the lines of calls; other results only have functions. */
	p->tree.merges_sites = detail == CALL_DETAIL_NONE;
	p->blocks = checked_array(n, sizeof(*p->blocks));
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = tf_block(reader, id);
		const uint32_t *first = &p->functions.first_piece[id];

		if (!block)
			continue;
		p->blocks[id].effect = (uint8_t)call_effect_of(block, &p->blocks[id].slot);
		p->blocks[id].simple = first[1] - first[0] == 1 &&
				       block->n_values == block->n_operands;
		p->blocks[id].costs = call_costs_of(block, 0, block->n_insns);
		p->blocks[id].function = p->functions.pieces.at[*first].function;
		p->blocks[id].node = CALL_NONE;
	}
	call_superblocks_init(&p->superblocks,
			      &(struct call_code){ &p->functions, p->blocks, has_slots });
}

void call_profile_free(struct call_profile *p)
{
	call_functions_free(&p->functions);
	call_tree_free(&p->tree);
	call_costs_free(&p->costs);
	call_superblocks_free(&p->superblocks);
	free(p->blocks);
	free(p->steps.at);
	TABLE_FREE(p->places);
}

/* ---- frames ------------------------------------------------------------------------------ */

void call_walk_push(struct call_walk *walk, enum call_frame_kind kind, uint64_t slot,
		    uint32_t parent, uint32_t site)
{
	call_frames_push(&walk->calls, kind, slot);
	CHECKED_RESERVE(walk->frames, walk->frames.count + 1);
	walk->frames.at[walk->frames.count++] = (struct call_walk_frame){ CALL_NONE, parent, parent,
									  site };
}

void call_walk_cut(struct call_walk *walk, size_t count)
{
	walk->frames.count = walk->calls.count = count;
}

void call_walk_begin_again(struct call_walk *walk)
{
	if (walk->low.open)
		call_open_reset(walk);
	call_walk_cut(walk, 0);
	call_walk_push(walk, FRAME_BOTTOM, 0, walk->root, CALL_NONE);
	walk->site = CALL_NONE;
	walk->effect = CALL_EFFECT_NONE;
	walk->jumped = CALL_FELL;
}

void call_walk_init(struct call_walk *walk, struct call_profile *profile, uint32_t root)
{
	*walk = (struct call_walk){ .profile = profile, .root = root };
	walk->calls.by_return_address = !profile->has_slots;
	call_walk_begin_again(walk);
}

void call_walk_init_open(struct call_walk *walk, struct call_profile *profile, uint32_t root,
			 uint32_t thread)
{
	call_walk_init(walk, profile, root);
	call_walk_top(walk)->node = CALL_NONE;
	walk->effect = CALL_EFFECT_BEFORE;
	walk->jumped = CALL_JUMPED_BEFORE;
	walk->low = (struct call_low){ .open = true, .thread = thread };
	walk->low.epoch = ++profile->n_epochs;
}

void call_walk_free(struct call_walk *walk)
{
	free(walk->calls.at);
	free(walk->frames.at);
}

/* ---- functions --------------------------------------------------------------------------- */

void call_walk_enter(struct call_walk *walk, uint32_t function, bool calls)
{
	struct call_tree *tree = &walk->profile->tree;
	struct call_walk_frame *frame = call_walk_top(walk);

	if (call_walk_is_low(walk)) {
		call_open_enter(walk, function);
		return;
	}
	frame->function = function;
	frame->node = call_tree_child(tree, frame->parent, frame->site, function);
	tree->nodes.at[frame->node].calls += calls;
	call_costs_add_node(&walk->profile->costs, frame->node);
}

/* Returns the number of frames up to the innermost one of a function, or 0. */
static size_t frames_up_to(const struct call_walk *walk, uint32_t function)
{
	size_t count = walk->frames.count;

	while (count && walk->frames.at[count - 1].function != function)
		count--;
	return count;
}

void call_walk_arrive(struct call_walk *walk, uint32_t function, bool begins)
{
	bool called = call_walk_top(walk)->function == CALL_NONE &&
		      walk->calls.at[walk->calls.count - 1].kind != FRAME_BOTTOM;

	if (!call_walk_is_low(walk) && walk->jumped && !called && !begins) {
		size_t count = frames_up_to(walk, function);

		if (count) {
			call_walk_cut(walk, count);
			return;
		}
		if (walk->low.open)
			call_open_lower(walk);
	}
	if (call_walk_is_low(walk))
		call_open_arrive(walk, function, begins);
	else
		call_walk_enter(walk, function, called || begins);
}

static void arrive(struct call_walk *walk, const struct call_piece *piece)
{
	call_walk_arrive(walk, piece->function, piece->begins);
}

/* ---- the ends of executions -------------------------------------------------------------- */

void call_walk_call(struct call_walk *walk, uint64_t slot, uint32_t function)
{
	size_t live = call_frames_at_call(&walk->calls, slot);

	if (live == 1 && walk->low.open && !walk->calls.by_return_address) {
		call_open_call(walk, slot, function);
		return;
	}
	call_walk_cut(walk, live);
	if (call_walk_top(walk)->function != function)
		call_walk_enter(walk, function, false);
}

static void call(struct call_walk *walk)
{
	uint32_t function = call_walk_top(walk)->function;

	if (function == CALL_NONE) /* only steps of a damaged part lead here */
		return;
	call_walk_call(walk, walk->slot, function);
	call_walk_push(walk, FRAME_CALL, walk->slot, call_walk_node(walk), walk->site);
}

void call_walk_return(struct call_walk *walk, uint64_t slot)
{
	size_t count = call_frames_after_return(&walk->calls, slot);

	if (count == walk->calls.count && walk->low.open) {
		call_open_return(walk, slot);
		return;
	}
	walk->jumped = count == walk->calls.count ? CALL_JUMPED : CALL_FELL;
	call_walk_cut(walk, count);
}

void call_walk_sigreturn(struct call_walk *walk)
{
	size_t count = call_frames_after_sigreturn(&walk->calls);

	if (count == walk->calls.count && walk->low.open)
		call_open_sigreturn(walk);
	else
		call_walk_cut(walk, count);
}

void call_walk_finish(struct call_walk *walk, uint64_t next)
{
	unsigned effect = walk->effect;

	walk->effect = CALL_EFFECT_NONE;
	if (effect == CALL_EFFECT_CALL)
		call(walk);
	else if (effect == CALL_EFFECT_RETURN)
		call_walk_return(walk, walk->calls.by_return_address ? next : walk->slot);
	else if (effect == CALL_EFFECT_BEFORE)
		call_open_finish(walk, next);
}

/* Notes how an execution ends, for finish. */
static inline void note_end(struct call_walk *walk, const struct tf_block_exec *exec)
{
	const struct tf_block *block = exec->block;
	const struct call_block *cb = &walk->profile->blocks[block->id];

	walk->site = block->id;
	walk->jumped = block->end == TF_END_INDIRECT_JUMP ? CALL_JUMPED : CALL_FELL;
	if (cb->effect == CALL_EFFECT_NONE || exec->executed < block->n_insns ||
	    exec->outcome == TF_PARTIAL)
		return;
	walk->effect = cb->effect;
	if (walk->calls.by_return_address)
		walk->slot = block->pc + block->code_size;
	else if (cb->slot != TF_NONE)
		walk->slot = exec->values[cb->slot];
	else
		walk->effect = CALL_EFFECT_NONE;
}

/* ---- executions -------------------------------------------------------------------------- */

/* Counts an execution piece by piece. */
static void count_pieces(struct call_walk *walk, const struct tf_block_exec *exec)
{
	struct call_profile *p = walk->profile;
	const struct tf_block *block = exec->block;
	uint32_t i = p->functions.first_piece[block->id];

	for (; i < p->functions.first_piece[block->id + 1]; i++) {
		const struct call_piece *piece = &p->functions.pieces.at[i];
		unsigned end = piece->end < exec->executed ? piece->end : exec->executed;

		if (piece->first >= exec->executed)
			return;
		if (call_walk_top(walk)->function != piece->function)
			arrive(walk, piece);

		uint32_t node = call_walk_top(walk)->node;
		struct call_sums sums = call_costs_of(block, piece->first, end);

		call_costs_add(&p->costs, node, &sums);
		if (p->costs.detail != CALL_DETAIL_NONE)
			call_costs_count(&p->costs, call_costs_detail_node(&p->costs, node),
					 block->id, piece->first, end);
		if (block->n_values != block->n_operands)
			call_costs_measure(&p->costs, node, exec, piece->first, end);
		if (p->costs.by_insn)
			call_costs_model(&p->costs, node, block, piece->first, end);
		walk->jumped = CALL_FELL;
	}
}

/* Counts an execution of a simple block in detail. */
static void count_in_detail(struct call_costs *costs, uint32_t node, struct call_block *cb,
			    const struct tf_block *block)
{
	uint32_t detail_node = call_costs_detail_node(costs, node);

	if (cb->node == detail_node) {
		costs->executions.at[cb->counter].times++;
		return;
	}
	cb->node = detail_node;
	cb->counter = call_costs_count(costs, detail_node, block->id, 0, block->n_insns);
}

/* Counts an execution of a simple block. */
static inline void count_simple(struct call_walk *walk, struct call_block *cb,
				const struct tf_block *block)
{
	struct call_profile *p = walk->profile;

	if (call_walk_top(walk)->function != cb->function)
		arrive(walk, &p->functions.pieces.at[p->functions.first_piece[block->id]]);
	call_costs_add(&p->costs, call_walk_top(walk)->node, &cb->costs);
	if (p->costs.detail != CALL_DETAIL_NONE)
		count_in_detail(&p->costs, call_walk_top(walk)->node, cb, block);
	if (p->costs.by_insn)
		call_costs_model(&p->costs, call_walk_top(walk)->node, block, 0, block->n_insns);
}

void call_walk_block(struct call_walk *walk, const struct tf_block_exec *exec)
{
	const struct tf_block *block = exec->block;
	struct call_block *cb = &walk->profile->blocks[block->id];

	if (walk->effect != CALL_EFFECT_NONE)
		call_walk_finish(walk, block->pc);
	if (cb->simple && exec->executed == block->n_insns)
		count_simple(walk, cb, block);
	else
		count_pieces(walk, exec);
	note_end(walk, exec);
}

uint32_t call_walk_node(struct call_walk *walk)
{
	if (call_walk_top(walk)->node == CALL_NONE)
		return call_open_here(walk);
	return call_walk_top(walk)->node;
}

void call_walk_event(struct call_walk *walk, const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_SIGNAL: {
		if (!event->signal.handler)
			break;
		call_walk_finish(walk, event->signal.pc);
		uint32_t node = call_tree_child(&walk->profile->tree, call_walk_node(walk),
						CALL_NONE, walk->profile->signal);

		walk->profile->tree.nodes.at[node].calls++;
		call_walk_push(walk, FRAME_SIGNAL, 0, node, CALL_NONE);
		break;
	}
	case TF_EVENT_SIGRETURN:
		call_walk_finish(walk, event->sigreturn.pc);
		call_walk_sigreturn(walk);
		break;
	case TF_EVENT_GAP:
	case TF_EVENT_EXEC: call_walk_begin_again(walk); break;
	default: break;
	}
}
