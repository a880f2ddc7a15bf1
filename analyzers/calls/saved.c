/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/saved.h"

#include "analyzers/calls/walk_internal.h"
#include "cli/common/checked.h"

enum { BEHIND = 2 }; /* what is added to numbers, so that CALL_NONE and CALL_OPEN are small */

static void put_u32(struct state_writer *writer, uint32_t number)
{
	analyzer_put(writer, (uint32_t)(number + BEHIND));
}

static uint32_t take_u32(struct state_reader *reader)
{
	return (uint32_t)analyzer_take_max(reader, UINT32_MAX) - BEHIND;
}

/* Takes a number of things, each of which has `numbers` numbers. */
static size_t take_count(struct state_reader *reader, unsigned numbers)
{
	return analyzer_take_max(reader, analyzer_left(reader) / numbers);
}

/* ---- checks ------------------------------------------------------------------------------ */

static bool is_block(const struct call_profile *p, uint32_t block)
{
	return block < tf_n_blocks(p->reader) && tf_block(p->reader, block);
}

static bool is_site(const struct call_profile *p, uint32_t site)
{
	return site == CALL_NONE || is_block(p, site);
}

static bool is_function(const struct call_profile *p, uint32_t function)
{
	return function < p->functions.functions.count;
}

/* ---- the tree and its costs -------------------------------------------------------------- */

static void save_tree(const struct call_tree *tree, struct state_writer *writer)
{
	analyzer_put(writer, tree->nodes.count);
	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct call_node *node = &tree->nodes.at[i];

		put_u32(writer, node->key.parent);
		put_u32(writer, node->key.site);
		put_u32(writer, node->key.function);
		analyzer_put(writer, node->calls);
	}
	put_u32(writer, tree->others);
}

/* Adds node i, which may be there. */
static bool load_node(struct call_profile *p, size_t i, struct state_reader *reader)
{
	struct call_node_key key = { .parent = take_u32(reader) };
	uint32_t node;

	key.site = take_u32(reader);
	key.function = take_u32(reader);
	if (key.parent == CALL_OPEN && i == p->tree.nodes.count)
		node = call_tree_open_node(&p->tree);
	else if (key.parent < i && is_site(p, key.site) && is_function(p, key.function))
		node = call_tree_child(&p->tree, key.parent, key.site, key.function);
	else
		return false;
	if (node != i)
		return false;
	p->tree.nodes.at[i].calls = analyzer_take(reader);
	return true;
}

static bool load_tree(struct call_profile *p, struct state_reader *reader)
{
	size_t n = analyzer_take_max(reader, 1 + analyzer_left(reader) / 4);

	for (size_t i = 1; i < n; i++)
		if (!load_node(p, i, reader))
			return false;
	p->tree.others = take_u32(reader);
	return p->tree.nodes.count == n && (p->tree.others == CALL_NONE || p->tree.others < n);
}

static void save_costs(const struct call_costs *costs, struct state_writer *writer)
{
	analyzer_put(writer, costs->nodes.count);
	for (size_t i = 0; i < costs->nodes.count; i++)
		analyzer_put_all(writer, costs->nodes.at[i].costs, N_CALL_COSTS);
	analyzer_put(writer, costs->executions.count);
	for (size_t i = 0; i < costs->executions.count; i++) {
		const struct call_execution *x = &costs->executions.at[i];

		analyzer_put(writer, x->key.node);
		analyzer_put(writer, x->key.block);
		analyzer_put(writer, x->key.first);
		analyzer_put(writer, x->key.end);
		analyzer_put(writer, x->times);
	}
	analyzer_put(writer, costs->extents.count);
	for (size_t i = 0; i < costs->extents.count; i++) {
		const struct call_extent *x = &costs->extents.at[i];

		analyzer_put(writer, x->key.node);
		analyzer_put(writer, x->key.block);
		analyzer_put(writer, x->key.insn);
		analyzer_put_all(writer, x->sums.costs, N_CALL_COSTS);
	}
	analyzer_put(writer, costs->unmeasured);
}

/* Takes a node of costs of instructions, and a block. Returns the block, or NULL. */
static const struct tf_block *take_place(const struct call_profile *p, uint32_t *node,
					 uint32_t *block, struct state_reader *reader)
{
	uint64_t n_nodes = p->costs.detail == CALL_DETAIL_NODES ? p->tree.nodes.count : 1;

	*node = (uint32_t)analyzer_take_max(reader, n_nodes - 1);
	*block = (uint32_t)analyzer_take_max(reader, UINT32_MAX);
	return p->costs.detail != CALL_DETAIL_NONE && is_block(p, *block)
		       ? tf_block(p->reader, *block)
		       : NULL;
}

static bool load_executions(struct call_profile *p, struct state_reader *reader)
{
	size_t n = take_count(reader, 5);

	for (size_t i = 0; i < n; i++) {
		struct call_execution_key key = { 0 };
		const struct tf_block *block = take_place(p, &key.node, &key.block, reader);
		struct call_execution *execution;

		if (!block)
			return false;
		key.first = (uint16_t)analyzer_take_max(reader, block->n_insns);
		key.end = (uint16_t)analyzer_take_max(reader, block->n_insns);
		execution = checked(TABLE_PUT(p->costs.executions, key));
		execution->times += analyzer_take(reader);
	}
	return true;
}

static bool load_extents(struct call_profile *p, struct state_reader *reader)
{
	size_t n = take_count(reader, 3 + N_CALL_COSTS);

	for (size_t i = 0; i < n; i++) {
		struct call_extent_key key = { 0 };
		const struct tf_block *block = take_place(p, &key.node, &key.block, reader);
		struct call_extent *extent;

		if (!block)
			return false;
		key.insn = (uint32_t)analyzer_take_max(reader, block->n_insns - 1u);
		extent = checked(TABLE_PUT(p->costs.extents, key));
		analyzer_take_all(reader, extent->sums.costs, N_CALL_COSTS);
	}
	return true;
}

static bool load_costs(struct call_profile *p, struct state_reader *reader)
{
	size_t n = take_count(reader, N_CALL_COSTS);

	if (n > p->tree.nodes.count)
		return false;
	for (size_t i = 0; i < n; i++) {
		call_costs_add_node(&p->costs, (uint32_t)i);
		analyzer_take_all(reader, p->costs.nodes.at[i].costs, N_CALL_COSTS);
	}
	if (!load_executions(p, reader) || !load_extents(p, reader))
		return false;
	p->costs.unmeasured = analyzer_take(reader);
	return true;
}

/* ---- steps ------------------------------------------------------------------------------- */

static void save_steps(const struct call_profile *p, struct state_writer *writer)
{
	analyzer_put(writer, p->steps.count);
	for (size_t i = 0; i < p->steps.count; i++) {
		const struct call_step *step = &p->steps.at[i];

		analyzer_put(writer, step->kind);
		analyzer_put(writer, step->jumped);
		analyzer_put(writer, step->begins);
		analyzer_put(writer, step->frame);
		analyzer_put(writer, step->thread);
		analyzer_put(writer, step->n_nodes);
		put_u32(writer, step->node);
		put_u32(writer, step->function);
		analyzer_put(writer, step->parent);
		put_u32(writer, step->site);
		analyzer_put(writer, step->slot);
		analyzer_put(writer, step->least);
	}
}

/* Returns true if a step has what the merge of its kind uses. */
static bool is_step(const struct call_profile *p, const struct call_step *step)
{
	bool has_node = step->node < step->n_nodes;
	bool opens = step->node == step->n_nodes && step->node < p->tree.nodes.count &&
		     p->tree.nodes.at[step->node].key.parent == CALL_OPEN;

	switch ((enum call_step_kind)step->kind) {
	case CALL_STEP_HERE: return opens;
	case CALL_STEP_ARRIVE:
	case CALL_STEP_ENTER:
	case CALL_STEP_CALL: return opens && is_function(p, step->function);
	case CALL_STEP_STAND: return has_node && is_function(p, step->function);
	case CALL_STEP_PUSH:
		return has_node && step->parent < step->n_nodes && is_site(p, step->site) &&
		       step->frame != FRAME_BOTTOM &&
		       (step->function == CALL_NONE || is_function(p, step->function));
	default: return step->node == CALL_NONE;
	}
}

static bool load_steps(struct call_profile *p, uint32_t n_threads, struct state_reader *reader)
{
	size_t n = take_count(reader, 12);
	uint32_t n_nodes = 1;

	if (n && !n_threads)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct call_step step = { .kind = analyzer_take_max(reader, N_CALL_STEPS - 1) };

		step.jumped = analyzer_take_max(reader, CALL_JUMPED_BEFORE);
		step.begins = analyzer_take_max(reader, 1);
		step.frame = analyzer_take_max(reader, FRAME_SIGNAL);
		step.thread = (uint32_t)analyzer_take_max(reader, n_threads - 1);
		step.n_nodes = (uint32_t)analyzer_take_max(reader, p->tree.nodes.count);
		step.node = take_u32(reader);
		step.function = take_u32(reader);
		step.parent = (uint32_t)analyzer_take_max(reader, p->tree.nodes.count - 1);
		step.site = take_u32(reader);
		step.slot = analyzer_take(reader);
		step.least = analyzer_take(reader);
		if (step.n_nodes < n_nodes || !is_step(p, &step))
			return false;
		n_nodes = step.n_nodes;
		CHECKED_RESERVE(p->steps, i + 1);
		p->steps.at[p->steps.count++] = step;
	}
	return true;
}

/* ---- walks ------------------------------------------------------------------------------- */

static void save_walk(const struct call_walk *walk, struct state_writer *writer)
{
	const struct call_low *low = &walk->low;

	analyzer_put(writer, low->open);
	analyzer_put(writer, low->called);
	analyzer_put(writer, low->least);
	analyzer_put(writer, low->most);
	analyzer_put(writer, low->checked);
	analyzer_put(writer, walk->effect);
	analyzer_put(writer, walk->jumped);
	put_u32(writer, walk->site);
	analyzer_put(writer, walk->slot);
	analyzer_put(writer, walk->frames.count);
	for (size_t i = 0; i < walk->frames.count; i++) {
		analyzer_put(writer, walk->calls.at[i].kind);
		analyzer_put(writer, walk->calls.at[i].slot);
		put_u32(writer, walk->frames.at[i].function);
		put_u32(writer, walk->frames.at[i].node);
		analyzer_put(writer, walk->frames.at[i].parent);
		put_u32(writer, walk->frames.at[i].site);
	}
}

/* Loads frame i. The lowest one has a node, and calls nothing, if its function is known. */
static bool load_frame(struct call_walk *walk, size_t i, struct state_reader *reader)
{
	const struct call_profile *p = walk->profile;
	enum call_frame_kind kind = (enum call_frame_kind)analyzer_take_max(reader, FRAME_SIGNAL);
	uint64_t slot = analyzer_take(reader);
	struct call_walk_frame frame = { .function = take_u32(reader) };

	frame.node = take_u32(reader);
	frame.parent = (uint32_t)analyzer_take_max(reader, p->tree.nodes.count - 1);
	frame.site = take_u32(reader);
	if ((kind == FRAME_BOTTOM) != (i == 0) || !is_site(p, frame.site) ||
	    (frame.function != CALL_NONE && !is_function(p, frame.function)) ||
	    (frame.node >= p->tree.nodes.count &&
	     !(i == 0 && frame.function == CALL_NONE && frame.node == CALL_NONE)))
		return false;
	if (i)
		call_walk_push(walk, kind, slot, frame.parent, frame.site);
	*call_walk_top(walk) = frame;
	return true;
}

static bool load_walk(struct call_walk *walk, struct state_reader *reader)
{
	size_t n;

	walk->low.open = analyzer_take_max(reader, 1);
	walk->low.called = analyzer_take_max(reader, 1);
	walk->low.least = analyzer_take(reader);
	walk->low.most = analyzer_take(reader);
	walk->low.checked = analyzer_take(reader);
	walk->effect = analyzer_take_max(reader, CALL_EFFECT_BEFORE);
	walk->jumped = analyzer_take_max(reader, CALL_JUMPED_BEFORE);
	walk->site = take_u32(reader);
	walk->slot = analyzer_take(reader);
	n = take_count(reader, 6);
	for (size_t i = 0; i < n; i++)
		if (!load_frame(walk, i, reader))
			return false;
	return n && is_site(walk->profile, walk->site) &&
	       (walk->effect != CALL_EFFECT_CALL || call_walk_top(walk)->function != CALL_NONE);
}

void call_walks_save(const struct call_profile *profile, const struct call_walk *walks,
		     uint32_t n_threads, struct state_writer *writer)
{
	save_tree(&profile->tree, writer);
	save_costs(&profile->costs, writer);
	save_steps(profile, writer);
	for (uint32_t i = 0; i < n_threads; i++)
		save_walk(&walks[i], writer);
}

bool call_walks_load(struct call_profile *profile, struct call_walk *walks, uint32_t n_threads,
		     struct state_reader *reader)
{
	if (!load_tree(profile, reader) || !load_costs(profile, reader) ||
	    !load_steps(profile, n_threads, reader))
		return false;
	for (uint32_t i = 0; i < n_threads; i++)
		if (!load_walk(&walks[i], reader))
			return false;
	return true;
}

/* ---- system calls ------------------------------------------------------------------------ */

void call_syscalls_save(const struct call_syscalls *s, struct state_writer *writer)
{
	analyzer_put(writer, s->calls.count);
	for (size_t i = 0; i < s->calls.count; i++) {
		const struct call_syscall *call = &s->calls.at[i];

		analyzer_put(writer, call->key.number);
		analyzer_put(writer, call->key.node);
		analyzer_put(writer, call->calls);
		analyzer_put(writer, call->errors);
		analyzer_put(writer, call->elapsed_ns);
	}
	for (uint32_t i = 0; i < s->n_threads; i++) {
		const struct call_syscall_first *first = &s->firsts[i];

		analyzer_put(writer, first->seen);
		analyzer_put(writer, first->has_result);
		analyzer_put(writer, first->number);
		analyzer_put(writer, first->time_ns);
		analyzer_put(writer, (uint64_t)first->result);
		put_u32(writer, s->entries[i].call);
		analyzer_put(writer, s->entries[i].number);
		analyzer_put(writer, s->entries[i].time_ns);
	}
}

static bool load_ends(struct call_syscalls *s, uint32_t thread, struct state_reader *reader)
{
	struct call_syscall_first *first = &s->firsts[thread];
	struct call_syscall_entry *entry = &s->entries[thread];

	first->seen = analyzer_take_max(reader, 1);
	first->has_result = analyzer_take_max(reader, 1);
	first->number = analyzer_take(reader);
	first->time_ns = analyzer_take(reader);
	first->result = (int64_t)analyzer_take(reader);
	entry->call = take_u32(reader);
	entry->number = analyzer_take(reader);
	entry->time_ns = analyzer_take(reader);
	return entry->call == CALL_NONE || entry->call < s->calls.count;
}

bool call_syscalls_load(struct call_syscalls *s, size_t n_nodes, struct state_reader *reader)
{
	size_t n = take_count(reader, 5);

	for (size_t i = 0; i < n; i++) {
		struct call_syscall_key key = { .number = analyzer_take(reader) };
		struct call_syscall *call;

		key.node = analyzer_take_max(reader, n_nodes - 1);
		call = checked(TABLE_PUT(s->calls, key));
		call->calls = analyzer_take(reader);
		call->errors = analyzer_take(reader);
		call->elapsed_ns = analyzer_take(reader);
	}
	for (uint32_t i = 0; i < s->n_threads; i++)
		if (!load_ends(s, i, reader))
			return false;
	return s->calls.count == n;
}
