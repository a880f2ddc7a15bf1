/* SPDX-License-Identifier: MIT */
#include "traceformat/common/pages.h"
#include "traceformat/writer/stream.h"

void stream_make_tally(struct tf_stream *s, uint32_t exit)
{
	const struct exit_entry *e =
		&((struct writer_exit *)fixed_vector_at(&s->writer->exits, exit))->entry;

	s->tallies[exit] = (struct tally){
		.rsp_value = (int32_t)e->rsp_value,
		.n_insns = (uint16_t)e->n_insns,
		.slot_base = e->slot_base,
		.n_slots = e->n_slots,
		.rsp_slot = e->rsp_slot,
		.path_slots = e->path->path.n_slots,
		.rsp_rule = e->rsp_rule,
		.uses_rsp = e->uses_rsp,
		.plain = e->outcome != TF_PARTIAL && e->n_slots <= SPAN_SLOTS &&
			 e->n_insns <= UINT16_MAX && e->rsp_value == (int32_t)e->rsp_value,
		.dynamic = e->path->dynamic,
		.made = true,
	};
	s->tally_groups[exit / TALLY_GROUP] = true;
}

static bool grow(struct tf_stream *s, uint32_t n)
{
	uint32_t room = (n + n / 2 + 1024) & -TALLY_GROUP;
	const struct page_array by_group[] = {
		{ (void **)&s->tallies, TALLY_GROUP * sizeof(*s->tallies) },
		{ (void **)&s->tally_groups, sizeof(*s->tally_groups) },
	};

	if (!page_arrays_extend(by_group, 2, s->n_tallies / TALLY_GROUP, room / TALLY_GROUP))
		return false;
	s->n_tallies = room;
	return true;
}

bool stream_extend_tallies(struct tf_stream *s)
{
	uint32_t n = s->writer->exits.count;

	return slot_states_extend(&s->slots.states, s->writer->n_slots) &&
	       (n <= s->n_tallies || grow(s, n));
}

void stream_free_tallies(struct tf_stream *s)
{
	pages_free(s->tallies, s->n_tallies * sizeof(*s->tallies));
	pages_free(s->tally_groups, s->n_tallies / TALLY_GROUP);
}

static void count_tally(struct tf_stream *s, uint32_t exit)
{
	const struct writer_exit *e = fixed_vector_at(&s->writer->exits, exit);
	struct tally *t = &s->tallies[exit];

	s->totals.paths += t->executions;
	s->totals.blocks += t->executions * e->entry.n_blocks;
	s->totals.loads += t->executions * e->counts.loads;
	s->totals.stores += t->executions * e->counts.stores;
	s->totals.prefetches += t->executions * e->counts.prefetches;
	s->totals.opaque += t->executions * e->counts.opaque;
	t->executions = 0;
}

void stream_count_tallies(struct tf_stream *s)
{
	for (uint32_t group = 0; group < s->n_tallies; group += TALLY_GROUP) {
		if (!s->tally_groups[group / TALLY_GROUP])
			continue;
		for (uint32_t i = group; i < group + TALLY_GROUP; i++)
			if (s->tallies[i].executions)
				count_tally(s, i);
	}
}
