/* SPDX-License-Identifier: MIT */
/*
 * The exits that a stream has met, and how often the open chunk has executed each. Executions are
 * counted by exit, and multiplied by the exit's accesses only when the chunk ends.
 */
#include "traceformat/common/pages.h"
#include "traceformat/writer/stream.h"

/* Chunks after which the memory of slot states, most of them unused by then, is returned. */
enum { RETURN_STATES = 16 };

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
}

static bool grow(struct tf_stream *s, uint32_t n)
{
	uint32_t room = (n + n / 2 + 1024) & -TALLY_GROUP;
	const struct page_array arrays[] = {
		{ (void **)&s->tallies, sizeof(*s->tallies) },
		{ (void **)&s->listed, sizeof(*s->listed) },
	};

	if (!page_arrays_extend(arrays, 2, s->n_tallies, room))
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
	pages_free(s->listed, s->n_tallies * sizeof(*s->listed));
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
	for (uint32_t i = 0; i < s->n_listed; i++)
		if (s->tallies[s->listed[i]].executions)
			count_tally(s, s->listed[i]);
}

bool stream_forget_exits(struct tf_stream *s)
{
	struct slot_states *states = &s->slots.states;
	bool all = s->n_chunks % RETURN_STATES == 0;

	for (uint32_t i = 0; i < s->n_listed; i++) {
		struct tally *t = &s->tallies[s->listed[i]];

		t->listed = false;
		if (!all)
			slot_states_clear(states, t->slot_base, t->path_slots);
	}
	s->n_listed = 0;
	if (all)
		return slot_states_reset(states, s->writer->n_slots);
	slot_sources_remove(&s->sources, states);
	return slot_states_extend(states, s->writer->n_slots);
}
