/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/walk.h"

#include "cli/common/checked.h"

struct call_block {
	struct call_sums costs; /* of an execution, if it is simple */
	uint8_t effect;         /* enum call_effect */
	bool simple;            /* all of it is one function's, and its costs are static */
	uint32_t slot;          /* number of the value, or TF_NONE */
	uint32_t function;      /* of its first piece */
	uint32_t node;          /* the detail node that executed it last, or CALL_NONE */
	uint32_t counter;       /* number of the counter of its executions there */
};

struct call_walk_frame {
	uint32_t function; /* CALL_NONE: not known yet */
	uint32_t node;     /* of the function; of the caller if the function is not known */
	uint32_t parent;   /* node of the caller */
	uint32_t site;     /* block that called, or CALL_NONE */
};

void call_profile_init(struct call_profile *p, struct tf_reader *reader, bool has_slots,
		       enum call_detail detail)
{
	uint32_t n = tf_n_blocks(reader);

	*p = (struct call_profile){ .reader = reader, .has_slots = has_slots };
	p->costs.detail = detail;
	call_functions_init(&p->functions, reader);
	p->signal = call_functions_label(&p->functions, "[signal]");
	call_tree_init(&p->tree, call_functions_label(&p->functions, "[other paths]"));
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
}

void call_profile_free(struct call_profile *p)
{
	call_functions_free(&p->functions);
	call_tree_free(&p->tree);
	call_costs_free(&p->costs);
	free(p->blocks);
}

/* ---- frames ------------------------------------------------------------------------------ */

static struct call_walk_frame *top_frame(const struct call_walk *walk)
{
	return &walk->frames.at[walk->frames.count - 1];
}

static void push_frame(struct call_walk *walk, enum call_frame_kind kind, uint64_t slot,
		       uint32_t parent, uint32_t site)
{
	call_frames_push(&walk->calls, kind, slot);
	CHECKED_RESERVE(walk->frames, walk->frames.count + 1);
	walk->frames.at[walk->frames.count++] = (struct call_walk_frame){ CALL_NONE, parent, parent,
									  site };
}

/* Ends all frames above the first `count`. */
static void cut_frames(struct call_walk *walk, size_t count)
{
	walk->frames.count = walk->calls.count = count;
}

static void begin_again(struct call_walk *walk)
{
	cut_frames(walk, 0);
	push_frame(walk, FRAME_BOTTOM, 0, walk->root, CALL_NONE);
	walk->site = CALL_NONE;
	walk->effect = CALL_EFFECT_NONE;
	walk->jumped = false;
}

void call_walk_init(struct call_walk *walk, struct call_profile *profile, uint32_t root)
{
	*walk = (struct call_walk){ .profile = profile, .root = root };
	walk->calls.by_return_address = !profile->has_slots;
	begin_again(walk);
}

void call_walk_free(struct call_walk *walk)
{
	free(walk->calls.at);
	free(walk->frames.at);
}

/* ---- functions --------------------------------------------------------------------------- */

/* Enters a function in the innermost frame. calls: this is one of its calls. */
static void enter(struct call_walk *walk, uint32_t function, bool calls)
{
	struct call_tree *tree = &walk->profile->tree;
	struct call_walk_frame *frame = top_frame(walk);

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

/* Arrives at a function that is not the one of the innermost frame. */
static void arrive(struct call_walk *walk, const struct call_piece *piece)
{
	bool called = top_frame(walk)->function == CALL_NONE &&
		      walk->calls.at[walk->calls.count - 1].kind != FRAME_BOTTOM;

	if (walk->jumped && !called && !piece->begins) {
		size_t count = frames_up_to(walk, piece->function);

		if (count) {
			cut_frames(walk, count);
			return;
		}
	}
	enter(walk, piece->function, called || piece->begins);
}

/* ---- the ends of executions -------------------------------------------------------------- */

static void call(struct call_walk *walk)
{
	uint32_t function = top_frame(walk)->function;
	size_t live = call_frames_at_call(&walk->calls, walk->slot);

	if (live < walk->frames.count) {
		cut_frames(walk, live);
		if (top_frame(walk)->function != function)
			enter(walk, function, false);
	}
	push_frame(walk, FRAME_CALL, walk->slot, top_frame(walk)->node, walk->site);
}

static void return_from(struct call_walk *walk, uint64_t slot)
{
	size_t count = call_frames_after_return(&walk->calls, slot);

	walk->jumped = count == walk->calls.count;
	cut_frames(walk, count);
}

/* Completes the latest execution. next: the address of the instruction executed after it, or 0. */
static void finish(struct call_walk *walk, uint64_t next)
{
	enum call_effect effect = walk->effect;

	walk->effect = CALL_EFFECT_NONE;
	if (effect == CALL_EFFECT_CALL)
		call(walk);
	else if (effect == CALL_EFFECT_RETURN)
		return_from(walk, walk->calls.by_return_address ? next : walk->slot);
}

/* Notes how an execution ends, for finish. */
static inline void note_end(struct call_walk *walk, const struct tf_block_exec *exec)
{
	const struct tf_block *block = exec->block;
	const struct call_block *cb = &walk->profile->blocks[block->id];

	walk->site = block->id;
	walk->jumped = block->end == TF_END_INDIRECT_JUMP;
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
		if (top_frame(walk)->function != piece->function)
			arrive(walk, piece);

		uint32_t node = top_frame(walk)->node;
		struct call_sums sums = call_costs_of(block, piece->first, end);

		call_costs_add(&p->costs, node, &sums);
		if (p->costs.detail != CALL_DETAIL_NONE)
			call_costs_count(&p->costs, call_costs_detail_node(&p->costs, node),
					 block->id, piece->first, end);
		if (block->n_values != block->n_operands)
			call_costs_measure(&p->costs, node, exec, piece->first, end);
		if (p->costs.by_insn)
			call_costs_model(&p->costs, node, block, piece->first, end);
		walk->jumped = false;
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

	if (top_frame(walk)->function != cb->function)
		arrive(walk, &p->functions.pieces.at[p->functions.first_piece[block->id]]);
	call_costs_add(&p->costs, top_frame(walk)->node, &cb->costs);
	if (p->costs.detail != CALL_DETAIL_NONE)
		count_in_detail(&p->costs, top_frame(walk)->node, cb, block);
	if (p->costs.by_insn)
		call_costs_model(&p->costs, top_frame(walk)->node, block, 0, block->n_insns);
}

void call_walk_block(struct call_walk *walk, const struct tf_block_exec *exec)
{
	const struct tf_block *block = exec->block;
	struct call_block *cb = &walk->profile->blocks[block->id];

	if (walk->effect != CALL_EFFECT_NONE)
		finish(walk, block->pc);
	if (cb->simple && exec->executed == block->n_insns)
		count_simple(walk, cb, block);
	else
		count_pieces(walk, exec);
	note_end(walk, exec);
}

uint32_t call_walk_node(const struct call_walk *walk)
{
	return top_frame(walk)->node;
}

void call_walk_event(struct call_walk *walk, const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_SIGNAL: {
		if (!event->signal.handler)
			break;
		finish(walk, event->signal.pc);
		uint32_t node = call_tree_child(&walk->profile->tree, top_frame(walk)->node,
						CALL_NONE, walk->profile->signal);

		walk->profile->tree.nodes.at[node].calls++;
		push_frame(walk, FRAME_SIGNAL, 0, node, CALL_NONE);
		break;
	}
	case TF_EVENT_SIGRETURN:
		finish(walk, event->sigreturn.pc);
		cut_frames(walk, call_frames_after_sigreturn(&walk->calls));
		break;
	case TF_EVENT_GAP:
	case TF_EVENT_EXEC: begin_again(walk); break;
	default: break;
	}
}
