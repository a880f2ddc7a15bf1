/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/markers.h"

#include <stdlib.h>

#include "analyzers/simpoint/intervals.h"
#include "cli/common/checked.h"

/* An address, and its markers: marked[next] is the one that comes next. */
struct watch {
	uint64_t pc, count;
	size_t next, end;
};

/* The instructions of a block that are watched. */
struct watched {
	bool known;
	unsigned n;
	struct {
		uint16_t index;
		size_t watch;
	} * at;
};

struct search {
	struct marker **marked; /* ascending by pc, then by count */
	struct watch *watches;  /* ascending by pc */
	size_t n_watches;
	struct watched *blocks; /* by id */
};

static int compare_markers(const void *a, const void *b)
{
	const struct marker *x = *(struct marker *const *)a, *y = *(struct marker *const *)b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

static int compare_watches(const void *a, const void *b)
{
	uint64_t x = ((const struct watch *)a)->pc, y = ((const struct watch *)b)->pc;

	return x < y ? -1 : x > y;
}

/* Finds which instructions of a block are watched. */
static void prepare(const struct search *s, struct watched *watched, const struct tf_block *block)
{
	watched->known = true;
	for (uint16_t i = 0; i < block->n_insns; i++) {
		struct watch key = { .pc = block->pc + block->insns[i].offset };
		struct watch *found = bsearch(&key, s->watches, s->n_watches, sizeof(key),
					      compare_watches);

		if (!found)
			continue;
		watched->at = checked(
			reallocarray(watched->at, watched->n + 1, sizeof(*watched->at)));
		watched->at[watched->n].index = i;
		watched->at[watched->n++].watch = (size_t)(found - s->watches);
	}
}

static void count_execution(struct search *s, struct watch *watch, uint64_t ordinal)
{
	watch->count++;
	for (; watch->next < watch->end && s->marked[watch->next]->count == watch->count;
	     watch->next++) {
		s->marked[watch->next]->ordinal = ordinal;
		s->marked[watch->next]->found = true;
	}
}

static void feed(void *opaque, const struct tf_item *item)
{
	struct search *s = opaque;
	uint64_t ordinal = item->ordinal;

	if (item->kind != TF_ITEM_BLOCKS)
		return;
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		struct watched *watched = &s->blocks[exec->block->id];

		if (!watched->known)
			prepare(s, watched, exec->block);
		for (unsigned k = 0; k < watched->n && watched->at[k].index < exec->executed; k++)
			count_execution(s, &s->watches[watched->at[k].watch],
					ordinal + watched->at[k].index);
		ordinal += exec->executed;
	}
}

bool markers_find(struct tf_reader *reader, uint32_t thread, struct marker **markers, size_t n)
{
	struct search s = {
		.marked = checked_array(n, sizeof(*s.marked)),
		.watches = checked_array(n, sizeof(*s.watches)),
		.blocks = checked_array(tf_n_blocks(reader), sizeof(*s.blocks)),
	};
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	size_t n_marked = 0;
	bool done;

	for (size_t i = 0; i < n; i++) {
		markers[i]->found = false;
		if (markers[i]->count)
			s.marked[n_marked++] = markers[i];
	}
	qsort(s.marked, n_marked, sizeof(*s.marked), compare_markers);
	for (size_t i = 0; i < n_marked; i++) {
		if (!i || s.marked[i]->pc != s.marked[i - 1]->pc)
			s.watches[s.n_watches++] = (struct watch){ .pc = s.marked[i]->pc,
								   .next = i };
		s.watches[s.n_watches - 1].end = i + 1;
	}
	options.thread = thread;
	done = replay_items(reader, &options, feed, &s);
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++)
		free(s.blocks[id].at);
	free(s.blocks);
	free(s.marked);
	free(s.watches);
	return done;
}
