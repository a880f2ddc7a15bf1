/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/homes.h"

#include <stdlib.h>

#include "analyzers/bbv/internal.h"
#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

struct home {
	struct code_place key;
	struct bbv_start leader;
	bool known;
	uint32_t first_block; /* id + 1 of the first basic block that begins there; 0: none */
};

struct bbv_homes {
	HASH_TABLE(struct home) at; /* starts of basic blocks that are no leaders */
};

/* Basic blocks whose first instruction has a known leader, and that are still to be searched. */
struct search {
	struct bbv_homes *homes;
	const struct leaders *leaders;
	uint32_t *next; /* by id: id + 1 of the next block that begins at the same place; 0: none */
	ARRAY(uint32_t) blocks;
};

/* Sets the leader of a place if the place is sought and its leader is not known. */
static void find_home(struct search *s, struct code_place place, const struct bbv_start *leader)
{
	struct home *home = TABLE_FIND(s->homes->at, place);

	if (!home || home->known)
		return;
	home->leader = *leader;
	home->known = true;
	for (uint32_t id = home->first_block; id; id = s->next[id - 1])
		s->blocks.at[s->blocks.count++] = id - 1;
}

/* Finds the homes of places inside a basic block and right behind it. */
static void search_block(struct search *s, const struct tf_block *block)
{
	struct bbv_start leader = bbv_home(s->homes, block);

	for (unsigned i = 1; i < block->n_insns; i++) {
		if (leads(s->leaders, block, i))
			leader = bbv_start_at(block, i);
		find_home(s, code_place_at(block, block->insns[i].offset), &leader);
	}
	if (falls_through(block))
		find_home(s, code_place_at(block, block->code_size), &leader);
}

/* Adds a basic block to those that are to be searched, or to its home. */
static void sort_block(struct search *s, const struct tf_block *block)
{
	struct home *home;

	if (leads(s->leaders, block, 0)) {
		s->blocks.at[s->blocks.count++] = block->id;
		return;
	}
	home = checked(TABLE_PUT(s->homes->at, code_place_at(block, 0)));
	s->next[block->id] = home->first_block;
	home->first_block = block->id + 1;
}

struct bbv_homes *bbv_homes_new(const struct tf_reader *reader, const struct leaders *leaders)
{
	uint32_t n = tf_n_blocks(reader);
	struct search s = { .homes = checked_array(1, sizeof(*s.homes)),
			    .leaders = leaders,
			    .next = checked_array(n + 1u, sizeof(*s.next)),
			    .blocks.at = checked_array(n + 1u, sizeof(*s.blocks.at)) };

	for (uint32_t id = 0; id < n; id++)
		if (tf_block(reader, id))
			sort_block(&s, tf_block(reader, id));
	while (s.blocks.count)
		search_block(&s, tf_block(reader, s.blocks.at[--s.blocks.count]));
	free(s.next);
	free(s.blocks.at);
	return s.homes;
}

void bbv_homes_free(struct bbv_homes *h)
{
	if (!h)
		return;
	TABLE_FREE(h->at);
	free(h);
}

struct bbv_start bbv_home(const struct bbv_homes *h, const struct tf_block *block)
{
	const struct home *home = TABLE_FIND(h->at, code_place_at(block, 0));

	return home && home->known ? home->leader : bbv_start_at(block, 0);
}

/* ---- numbering by places ---------------------------------------------------------------- */

static void add_starts(struct bbv_ids *ids, const struct bbv_setup *setup,
		       const struct tf_block *block, uint32_t reached)
{
	bbv_id(ids, bbv_home(setup->homes, block));
	for (uint32_t i = 1; i < reached; i++)
		if (leads(setup->leaders, block, i))
			bbv_id(ids, bbv_start_at(block, i));
}

void bbv_number(struct bbv *bbv, const struct tf_reader *reader, const struct executed *executed)
{
	struct bbv_ids found = { .by_offset = bbv->ids.by_offset };

	for (uint32_t id = 0; id < tf_n_blocks(reader); id++)
		if (executed->reached[id] && tf_block(reader, id))
			add_starts(&found, &bbv->setup, tf_block(reader, id),
				   executed->reached[id]);
	bbv_ids_sort(&found);
	for (size_t i = 0; i < found.sorted.count; i++)
		bbv_id(&bbv->ids, found.places.at[found.sorted.at[i] - 1].start);
	bbv_ids_free(&found);
}
