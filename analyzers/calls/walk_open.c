/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/walk_internal.h"

#include "cli/common/checked.h"

/* ---- steps ------------------------------------------------------------------------------- */

static struct call_step *add_step(struct call_walk *walk, enum call_step_kind kind)
{
	struct call_profile *p = walk->profile;
	struct call_step *step;

	CHECKED_RESERVE(p->steps, p->steps.count + 1);
	step = &p->steps.at[p->steps.count++];
	*step = (struct call_step){
		.kind = (uint8_t)kind,
		.thread = walk->low.thread,
		.n_nodes = (uint32_t)p->tree.nodes.count,
		.node = CALL_NONE,
	};
	return step;
}

/* Gives a step a node as its result. */
static uint32_t open_node(struct call_walk *walk, struct call_step *step)
{
	step->node = call_tree_open_node(&walk->profile->tree);
	call_costs_add_node(&walk->profile->costs, step->node);
	return step->node;
}

/* Adds the steps for what happened to the lowest frame without a step. */
static void note_changes(struct call_walk *walk)
{
	const struct call_walk_frame *lowest = &walk->frames.at[0];
	struct call_low *low = &walk->low;
	struct call_step *step;

	if (low->least < low->checked) {
		step = add_step(walk, CALL_STEP_CHECK);
		step->least = low->checked = low->least;
		step->slot = low->most;
	}
	if (!low->moved)
		return;
	step = add_step(walk, CALL_STEP_STAND);
	step->function = lowest->function;
	step->node = lowest->node;
	low->moved = false;
}

static struct call_step *note_and_add(struct call_walk *walk, enum call_step_kind kind)
{
	note_changes(walk);
	return add_step(walk, kind);
}

/* ---- the lowest frame -------------------------------------------------------------------- */

static void begin_epoch(struct call_walk *walk)
{
	walk->low.epoch = ++walk->profile->n_epochs;
	walk->low.called = walk->low.moved = false;
}

/* The lowest frame is another one from now on. */
static void forget(struct call_walk *walk)
{
	begin_epoch(walk);
	walk->frames.at[0].function = walk->frames.at[0].node = CALL_NONE;
}

static void know(struct call_walk *walk, uint32_t function, uint32_t node)
{
	struct call_low_place *place = checked(
		TABLE_PUT(walk->profile->places, { walk->low.epoch, function }));

	place->node = node;
	walk->frames.at[0].function = function;
	walk->frames.at[0].node = node;
}

uint32_t call_open_here(struct call_walk *walk)
{
	uint32_t node = open_node(walk, note_and_add(walk, CALL_STEP_HERE));

	walk->frames.at[0].node = node;
	return node;
}

void call_open_enter(struct call_walk *walk, uint32_t function)
{
	const struct call_low_place *place = TABLE_FIND(walk->profile->places,
							{ walk->low.epoch, function });
	struct call_step *step;

	if (place) {
		walk->frames.at[0].function = function;
		walk->frames.at[0].node = place->node;
		walk->low.moved = true;
		return;
	}
	step = note_and_add(walk, CALL_STEP_ENTER);
	step->function = function;
	know(walk, function, open_node(walk, step));
}

void call_open_arrive(struct call_walk *walk, uint32_t function, bool begins)
{
	bool searches = walk->jumped && !begins;
	struct call_step *step;
	uint32_t node;

	if (walk->frames.at[0].function != CALL_NONE && !searches) {
		call_open_enter(walk, function);
		walk->profile->tree.nodes.at[walk->frames.at[0].node].calls += begins;
		return;
	}
	step = note_and_add(walk, CALL_STEP_ARRIVE);
	step->function = function;
	step->jumped = walk->jumped;
	step->begins = begins;
	node = open_node(walk, step);
	if (searches)
		begin_epoch(walk);
	know(walk, function, node);
}

/*
 * A call through a slot that is not above those of earlier calls ends no frame, unless stacks are
 * so far apart that the check refuses the part.
 */
void call_open_call(struct call_walk *walk, uint64_t slot, uint32_t function)
{
	struct call_low *low = &walk->low;
	struct call_step *step;
	uint32_t node;

	call_walk_cut(walk, 1);
	if (low->called && slot <= low->most) {
		low->least = slot < low->least ? slot : low->least;
		if (walk->frames.at[0].function != function)
			call_open_enter(walk, function);
		return;
	}
	step = note_and_add(walk, CALL_STEP_CALL);
	step->slot = slot;
	step->function = function;
	node = open_node(walk, step);
	begin_epoch(walk);
	low->called = true;
	low->least = low->most = low->checked = slot;
	know(walk, function, node);
}

/* ---- returns ----------------------------------------------------------------------------- */

void call_open_lower(struct call_walk *walk)
{
	const struct call_walk_frame innermost = *call_walk_top(walk);

	if (walk->frames.count == 1)
		return;
	for (size_t i = 1; i < walk->frames.count; i++) {
		struct call_step *step = note_and_add(walk, CALL_STEP_PUSH);

		step->frame = walk->calls.at[i].kind;
		step->slot = walk->calls.at[i].slot;
		step->function = walk->frames.at[i].function;
		step->node = walk->frames.at[i].node;
		step->parent = walk->frames.at[i].parent;
		step->site = walk->frames.at[i].site;
	}
	call_walk_cut(walk, 1);
	forget(walk);
	walk->frames.at[0].node = innermost.node;
	if (innermost.function != CALL_NONE)
		know(walk, innermost.function, innermost.node);
}

void call_open_return(struct call_walk *walk, uint64_t slot)
{
	call_open_lower(walk);
	note_and_add(walk, CALL_STEP_RETURN)->slot = slot;
	forget(walk);
	walk->jumped = CALL_JUMPED_BEFORE;
}

void call_open_sigreturn(struct call_walk *walk)
{
	call_open_lower(walk);
	note_and_add(walk, CALL_STEP_SIGRETURN);
	forget(walk);
}

void call_open_finish(struct call_walk *walk, uint64_t next)
{
	note_and_add(walk, CALL_STEP_FINISH)->slot = next;
	forget(walk);
	walk->jumped = CALL_JUMPED_BEFORE;
}

void call_open_reset(struct call_walk *walk)
{
	note_and_add(walk, CALL_STEP_RESET);
	walk->low.open = false;
}

/* ---- calls that end no frame --------------------------------------------------------------- */

bool call_open_check(struct call_walk *walk, uint64_t least, uint64_t most)
{
	struct call_step *step;

	if (!call_walk_is_low(walk))
		return call_frames_outlive(&walk->calls, least, most);
	step = note_and_add(walk, CALL_STEP_CHECK);
	step->least = least;
	step->slot = most;
	return true;
}
