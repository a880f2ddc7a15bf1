/* SPDX-License-Identifier: MIT */
/*
 * Appends many executions at once, from records as a recorded program writes them. Where stream.c
 * takes one execution, one loop here keeps its state in registers, and counting is deferred to the
 * chunk's end.
 */
#include "traceformat/common/error.h"
#include "traceformat/writer/stream.h"

enum {
	/* A span is small, so that its records and all that they need stay in the L1 cache. */
	SPAN_RECORDS = 64,         /* between checks of the buffers' room and the columns' size, */
	SPAN_U64 = 512,            /* and u64 of them, but at least one record */
	PREFETCH = SPAN_U64 + 256, /* u64 ahead: another core has written them */
	LINE = 8,                  /* u64 of a cache line */
	STUDY_SLOTS = 100000,      /* of a chunk: of the first ones, and of one in so many */
	STUDY_ALWAYS = 3,
	STUDY_SELDOM = 8,
};

/* Mispredicted exits, each with the length of the run of correct predictions before it. */
struct flow_residuals {
	uint64_t runs[SPAN_RECORDS];
	uint32_t exits[SPAN_RECORDS];
};

static bool put_flow(struct tf_stream *s, const struct flow_residuals *residuals, unsigned n)
{
	struct flow_encoder *flow = &s->flow;
	uint8_t *runs, *exits;

	if (!n)
		return true;
	if (!buffer_reserve(&flow->runs, n * MAX_VARINT) ||
	    !buffer_reserve(&flow->residuals, n * MAX_VARINT))
		return false;
	runs = flow->runs.data + flow->runs.size;
	exits = flow->residuals.data + flow->residuals.size;
	for (unsigned i = 0; i < n; i++) {
		runs = write_varint(runs, residuals->runs[i]);
		exits = write_varint(exits, residuals->exits[i]);
		if (residuals->exits[i] >= s->exits_needed)
			s->exits_needed = residuals->exits[i] + 1;
	}
	flow->runs.size = (size_t)(runs - flow->runs.data);
	flow->residuals.size = (size_t)(exits - flow->residuals.data);
	return true;
}

static void count_dynamic(struct tf_stream *s, uint32_t exit, const uint64_t *slots, uint64_t rsp)
{
	const struct writer_exit *e = fixed_vector_at(&s->writer->exits, exit);

	s->registers.rsp = rsp;
	exit_count(&e->entry, &e->counts, e->entry.n_insns, slots, &s->registers, &s->totals);
}

/* Studies records in the middle of a chunk, for the sources of later chunks. */
static void study(struct tf_stream *s, const struct slot_record *records, unsigned n)
{
	if (s->ordinal - s->chunk_first < s->writer->chunk_instructions / 2 ||
	    (s->n_chunks >= STUDY_ALWAYS && s->n_chunks % STUDY_SELDOM))
		return;
	if (!s->study)
		s->study = slot_study_new();
	for (unsigned i = 0; i < n && s->study && slot_study_slots(s->study) < STUDY_SLOTS; i++)
		slot_study_record(s->study, &records[i]);
}

/* The exits that the keys in the records' heads stand for: see tf_record_head. */
struct heads {
	const uint32_t *exits; /* by key */
	size_t count;
};

/* Returns the exit of a record with this head, or TF_NONE if it is no execution. */
static uint32_t exit_of(const struct heads *heads, uint32_t head)
{
	uint32_t key = head % TF_RECORD_KEYS;

	if (head >> 31 || key >= heads->count)
		return TF_NONE;
	return __atomic_load_n(&heads->exits[key], __ATOMIC_ACQUIRE);
}

/* A record of a span: its execution, and the predictor's history before it. */
struct found {
	const uint64_t *at;
	uint32_t exit, history;
};

/* Returns the length of a record in u64, or 0 if it is of an exit that the stream has not met. */
static size_t record_size(const struct tf_stream *s, uint32_t head, uint32_t exit)
{
	uint32_t length = head / TF_RECORD_KEYS;

	if (length == TF_RECORD_LONG)
		return s->tallies[exit].made ? 1u + s->tallies[exit].n_slots : 0;
	return 1u + length;
}

/*
 * Finds the records of a span by their heads. Prefetches each one's tally and prediction, which
 * mostly are not in the L1 cache, since a program has many superblocks and histories. Returns the
 * number of records; found[] has one more element, for what follows them.
 */
static unsigned find_span(const struct tf_stream *s, const uint64_t *at, const uint64_t *end,
			  const struct heads *heads, struct found found[SPAN_RECORDS + 1])
{
	uint32_t history = s->flow.predictor.history;
	unsigned n = 0;

	if (end - at > SPAN_U64)
		end = at + SPAN_U64;
	while (n < SPAN_RECORDS && at < end) {
		uint32_t head = (uint32_t)*at, exit = exit_of(heads, head);
		size_t size = exit < s->n_tallies ? record_size(s, head, exit) : 0;

		if (!size)
			break;
		__builtin_prefetch(&s->tallies[exit], 1);
		__builtin_prefetch(&s->flow.predictor.table[history], 1);
		found[n++] = (struct found){ at, exit, history };
		history = flow_history(history, exit);
		at += size;
	}
	found[n] = (struct found){ .at = at, .history = history };
	return n;
}

/*
 * Appends plain executions up to `end` or the span's end. Returns where it stopped, or NULL if
 * memory is out. The control flow of all executions comes first, then all slots. Unpredictable
 * conditions are computed without branches.
 */
static const uint64_t *append_span(struct tf_stream *s, const uint64_t *at, const uint64_t *end,
				   const struct heads *heads)
{
	const uint64_t chunk_end = s->chunk_first + s->writer->chunk_instructions;
	struct found found[SPAN_RECORDS + 1];
	struct slot_record records[SPAN_RECORDS];
	struct flow_residuals residuals;
	uint32_t *table = s->flow.predictor.table;
	uint64_t run = s->flow.run, rsp = s->registers.rsp, ordinal = s->ordinal;
	uint32_t n_slots = 0;
	unsigned n_found = find_span(s, at, end, heads, found), i = 0, n = 0, n_residuals = 0;

	for (; i < n_found && ordinal < chunk_end && s->totals.repetitions < ENOUGH_REPETITIONS;
	     i++) {
		const uint64_t *record = found[i].at;
		uint32_t exit = found[i].exit, *guess = &table[found[i].history];
		struct tally *t = &s->tallies[exit];
		bool miss;

		if (!t->plain || (t->uses_rsp && !s->rsp_known) ||
		    t->n_slots > SPAN_SLOTS - n_slots ||
		    record_size(s, (uint32_t)*record, exit) != 1u + t->n_slots)
			break;
		for (const uint64_t *line = record; line < found[i + 1].at; line += LINE)
			__builtin_prefetch(line + PREFETCH);
		miss = *guess != exit + 1;
		*guess = exit + 1;
		residuals.runs[n_residuals] = run;
		residuals.exits[n_residuals] = exit;
		n_residuals += miss;
		run = miss ? 0 : run + 1;
		stream_list_exit(s, exit);
		if (t->dynamic)
			count_dynamic(s, exit, record + 1, rsp);
		else
			t->executions++;
		if (t->rsp_rule == TF_RSP_SLOT)
			rsp = record[1 + t->rsp_slot];
		else if (t->rsp_rule == TF_RSP_UNTRACKED)
			s->rsp_known = false;
		rsp += (uint64_t)(int64_t)t->rsp_value;
		ordinal += t->n_insns;
		records[n] = (struct slot_record){ t->slot_base, t->n_slots, t->path_slots,
						   record + 1 };
		n += t->n_slots != 0;
		n_slots += t->n_slots;
	}
	if (!put_flow(s, &residuals, n_residuals) || (n && !slots_encode(&s->slots, records, n)))
		return NULL;
	s->flow.predictor.history = found[i].history;
	s->flow.run = run;
	s->registers.rsp = rsp;
	study(s, records, n);
	s->ordinal = ordinal;
	return found[i].at;
}

/*
 * Appends one execution that is not plain. Returns the number of u64 used, or 0 if the caller must
 * handle the record.
 */
static int64_t append_one(struct tf_stream *s, const uint64_t *at, const struct heads *heads,
			  struct tf_error *error)
{
	uint32_t head = (uint32_t)*at, exit = exit_of(heads, head);
	int status;

	if (exit >= s->writer->exits.count)
		return 0;
	/* Another thread may have added the exit since append_span made room for all. */
	if (exit >= s->n_tallies && !stream_extend_tallies(s))
		return fail_memory(error);
	if (!s->tallies[exit].made)
		stream_make_tally(s, exit);
	if (head != tf_record_head(head % TF_RECORD_KEYS, s->tallies[exit].n_slots))
		return fail(error, TF_E_ARGUMENT, "a record of exit %u has not %u slots", exit,
			    head / TF_RECORD_KEYS);
	status = tf_stream_exec(s, exit, at + 1, error);
	return status < 0 ? status : 1 + s->tallies[exit].n_slots;
}

int64_t tf_stream_records(struct tf_stream *s, const uint64_t *records, size_t count,
			  const uint32_t *exits, size_t n_exits, struct tf_error *error)
{
	const uint64_t *at = records, *end = records + count;
	const struct heads heads = { exits, n_exits };
	int64_t used;
	int status = 0;

	if (!stream_extend_tallies(s))
		return fail_memory(error);
	while (at < end) {
		const uint64_t *before = at;

		if (s->restated || stream_chunk_full(s))
			status = tf_stream_flush(s, error);
		if (status < 0)
			return status;
		at = append_span(s, at, end, &heads);
		if (!at)
			return fail_memory(error);
		memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
		if (at > before)
			continue;
		used = append_one(s, at, &heads, error);
		if (used < 0)
			return used;
		if (used == 0)
			break;
		at += used;
	}
	return at - records;
}
