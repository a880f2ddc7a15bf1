/* SPDX-License-Identifier: MIT */
/* Merges walks of adjacent parts of threads: takes the later part's steps in the earlier walks. */
#include "analyzers/calls/walk_internal.h"
#include "cli/common/checked.h"

/* A merge of profiles. */
struct merge {
	struct call_profile *profile;
	const struct call_profile *later;
	struct call_walk *walks;
	uint32_t *nodes; /* by node of the later profile: the node of this one */
	uint32_t mapped; /* nodes that have been mapped */
};

/* Maps the nodes before `end`, but not the open ones, which are results of steps. */
static void map_nodes(struct merge *merge, uint32_t end)
{
	for (; merge->mapped < end; merge->mapped++) {
		const struct call_node_key *key = &merge->later->tree.nodes.at[merge->mapped].key;

		if (key->parent != CALL_OPEN)
			merge->nodes[merge->mapped] = call_tree_child(&merge->profile->tree,
								      merge->nodes[key->parent],
								      key->site, key->function);
	}
}

/* Sets the innermost function. */
static void stand(struct call_walk *walk, uint32_t function, uint32_t node)
{
	call_walk_top(walk)->function = function;
	call_walk_top(walk)->node = node;
	walk->low.moved |= call_walk_is_low(walk);
}

static void push(struct call_walk *walk, const struct call_frame *call,
		 const struct call_walk_frame *frame, const uint32_t *nodes)
{
	call_walk_push(walk, call->kind, call->slot, nodes[frame->parent], frame->site);
	call_walk_top(walk)->function = frame->function;
	call_walk_top(walk)->node = nodes[frame->node];
}

/* Takes a step. Returns false if it cannot be taken. */
static bool take_step(struct call_walk *walk, const struct call_step *step, const uint32_t *nodes)
{
	switch ((enum call_step_kind)step->kind) {
	case CALL_STEP_FINISH: call_walk_finish(walk, step->slot); break;
	case CALL_STEP_ARRIVE:
		if (step->jumped != CALL_JUMPED_BEFORE)
			walk->jumped = step->jumped;
		if (call_walk_top(walk)->function != step->function)
			call_walk_arrive(walk, step->function, step->begins);
		break;
	case CALL_STEP_ENTER:
		if (call_walk_top(walk)->function != step->function)
			call_walk_enter(walk, step->function, false);
		break;
	case CALL_STEP_CALL: call_walk_call(walk, step->slot, step->function); break;
	case CALL_STEP_RETURN: call_walk_return(walk, step->slot); break;
	case CALL_STEP_SIGRETURN: call_walk_sigreturn(walk); break;
	case CALL_STEP_STAND: stand(walk, step->function, nodes[step->node]); break;
	case CALL_STEP_PUSH:
		push(walk, &(struct call_frame){ step->frame, step->slot },
		     &(struct call_walk_frame){ step->function, step->node, step->parent,
						step->site },
		     nodes);
		break;
	case CALL_STEP_CHECK: return call_open_check(walk, step->least, step->slot);
	case CALL_STEP_RESET: call_walk_begin_again(walk); break;
	case CALL_STEP_HERE:
	case N_CALL_STEPS: break;
	}
	return true;
}

static bool take_steps(struct merge *merge)
{
	for (size_t i = 0; i < merge->later->steps.count; i++) {
		const struct call_step *step = &merge->later->steps.at[i];
		struct call_walk *walk = &merge->walks[step->thread];

		map_nodes(merge, step->n_nodes);
		if (!take_step(walk, step, merge->nodes))
			return false;
		if (step->node == step->n_nodes) {
			merge->nodes[step->node] = call_walk_node(walk);
			call_costs_add_node(&merge->profile->costs, merge->nodes[step->node]);
		}
	}
	map_nodes(merge, (uint32_t)merge->later->tree.nodes.count);
	return true;
}

/* Takes over what the later walk has at its end. Returns false if the walks cannot be merged. */
static bool take_end(struct call_walk *walk, const struct call_walk *later, const uint32_t *nodes)
{
	const struct call_low *low = &later->low;

	if (low->least < low->checked && !call_open_check(walk, low->least, low->most))
		return false;
	if (later->frames.at[0].function != CALL_NONE)
		stand(walk, later->frames.at[0].function, nodes[later->frames.at[0].node]);
	for (size_t i = 1; i < later->frames.count; i++)
		push(walk, &later->calls.at[i], &later->frames.at[i], nodes);
	if (later->effect == CALL_EFFECT_BEFORE)
		return true;
	walk->effect = later->effect;
	walk->slot = later->slot;
	walk->site = later->site;
	if (later->jumped != CALL_JUMPED_BEFORE)
		walk->jumped = later->jumped;
	return true;
}

bool call_walks_merge(struct call_walk *walks, const struct call_walk *later, uint32_t n_threads,
		      uint32_t *nodes)
{
	struct merge merge = { .walks = walks, .nodes = nodes, .mapped = CALL_ROOT + 1 };

	nodes[CALL_ROOT] = CALL_ROOT;
	if (!n_threads)
		return true;
	merge.profile = walks[0].profile;
	merge.later = later[0].profile;
	if (!take_steps(&merge))
		return false;
	for (uint32_t i = 0; i < n_threads; i++)
		if (!take_end(&walks[i], &later[i], nodes))
			return false;
	for (size_t i = 0; i < merge.later->tree.nodes.count; i++)
		merge.profile->tree.nodes.at[nodes[i]].calls += merge.later->tree.nodes.at[i].calls;
	/* Paths beyond the limit are not the same whatever the order of the calls. */
	return merge.profile->tree.others == CALL_NONE && merge.later->tree.others == CALL_NONE;
}
