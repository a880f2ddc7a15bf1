/* SPDX-License-Identifier: MIT */
/* Numbers blocks by their places. */
#include "analyzers/bbv/homes.h"
#include "analyzers/bbv/internal.h"
#include "analyzers/common/leaders.h"

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
