/* SPDX-License-Identifier: MIT */
/*
 * Many executions at once, from records as a recorder's traced program writes them. What stream.c
 * does for one execution is done here in one loop whose state stays in registers; counting is
 * put off to the chunk's end.
 */
#include "error.h"
#include "stream.h"

enum {
	SPAN_RECORDS = 256,	/* between looks at the buffers' room and the columns' size */
	SPAN_SLOTS = SPAN_RECORDS * 8,
};

static void make_tally(const struct tf_writer *w, uint32_t exit, struct tally *t)
{
	const struct exit_entry *e = &((struct writer_exit *)fixed_vector_at(&w->exits, exit))->entry;

	*t = (struct tally){
		.rsp_value = (uint64_t)e->rsp_value, .n_insns = e->n_insns,
		.slot_base = e->slot_base, .n_slots = e->n_slots, .rsp_slot = e->rsp_slot,
		.rsp_rule = e->rsp_rule, .uses_rsp = e->uses_rsp,
		.plain = e->outcome != TF_PARTIAL && !e->path->dynamic && e->n_slots <= SPAN_SLOTS,
	};
}

static bool reserve_tallies(struct tf_stream *s, uint32_t n)
{
	uint32_t room = n + n / 2 + 1024;
	struct tally *larger;

	if (n <= s->tallies_room)
		return true;
	larger = realloc(s->tallies, room * sizeof(*larger));
	if (!larger)
		return false;
	s->tallies = larger;
	s->tallies_room = room;
	return true;
}

/* Makes tallies and slot states for all exits that there are. */
static bool extend(struct tf_stream *s)
{
	uint32_t n = s->writer->exits.count;

	if (!slot_states_extend(&s->slots.states, s->writer->n_slots) || !reserve_tallies(s, n))
		return false;
	while (s->n_tallies < n) {
		make_tally(s->writer, s->n_tallies, &s->tallies[s->n_tallies]);
		s->n_tallies++;
	}
	return true;
}

void stream_count_tallies(struct tf_stream *s)
{
	for (uint32_t i = 0; i < s->n_tallies; i++) {
		struct tally *t = &s->tallies[i];
		const struct writer_exit *e;

		if (!t->executions)
			continue;
		e = fixed_vector_at(&s->writer->exits, i);
		s->totals.paths += t->executions;
		s->totals.blocks += t->executions * e->entry.n_blocks;
		s->totals.loads += t->executions * e->counts.loads;
		s->totals.stores += t->executions * e->counts.stores;
		s->totals.prefetches += t->executions * e->counts.prefetches;
		s->totals.opaque += t->executions * e->counts.opaque;
		t->executions = 0;
	}
}

/* The loop's state: copies of what is in the stream. */
struct hot {
	uint32_t history;
	uint64_t run;
	uint8_t *runs, *flow_misses;
	uint64_t bits;
	unsigned n_bits;
	uint8_t *hits, *slot_misses;
	uint64_t rsp, ordinal, n_slots;
	uint32_t exits_needed;
	bool rsp_known;
};

static bool load(struct tf_stream *s, struct hot *h)
{
	if (!buffer_reserve(&s->flow.runs, SPAN_RECORDS * MAX_VARINT) ||
	    !buffer_reserve(&s->flow.misses, SPAN_RECORDS * MAX_VARINT) ||
	    !buffer_reserve(&s->slots.hits, SPAN_SLOTS / 4) ||
	    !buffer_reserve(&s->slots.misses, 2 * SPAN_SLOTS * MAX_VARINT))
		return false;
	*h = (struct hot){
		.history = s->flow.predictor.history, .run = s->flow.run,
		.runs = s->flow.runs.data + s->flow.runs.size,
		.flow_misses = s->flow.misses.data + s->flow.misses.size,
		.bits = s->slots.bits, .n_bits = s->slots.n_bits,
		.hits = s->slots.hits.data + s->slots.hits.size,
		.slot_misses = s->slots.misses.data + s->slots.misses.size,
		.rsp = s->registers.rsp, .ordinal = s->ordinal, .n_slots = s->slots.n_slots,
		.exits_needed = s->exits_needed, .rsp_known = s->rsp_known,
	};
	return true;
}

static void store(struct tf_stream *s, const struct hot *h)
{
	s->flow.predictor.history = h->history;
	s->flow.run = h->run;
	s->flow.runs.size = (size_t)(h->runs - s->flow.runs.data);
	s->flow.misses.size = (size_t)(h->flow_misses - s->flow.misses.data);
	s->slots.bits = h->bits;
	s->slots.n_bits = h->n_bits;
	s->slots.hits.size = (size_t)(h->hits - s->slots.hits.data);
	s->slots.misses.size = (size_t)(h->slot_misses - s->slots.misses.data);
	s->slots.n_slots = h->n_slots;
	s->registers.rsp = h->rsp;
	s->ordinal = h->ordinal;
	s->exits_needed = h->exits_needed;
	s->rsp_known = h->rsp_known;
}

FORCE_INLINE void encode_flow(struct hot *h, uint32_t *table, uint32_t exit)
{
	uint32_t *guess = &table[h->history];

	if (*guess == exit + 1) {
		h->run++;
	} else {
		*guess = exit + 1;
		h->runs = write_varint(h->runs, h->run);
		h->flow_misses = write_varint(h->flow_misses, exit);
		h->run = 0;
	}
	h->history = flow_history(h->history, exit);
}

FORCE_INLINE void encode_slots(struct hot *h, struct slot_state *state, const uint64_t *slots,
			       unsigned n)
{
	for (unsigned i = 0; i < n; i++, state++) {
		uint64_t delta = slots[i] - state->last, hit = delta == state->stride;

		h->bits |= hit << h->n_bits;
		state->last = slots[i];
		if (!hit) {
			state->stride = delta;
			h->slot_misses = write_varint(h->slot_misses, zigzag((int64_t)delta));
		}
		if (++h->n_bits == 64) {
			put_le64(h->hits, h->bits);
			h->hits += 8;
			h->bits = h->n_bits = 0;
		}
	}
	h->n_slots += n;
}

/* Appends plain executions up to `end` or the span's end; returns where it stopped. */
static const uint64_t *append_span(struct tf_stream *s, const uint64_t *at, const uint64_t *end,
				   const uint32_t *exits, size_t n_exits)
{
	uint64_t most_slots = s->slots.n_slots + SPAN_SLOTS;
	uint64_t chunk_end = s->chunk_first + s->writer->chunk_instructions;
	uint32_t *table = s->flow.predictor.table;
	struct slot_state *states = s->slots.states.states;
	struct hot h;

	if (!load(s, &h))
		return at;
	for (unsigned n = 0; n < SPAN_RECORDS && at < end && h.n_slots < most_slots &&
			     h.ordinal < chunk_end; n++) {
		uint32_t key = (uint32_t)*at, exit = key < n_exits ? exits[key] : TF_NONE;
		struct tally *t = &s->tallies[exit];

		if (exit >= s->n_tallies || !t->plain || (t->uses_rsp && !h.rsp_known))
			break;
		encode_flow(&h, table, exit);
		encode_slots(&h, states + t->slot_base, at + 1, t->n_slots);
		h.rsp = (t->rsp_rule == TF_RSP_SLOT ? at[1 + t->rsp_slot] : h.rsp) + t->rsp_value;
		h.rsp_known &= t->rsp_rule != TF_RSP_UNTRACKED;
		t->executions++;
		h.ordinal += t->n_insns;
		if (exit >= h.exits_needed)
			h.exits_needed = exit + 1;
		at += 1 + t->n_slots;
	}
	store(s, &h);
	return at;
}

/* Appends one that is not plain. Returns how many u64 it took; 0: the caller is to see to it. */
static int64_t append_one(struct tf_stream *s, const uint64_t *at, const uint32_t *exits,
			  size_t n_exits, struct tf_error *error)
{
	uint32_t key = (uint32_t)*at, exit = key < n_exits ? exits[key] : TF_NONE;
	int status;

	if (exit >= s->writer->exits.count)
		return 0;
	status = tf_stream_exec(s, exit, at + 1, error);
	return status < 0 ? status : 1 + s->tallies[exit].n_slots;
}

int64_t tf_stream_records(struct tf_stream *s, const uint64_t *records, size_t count,
			  const uint32_t *exits, size_t n_exits, struct tf_error *error)
{
	const uint64_t *at = records, *end = records + count;
	int64_t used;
	int status = 0;

	if (!extend(s))
		return fail_memory(error);
	while (at < end) {
		const uint64_t *before = at;

		if (s->restated || stream_chunk_full(s))
			status = tf_stream_flush(s, error);
		if (status < 0)
			return status;
		at = append_span(s, at, end, exits, n_exits);
		memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
		if (at > before)
			continue;
		used = append_one(s, at, exits, n_exits, error);
		if (used < 0)
			return used;
		if (used == 0)
			break;
		at += used;
	}
	return at - records;
}
