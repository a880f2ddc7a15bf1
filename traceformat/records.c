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

/* A record of the span whose slots are yet to be encoded. */
struct pending_slots {
	struct slot_state *states;
	const uint64_t *slots;
	unsigned count;
};

static bool reserve(struct tf_stream *s)
{
	return buffer_reserve(&s->flow.runs, SPAN_RECORDS * MAX_VARINT) &&
	       buffer_reserve(&s->flow.misses, SPAN_RECORDS * MAX_VARINT) &&
	       buffer_reserve(&s->slots.hits, SPAN_SLOTS / 4) &&
	       buffer_reserve(&s->slots.misses, 2 * SPAN_SLOTS * MAX_VARINT);
}

static void encode_slots(struct slot_encoder *e, const struct pending_slots *pending, unsigned n)
{
	uint8_t *hits = e->hits.data + e->hits.size, *misses = e->misses.data + e->misses.size;
	uint64_t bits = e->bits;
	unsigned n_bits = e->n_bits;

	for (const struct pending_slots *p = pending; p < pending + n; p++) {
		struct slot_state *state = p->states;

		for (const uint64_t *slot = p->slots; slot < p->slots + p->count; slot++, state++) {
			uint64_t delta = *slot - state->last, hit = delta == state->stride;

			bits |= hit << n_bits;
			state->last = *slot;
			if (!hit) {
				state->stride = delta;
				misses = write_varint(misses, zigzag((int64_t)delta));
			}
			if (++n_bits == 64) {
				put_le64(hits, bits);
				hits += 8;
				bits = n_bits = 0;
			}
		}
	}
	e->bits = bits;
	e->n_bits = n_bits;
	e->hits.size = (size_t)(hits - e->hits.data);
	e->misses.size = (size_t)(misses - e->misses.data);
}

/*
 * Appends plain executions up to `end` or the span's end; returns where it stopped. First the
 * control flow of all, then all slots: each loop has its state in registers.
 */
static const uint64_t *append_span(struct tf_stream *s, const uint64_t *at, const uint64_t *end,
				   const uint32_t *exits, size_t n_exits)
{
	const uint64_t chunk_end = s->chunk_first + s->writer->chunk_instructions;
	struct pending_slots pending[SPAN_RECORDS];
	struct slot_state *states = s->slots.states.states;
	uint32_t *table = s->flow.predictor.table, history = s->flow.predictor.history;
	uint64_t run = s->flow.run, rsp = s->registers.rsp, ordinal = s->ordinal, n_slots = 0;
	unsigned n = 0;

	if (!reserve(s))
		return at;
	while (n < SPAN_RECORDS && at < end && n_slots < SPAN_SLOTS && ordinal < chunk_end) {
		uint32_t key = (uint32_t)*at, exit = key < n_exits ? exits[key] : TF_NONE;
		struct tally *t = &s->tallies[exit];

		if (exit >= s->n_tallies || !t->plain || (t->uses_rsp && !s->rsp_known))
			break;
		if (table[history] == exit + 1) {
			run++;
		} else {
			table[history] = exit + 1;
			put_varint(&s->flow.runs, run);
			put_varint(&s->flow.misses, exit);
			run = 0;
			if (exit >= s->exits_needed)
				s->exits_needed = exit + 1;
		}
		history = flow_history(history, exit);
		if (t->rsp_rule == TF_RSP_SLOT)
			rsp = at[1 + t->rsp_slot];
		else if (t->rsp_rule == TF_RSP_UNTRACKED)
			s->rsp_known = false;
		rsp += t->rsp_value;
		t->executions++;
		ordinal += t->n_insns;
		pending[n++] = (struct pending_slots){ states + t->slot_base, at + 1, t->n_slots };
		n_slots += t->n_slots;
		at += 1 + t->n_slots;
	}
	encode_slots(&s->slots, pending, n);
	s->flow.predictor.history = history;
	s->flow.run = run;
	s->registers.rsp = rsp;
	s->ordinal = ordinal;
	s->slots.n_slots += n_slots;
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
