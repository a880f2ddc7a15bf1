/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/stacks.h"

#include "analyzers/calls/paths.h"
#include "cli/common/checked.h"

void call_stacks_init(struct call_stacks *s, struct tf_reader *reader, bool has_slots, bool mangled)
{
	*s = (struct call_stacks){ .names = { .mangled = mangled } };
	s->n_threads = tf_n_threads(reader);
	call_profile_init(&s->profile, reader, has_slots, CALL_DETAIL_NONE);
	s->walks = checked_array(s->n_threads, sizeof(*s->walks));
	for (uint32_t i = 0; i < s->n_threads; i++)
		call_walk_init(&s->walks[i], &s->profile, CALL_ROOT);
}

void call_stacks_free(struct call_stacks *s)
{
	if (!s->walks)
		return;
	for (uint32_t i = 0; i < s->n_threads; i++)
		call_walk_free(&s->walks[i]);
	for (size_t i = 0; i < s->texts.count; i++)
		free(s->texts.at[i]);
	free(s->texts.at);
	free(s->walks);
	symbol_names_free(&s->names);
	call_profile_free(&s->profile);
}

uint32_t call_stacks_block(struct call_stacks *s, uint32_t thread, const struct tf_block_exec *exec)
{
	call_walk_block(&s->walks[thread], exec);
	return call_walk_node(&s->walks[thread]);
}

void call_stacks_event(struct call_stacks *s, const struct tf_event *event)
{
	call_walk_event(&s->walks[event->thread], event);
}

/* Returns the text of a node, whose functions are called by those of the nodes above. */
static char *make_text(struct call_stacks *s, uint32_t node)
{
	const struct call_paths paths = { .profile = &s->profile, .names = &s->names };
	const struct call_tree *tree = &s->profile.tree;
	char *text = checked_copy(""), *longer;

	for (; node != CALL_ROOT; node = tree->nodes.at[node].key.parent) {
		longer = text_format("%s%s%s",
				     call_function_name(&paths, tree->nodes.at[node].key.function),
				     *text ? ";" : "", text);
		free(text);
		text = longer;
	}
	return text;
}

const char *call_stacks_text(struct call_stacks *s, uint32_t node)
{
	CHECKED_RESERVE(s->texts, node + (size_t)1);
	if (s->texts.count <= node)
		s->texts.count = node + (size_t)1;
	if (!s->texts.at[node])
		s->texts.at[node] = make_text(s, node);
	return s->texts.at[node];
}
