/* SPDX-License-Identifier: MIT */
#include "traceformat/replay/lane.h"

#include "traceformat/common/error.h"
#include "traceformat/common/pages.h"
#include "traceformat/pack/pack_chunk.h"

/*
 * Returns a lane that a closed cursor has left, or a new one, whose untouched pages take no memory.
 */
static struct lane *take_memory(struct tf_reader *r, bool *clean)
{
	struct lane *l = NULL;
	const struct page_array lanes = { (void **)&l, sizeof(*l) };

	for (unsigned i = 0; i < SPARE_LANES && !l; i++)
		l = __atomic_exchange_n(&r->spare_lanes[i], NULL, __ATOMIC_ACQUIRE);
	*clean = !l;
	return l || page_arrays_extend(&lanes, 1, 0, 1) ? l : NULL;
}

struct lane *lane_new(struct tf_reader *reader, uint32_t thread, enum tf_view view,
		      unsigned columns)
{
	bool clean;
	struct lane *l = take_memory(reader, &clean);
	struct slot_states states;
	void *decompressor;

	if (!l)
		return NULL;
	states = l->slots.states;
	decompressor = l->chunk.decompressor;
	memset(l, 0, offsetof(struct lane, flow_table));
	l->slots.states = states;
	l->chunk.decompressor = decompressor;
	l->flow.table = l->flow_table;
	l->flow.clean = clean;
	l->frame[FRAME_ZERO] = 0;
	l->n_values = 0;
	l->reader = reader;
	l->thread = thread;
	l->view = view;
	l->columns = columns;
	l->event_ordinal = UINT64_MAX;
	l->chunk_limit = SIZE_MAX;
	return l;
}

static void free_memory(void *lane)
{
	struct lane *l = lane;

	chunk_free(&l->chunk);
	slot_states_free(&l->slots.states);
	pages_free(l, sizeof(*l));
}

void lane_free(struct lane *l)
{
	struct tf_reader *r;
	void *none = NULL;

	if (!l)
		return;
	r = l->reader;
	buffer_free(&l->event_text);
	chunk_free_buffers(&l->chunk);
	__atomic_store_n(&r->free_lane, free_memory, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < SPARE_LANES; i++, none = NULL)
		if (__atomic_compare_exchange_n(&r->spare_lanes[i], &none, l, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	free_memory(l);
}

bool lane_ended(const struct lane *l)
{
	const struct tf_reader *r = l->reader;

	return !l->open && !l->lost && !l->status && l->event_ordinal == UINT64_MAX &&
	       (l->thread >= r->chunks.count ||
		l->next_chunk >= r->chunks.at[l->thread].sections.count);
}

/* Makes the next event of the chunk ready. */
static int fetch_event(struct lane *l, struct tf_error *error)
{
	uint64_t distance, from = l->last_event;

	l->has_event = false;
	l->event_ordinal = UINT64_MAX;
	if (l->events.at == l->events.end)
		return 0;
	if (!event_decode(&l->events, &distance, &l->event, &l->event_text) ||
	    distance > l->chunk_end - from)
		return lane_damaged(l, error, "its events are damaged");
	l->has_event = true;
	l->event_ordinal = l->last_event = from + distance;
	l->event.thread = l->thread;
	l->event.ordinal = l->event_ordinal;
	return 0;
}

static struct span span_of_buffer(const struct buffer *b)
{
	return span_of(b->data, b->size);
}

/* Returns the parts of a chunk that this replay needs. */
static unsigned parts_needed(const struct lane *l)
{
	unsigned parts = CHUNK_FLOW;

	if (l->columns & SLOT_COLUMNS)
		parts |= CHUNK_SLOTS;
	if (l->columns) /* addresses need segment bases */
		parts |= CHUNK_EVENTS;
	return parts;
}

static int begin_chunk(struct lane *l, const struct section *s, unsigned parts,
		       struct tf_error *error)
{
	struct tf_reader *r = l->reader;
	int status;

	status = chunk_read(r, s, parts, &l->chunk, error);
	if (status < 0)
		return status;
	if (s->extra > r->exits.count)
		return fail_section(r, s, error, "the paths that it needs are lost");
	status = chunk_unpack(r, parts, &l->chunk, error);
	if (status < 0)
		return status;
	flow_decode_begin(&l->flow, span_of_buffer(&l->chunk.runs),
			  span_of_buffer(&l->chunk.residuals), s->extra);
	l->slots.next_bit = l->slots.n_bits = l->slots.skipped = 0;
	residuals_decode_begin(&l->slots.residuals, l->chunk.slot_residuals);
	if (parts & CHUNK_SLOTS) {
		if (!slot_states_reset(&l->slots.states, r->n_slots))
			return fail_memory(error);
		if (!chunk_sources(r, &l->chunk, &l->slots.states))
			return fail_section(r, s, error, "its slots are damaged");
		if (l->slots.states.sourced && l->columns & (TF_REPETITIONS | TF_EXTENTS))
			chunk_needs(r, &l->chunk,
				    l->columns & TF_EXTENTS ? WISH_EXTENTS : WISH_REPETITIONS,
				    &l->slots.states);
		l->slots.n_bits = l->chunk.n_slots;
		l->slots.hits = l->chunk.hits.data;
	}
	l->partials = span_of_buffer(&l->chunk.partials);
	l->events = span_of_buffer(&l->chunk.events);
	l->registers = l->chunk.registers;
	l->rsp_known = true;
	l->repetitions = l->chunk.totals.repetitions;
	l->beyond_limits = false;
	l->chunk_end = s->first + s->count;
	l->ordinal = parts & CHUNK_FLOW ? s->first : l->chunk_end;
	l->has_event = l->passed_event = false;
	l->last_event = s->first;
	l->current.path = NULL;
	l->decoded = TF_NONE;
	return fetch_event(l, error);
}

/* Gives up the chunk; its remaining instructions, up to `end`, become a gap. */
static int give_up(struct lane *l, uint64_t end, int status)
{
	l->lost += end - l->ordinal;
	l->open = false;
	l->has_event = l->passed_event = false;
	l->event_ordinal = UINT64_MAX;
	l->current.path = NULL;
	return status;
}

/*
 * Opens the thread's next chunk. Returns 1 if a chunk is open or a gap has to be handed out, 0 if
 * there are no more chunks, or a negative status.
 */
static int open_chunk(struct lane *l, struct tf_error *error)
{
	struct tf_reader *r = l->reader;
	const struct thread_chunks *chunks;
	const struct section *s;
	int status;

	if (l->thread >= r->chunks.count)
		return 0;
	chunks = &r->chunks.at[l->thread];
	if (l->next_chunk >= chunks->sections.count || l->next_chunk >= l->chunk_limit)
		return 0;
	s = &r->sections.at[chunks->sections.at[l->next_chunk]];
	if (s->first < l->ordinal || s->count > MAX_CHUNK_INSTRUCTIONS ||
	    s->first > UINT64_MAX / 2) {
		l->next_chunk++;
		return fail_section(r, s, error, "its instructions overlap those before it");
	}
	if (s->first > l->ordinal) {
		l->lost += s->first - l->ordinal;
		return 1;
	}
	l->next_chunk++;
	status = begin_chunk(l, s, parts_needed(l), error);
	if (status < 0)
		return give_up(l, s->first + s->count, status);
	l->open = true;
	return 1;
}

/* Moves the values of the current path execution to the front; the previous batch has been used. */
static void begin_batch(struct lane *l)
{
	const struct current *c = &l->current;
	size_t left;

	if (!c->path || !c->values) {
		l->n_values = 0;
		return;
	}
	left = l->n_values - (size_t)(c->values - l->values);
	memmove(l->values, c->values, left * sizeof(*l->values));
	l->current.values = l->values;
	l->n_values = left;
}

static int give_event(struct lane *l, struct tf_item *item, const struct tf_event *event)
{
	*item = (struct tf_item){
		.kind = TF_ITEM_EVENT,
		.thread = l->thread,
		.ordinal = event->ordinal,
		.count = 1,
		.event = event,
	};
	return 1;
}

/* Applies the current event; the next one is fetched when the caller is done with this one. */
static void pass_event(struct lane *l)
{
	if (l->event.kind == TF_EVENT_SEGMENT_BASE)
		l->registers.segment[l->event.segment_base.segment] = l->event.segment_base.base;
	l->passed_event = true;
	l->event_ordinal = UINT64_MAX;
}

static int refresh_event(struct lane *l, struct tf_error *error)
{
	if (!l->passed_event)
		return 0;
	l->passed_event = false;
	return fetch_event(l, error);
}

static int give_gap(struct lane *l, struct tf_item *item)
{
	l->gap = (struct tf_event){
		.kind = TF_EVENT_GAP,
		.thread = l->thread,
		.ordinal = l->ordinal,
		.gap = { TF_GAP_FAULT, l->lost },
	};
	l->ordinal += l->lost;
	l->lost = 0;
	return give_event(l, item, &l->gap);
}

/*
 * Fills *item with a batch if an execution can be handed out here. Returns 1, 0, or a negative
 * status.
 */
static int give_batch(struct lane *l, uint64_t stop, struct tf_item *item)
{
	struct tf_item batch = { .thread = l->thread, .ordinal = l->ordinal };

	begin_batch(l);
	switch (l->view) {
	case TF_VIEW_PATHS:
		batch.kind = TF_ITEM_PATHS;
		batch.paths = l->paths;
		break;
	case TF_VIEW_BLOCKS:
		batch.kind = TF_ITEM_BLOCKS;
		batch.blocks = l->blocks;
		break;
	case TF_VIEW_INSNS:
		batch.kind = TF_ITEM_INSNS;
		batch.insns = l->insns;
		break;
	}
	l->status = lane_fill(l, stop, &batch.count, &l->error);
	if (!batch.count)
		return 0;
	batch.instructions = l->ordinal - batch.ordinal;
	if (l->columns & TF_REPETITIONS)
		batch.repetitions = l->values;
	batch.values = l->values;
	batch.n_values = l->n_values;
	*item = batch;
	return 1;
}

static bool columns_used_up(const struct lane *l)
{
	bool slots = !(l->columns & SLOT_COLUMNS) || (l->slots.next_bit == l->slots.n_bits &&
						      residuals_used_up(&l->slots.residuals));

	return slots && l->flow.run == 0 && l->flow.residuals.at == l->flow.residuals.end &&
	       l->flow.runs.at == l->flow.runs.end && l->partials.at == l->partials.end;
}

/* Closes a chunk that has been handed out to its end. */
static int end_chunk(struct lane *l, struct tf_error *error)
{
	l->open = false;
	if (!slots_finish_skip(&l->slots))
		return lane_damaged(l, error, "its slots are damaged");
	return columns_used_up(l) ? 0
				  : lane_damaged(l, error, "it holds more than its instructions");
}

int lane_next(struct lane *l, uint64_t stop, struct tf_item *item, struct tf_error *error)
{
	for (;;) {
		int status = l->status;

		l->status = 0;
		if (status < 0) { /* found after the last batch */
			if (error)
				*error = l->error;
			return l->open ? give_up(l, l->chunk_end, status) : status;
		}
		status = refresh_event(l, error);
		if (status < 0)
			return give_up(l, l->chunk_end, status);
		if (l->ordinal >= stop)
			return 0;
		if (l->lost)
			return give_gap(l, item);
		if (!l->open) {
			status = open_chunk(l, error);
			if (status <= 0)
				return status;
			continue;
		}
		if (give_batch(l, stop, item))
			return 1;
		if (l->status < 0)
			continue;
		if (l->has_event && !l->passed_event) {
			pass_event(l);
			if (l->columns & TF_EVENTS)
				return give_event(l, item, &l->event);
			continue;
		}
		status = end_chunk(l, error);
		if (status < 0)
			return status;
	}
}

static bool is_closing(const struct tf_event *e)
{
	return e->kind == TF_EVENT_SYSCALL || e->kind == TF_EVENT_THREAD_EXIT ||
	       e->kind == TF_EVENT_PROCESS_EXIT;
}

/* Closes a chunk whose instructions have been handed out and whose events are not wanted. */
static int close_without_events(struct lane *l, struct tf_error *error)
{
	int status = refresh_event(l, error);

	while (status == 0 && l->has_event) {
		pass_event(l);
		status = refresh_event(l, error);
	}
	return status < 0 ? status : end_chunk(l, error);
}

int lane_closing_event(struct lane *l, struct tf_item *item)
{
	if (!(l->columns & TF_EVENTS)) {
		if (l->status == 0 && !l->lost && l->open && l->ordinal == l->chunk_end)
			l->status = close_without_events(l, &l->error);
		return 0;
	}
	while (l->status == 0 && !l->lost) {
		if (!l->open) {
			l->status = open_chunk(l, &l->error);
			if (l->status == 0)
				return 0;
			l->status = l->status < 0 ? l->status : 0;
			continue;
		}
		l->status = refresh_event(l, &l->error);
		if (l->status == 0 && l->has_event) {
			if (l->event_ordinal != l->ordinal || !is_closing(&l->event))
				return 0;
			pass_event(l);
			return give_event(l, item, &l->event);
		}
		if (l->ordinal != l->chunk_end)
			return 0;
		if (l->status == 0)
			l->status = end_chunk(l, &l->error);
	}
	return 0;
}

static const struct section *chunk_at(const struct lane *l, size_t k)
{
	const struct tf_reader *r = l->reader;

	return &r->sections.at[r->chunks.at[l->thread].sections.at[k]];
}

static uint64_t chunk_end_at(const struct lane *l, size_t k)
{
	const struct section *s = chunk_at(l, k);

	return s->first + s->count;
}

/*
 * Returns the chunk that holds `first`, or NULL. If events are wanted, a chunk that ends at `first`
 * comes before it, because events may stand at its end.
 */
static const struct section *find_chunk(struct lane *l, uint64_t first)
{
	size_t low = 0, high, count;

	if (l->thread >= l->reader->chunks.count)
		return NULL;
	high = count = l->reader->chunks.at[l->thread].sections.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (chunk_end_at(l, middle) <= first)
			low = middle + 1;
		else
			high = middle;
	}
	while ((l->columns & TF_EVENTS) && low && chunk_end_at(l, low - 1) == first)
		low--;
	l->next_chunk = low;
	return low < count ? chunk_at(l, low) : NULL;
}

/* Decodes the current chunk up to the path execution that holds `first`. */
static int replay_to(struct lane *l, uint64_t first, struct tf_error *error)
{
	while (l->ordinal < first) {
		int status = lane_skip(l, first, error);

		if (status < 0 || l->ordinal >= first)
			return status;
		status = lane_next_path(l, error);
		if (status < 0)
			return status;
		if (status == 0) { /* an event stands here */
			pass_event(l);
			status = refresh_event(l, error);
			if (status < 0)
				return status;
			continue;
		}
		if (l->ordinal + l->current.executed > first)
			return 0;
		l->ordinal += l->current.executed;
		l->current.path = NULL;
	}
	return 0;
}

int lane_seek(struct lane *l, uint64_t first, struct tf_error *error)
{
	const struct section *s = find_chunk(l, first);
	int status;

	l->ordinal = first;
	if (!s || s->first >= first)
		return 0;
	l->next_chunk++;
	status = begin_chunk(l, s, s->first + s->count == first ? CHUNK_EVENTS : parts_needed(l),
			     error);
	l->open = true;
	if (status == 0)
		status = replay_to(l, first, error);
	if (status == 0)
		lane_enter_path(l, first);
	while (status == 0 && l->has_event && l->event_ordinal < first) {
		pass_event(l);
		status = refresh_event(l, error);
	}
	if (status == 0)
		return 0;
	l->ordinal = first;
	return give_up(l, s->first + s->count, status);
}

static void count_block(const struct tf_block_exec *e, struct tf_totals *t)
{
	t->blocks++;
	for (unsigned i = 0; i < e->executed; i++)
		t->opaque += !!(e->block->insns[i].flags & TF_INSN_OPAQUE);
	for (unsigned i = 0; i < e->block->n_operands; i++) {
		const struct tf_operand *o = &e->block->operands[i];
		uint64_t n;

		if (o->insn >= e->executed)
			break;
		n = tf_access_count(o, e->values);
		t->loads += o->access & TF_LOAD ? n : 0;
		t->stores += o->access & TF_STORE ? n : 0;
		t->prefetches += o->access & TF_PREFETCH ? n : 0;
		if (o->form == TF_REP && (i == 0 || o[-1].insn != o->insn))
			t->repetitions += n;
	}
}

struct lane *lane_for_checks(struct tf_reader *r)
{
	return lane_new(r, 0, TF_VIEW_BLOCKS, TF_ADDRESSES | TF_EVENTS);
}

int chunk_check(struct lane *l, uint32_t thread, size_t k, struct tf_totals *totals,
		struct tf_error *error)
{
	struct tf_item item;
	int status;

	*totals = (struct tf_totals){ 0 };
	l->thread = thread;
	l->next_chunk = k;
	l->chunk_limit = k + 1;
	l->ordinal = chunk_at(l, k)->first;
	l->n_paths = l->lost = 0;
	while ((status = lane_next(l, UINT64_MAX, &item, error)) > 0) {
		totals->events += item.kind == TF_ITEM_EVENT;
		totals->instructions += item.instructions;
		for (size_t i = 0; item.kind == TF_ITEM_BLOCKS && i < item.count; i++)
			count_block(&item.blocks[i], totals);
	}
	totals->paths = l->n_paths;
	return status;
}
