/* SPDX-License-Identifier: MIT */
#include "lane.h"

#include "error.h"

struct lane *lane_new(struct tf_reader *reader, uint32_t thread, enum tf_view view,
		      unsigned columns)
{
	struct lane *l = malloc(sizeof(*l));

	if (!l)
		return NULL;
	memset(l, 0, offsetof(struct lane, path_slots));
	l->n_values = 0;
	l->reader = reader;
	l->thread = thread;
	l->view = view;
	l->columns = columns;
	l->event_ordinal = UINT64_MAX;
	l->chunk_limit = SIZE_MAX;
	return l;
}

void lane_free(struct lane *l)
{
	if (!l)
		return;
	chunk_free(&l->chunk);
	slot_states_free(&l->slots.states);
	buffer_free(&l->event_text);
	free(l);
}

static int damaged(struct lane *l, struct tf_error *error, const char *what)
{
	return fail_section(l->reader, &l->chunk.section, error, what);
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
		return damaged(l, error, "its events are damaged");
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

/* The parts of a chunk that replaying it takes. */
static unsigned parts_needed(const struct lane *l)
{
	unsigned parts = CHUNK_FLOW;

	if (l->columns & TF_ADDRESSES)
		parts |= CHUNK_SLOTS;
	if (l->columns)		/* addresses need segment bases */
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
	flow_decode_begin(&l->flow, span_of_buffer(&l->chunk.runs),
			  span_of_buffer(&l->chunk.misses), s->extra);
	l->slots.next_bit = l->slots.n_bits = 0;
	l->slots.misses = span_of_buffer(&l->chunk.slot_misses);
	if (parts & CHUNK_SLOTS) {
		if (!slot_states_reset(&l->slots.states, r->n_slots))
			return fail_memory(error);
		l->slots.n_bits = l->chunk.n_slots;
		l->slots.hits = l->chunk.hits.data;
	}
	l->partials = span_of_buffer(&l->chunk.partials);
	l->events = span_of_buffer(&l->chunk.events);
	l->registers = l->chunk.registers;
	l->rsp_known = true;
	l->chunk_end = s->first + s->count;
	l->ordinal = parts & CHUNK_FLOW ? s->first : l->chunk_end;
	l->has_event = l->passed_event = false;
	l->last_event = s->first;
	l->current.path = NULL;
	return fetch_event(l, error);
}

/* Gives up the chunk; what it still held, up to `end`, becomes a gap. */
static int give_up(struct lane *l, uint64_t end, int status)
{
	l->lost += end - l->ordinal;
	l->open = false;
	l->has_event = l->passed_event = false;
	l->event_ordinal = UINT64_MAX;
	l->current.path = NULL;
	return status;
}

/* Opens the thread's next chunk. 1: open, or a gap has to be handed out; 0: no more chunks. */
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

static int take_partial(struct lane *l, const struct compiled_path *p, uint32_t *n_slots,
			uint64_t *rsp)
{
	l->current.executed = (uint32_t)take_varint_max(&l->partials, p->path.n_insns);
	*n_slots = (uint32_t)take_varint_max(&l->partials, p->path.n_slots);
	*rsp = take_varint(&l->partials);
	return l->partials.bad || l->current.executed == 0 ? -1 : 0;
}

static bool take_values(struct lane *l, const struct compiled_path *p, uint32_t n_slots,
			uint32_t n_values)
{
	uint64_t *values = l->values + l->n_values;
	uint64_t *slots = p->path.recipes ? l->path_slots : values;

	if (!slots_decode(&l->slots, p->slot_base, slots, n_slots))
		return false;
	for (uint32_t i = n_slots; i < p->path.n_slots && l->current.outcome == TF_PARTIAL; i++)
		slots[i] = 0;
	for (uint32_t i = 0; p->path.recipes && i < n_values; i++)
		values[i] = recipe_value(&p->path.recipes[i], slots, &l->registers);
	l->current.values = values;
	l->n_values += n_values;
	return true;
}

/*
 * Decodes the next path execution into l->current. Returns 1; 0 if the chunk ends here, an event
 * stands here (it may set a segment base), or the batch has no room; or a negative status.
 */
static inline int next_path(struct lane *l, struct tf_error *error)
{
	const struct exit_entry *e;
	const struct compiled_path *p;
	uint32_t exit, n_slots;
	uint64_t rsp = 0;

	if (l->ordinal == l->chunk_end || l->event_ordinal <= l->ordinal ||
	    l->n_values >= BATCH_VALUES)
		return 0;
	exit = flow_decode(&l->flow);
	if (exit == UINT32_MAX)
		return damaged(l, error, "its control flow is damaged");
	l->n_paths++;
	e = &l->reader->exits.at[exit];
	p = e->path;
	if (!p)
		return damaged(l, error, "a path that it needs is lost");
	l->current = (struct current){
		.path = p, .only = e->only, .exit = exit, .executed = e->n_insns,
		.outcome = e->outcome,
	};
	n_slots = e->n_slots;
	if (e->outcome == TF_PARTIAL && take_partial(l, p, &n_slots, &rsp) < 0)
		return damaged(l, error, "its partial executions are damaged");
	if (l->current.executed > l->chunk_end - l->ordinal)
		return damaged(l, error, "it has more instructions than it says");
	if (l->columns & TF_ADDRESSES) {
		bool partial = e->outcome == TF_PARTIAL;

		if (p->uses_rsp && !l->rsp_known)
			return damaged(l, error, "it needs the stack pointer where it is not known");
		if (!take_values(l, p, n_slots, partial ? p->path.n_values : e->n_values))
			return damaged(l, error, "its slots are damaged");
		if (partial) {
			l->registers.rsp = rsp;
		} else {
			l->registers.rsp = exit_rsp(e, p->path.recipes ? l->path_slots
								       : l->current.values,
						    l->registers.rsp);
			l->rsp_known &= e->rsp_rule != TF_RSP_UNTRACKED;
		}
	}
	return 1;
}

/* Instructions executed of the current path's next block. */
static inline uint32_t block_executed(const struct current *c, const struct tf_block *b)
{
	uint32_t left = c->executed - c->done;

	return left < b->n_insns ? left : b->n_insns;
}

/* Steps over the current path's next block. */
static inline void pass_block(struct lane *l, const struct tf_block *b, uint32_t executed)
{
	struct current *c = &l->current;

	c->done += executed;
	c->block++;
	c->insn = 0;
	if (c->values)
		c->values += b->n_values;
	if (c->done == c->executed)
		c->path = NULL;
}

/* How control left the current path's next block. */
static inline uint8_t block_outcome(const struct current *c, const struct tf_block *b,
				    uint32_t executed)
{
	if (c->done + executed == c->executed)
		return c->outcome;
	return c->path->blocks[c->block + 1]->block.pc == b->pc + b->code_size ? TF_NOT_TAKEN : TF_TAKEN;
}

/*
 * The fill functions append executions to the batch as long as each ends at or before the next
 * event and begins before `stop`. *count: executions appended, also on error.
 */
static int fill_paths(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	while (*count < BATCH && l->ordinal < stop) {
		int status = l->current.path ? 1 : next_path(l, error);

		if (status <= 0)
			return status;
		if (l->event_ordinal < l->ordinal + l->current.executed)
			return 0;
		l->paths[(*count)++] = (struct tf_path_exec){ l->current.exit, l->current.executed };
		l->ordinal += l->current.executed;
		l->current.path = NULL;
	}
	return 0;
}

static int fill_blocks(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	struct current *c = &l->current;

	while (*count < BATCH && l->ordinal < stop) {
		int status = c->path ? 1 : next_path(l, error);
		const struct tf_block *b;
		uint32_t executed;

		if (status <= 0)
			return status;
		if (c->only && l->ordinal + c->executed <= l->event_ordinal) {
			l->blocks[(*count)++] = (struct tf_block_exec){
				c->only, c->values, (uint16_t)c->executed, c->outcome,
			};
			l->ordinal += c->executed;
			c->path = NULL;
			continue;
		}
		b = &c->path->blocks[c->block]->block;
		executed = block_executed(c, b);
		if (l->event_ordinal < l->ordinal + executed)
			return 0;
		l->blocks[(*count)++] = (struct tf_block_exec){
			b, c->values, (uint16_t)executed, block_outcome(c, b, executed),
		};
		l->ordinal += executed;
		pass_block(l, b, executed);
	}
	return 0;
}

static int fill_insns(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	struct current *c = &l->current;

	while (*count < BATCH && l->ordinal < stop && l->ordinal < l->event_ordinal) {
		int status = c->path ? 1 : next_path(l, error);
		const struct tf_block *b;
		uint32_t executed;

		if (status <= 0)
			return status;
		b = &c->path->blocks[c->block]->block;
		executed = block_executed(c, b);
		l->insns[(*count)++] = (struct tf_insn_exec){
			b, c->values, b->pc + b->insns[c->insn].offset, (uint16_t)c->insn,
			c->insn + 1 == executed ? block_outcome(c, b, executed) : TF_NOT_TAKEN,
		};
		l->ordinal++;
		if (++c->insn == executed)
			pass_block(l, b, executed);
	}
	return 0;
}

/* Moves the values of the path execution at hand to the front; the batch before has been used. */
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
		.kind = TF_ITEM_EVENT, .thread = l->thread, .ordinal = event->ordinal, .count = 1,
		.event = event,
	};
	return 1;
}

/* Makes the event at hand effective; the next one is fetched when the caller is done with it. */
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
		.kind = TF_EVENT_GAP, .thread = l->thread, .ordinal = l->ordinal,
		.gap = { TF_GAP_FAULT, l->lost },
	};
	l->ordinal += l->lost;
	l->lost = 0;
	return give_event(l, item, &l->gap);
}

/* Fills *item with a batch, if an execution can be handed out here. 1, 0, or a status. */
static int give_batch(struct lane *l, uint64_t stop, struct tf_item *item)
{
	struct tf_item batch = { .thread = l->thread, .ordinal = l->ordinal };

	begin_batch(l);
	switch (l->view) {
	case TF_VIEW_PATHS:
		batch.kind = TF_ITEM_PATHS;
		batch.paths = l->paths;
		l->status = fill_paths(l, stop, &batch.count, &l->error);
		break;
	case TF_VIEW_BLOCKS:
		batch.kind = TF_ITEM_BLOCKS;
		batch.blocks = l->blocks;
		l->status = fill_blocks(l, stop, &batch.count, &l->error);
		break;
	case TF_VIEW_INSNS:
		batch.kind = TF_ITEM_INSNS;
		batch.insns = l->insns;
		l->status = fill_insns(l, stop, &batch.count, &l->error);
		break;
	}
	if (!batch.count)
		return 0;
	batch.instructions = l->ordinal - batch.ordinal;
	*item = batch;
	return 1;
}

static bool columns_used_up(const struct lane *l)
{
	bool slots = !(l->columns & TF_ADDRESSES) ||
		     (l->slots.next_bit == l->slots.n_bits &&
		      l->slots.misses.at == l->slots.misses.end);

	return slots && l->flow.run == 0 && l->flow.misses.at == l->flow.misses.end &&
	       l->flow.runs.at == l->flow.runs.end && l->partials.at == l->partials.end;
}

/* Closes a chunk that has been handed out to its end. */
static int end_chunk(struct lane *l, struct tf_error *error)
{
	l->open = false;
	return columns_used_up(l) ? 0 : damaged(l, error, "it holds more than its instructions");
}

int lane_next(struct lane *l, uint64_t stop, struct tf_item *item, struct tf_error *error)
{
	for (;;) {
		int status = l->status;

		l->status = 0;
		if (status < 0) {	/* found behind the last batch */
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

int lane_closing_event(struct lane *l, struct tf_item *item)
{
	if (!(l->columns & TF_EVENTS))
		return 0;
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
 * Chooses the chunk that holds `first`; or if events are wanted that may stand there, the first
 * one that ends there. NULL if there is none.
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

static void enter_path(struct lane *l, uint64_t first)
{
	struct current *c = &l->current;

	while (l->view != TF_VIEW_PATHS && c->path) {
		const struct tf_block *b = &c->path->blocks[c->block]->block;
		uint32_t executed = block_executed(c, b);

		if (l->ordinal + executed > first)
			break;
		l->ordinal += executed;
		pass_block(l, b, executed);
	}
	if (l->view == TF_VIEW_INSNS && c->path) {
		c->insn = (uint32_t)(first - l->ordinal);
		l->ordinal = first;
	}
}

/* Decodes the chunk at hand as far as the path execution that holds `first`. */
static int replay_to(struct lane *l, uint64_t first, struct tf_error *error)
{
	int status = 0;

	while (status == 0 && l->ordinal < first && !l->current.path) {
		l->n_values = 0;
		status = next_path(l, error);
		if (status == 0) {	/* an event stands here */
			pass_event(l);
			status = refresh_event(l, error);
		} else if (status > 0) {
			status = 0;
			if (l->ordinal + l->current.executed > first)
				break;
			l->ordinal += l->current.executed;
			l->current.path = NULL;
		}
	}
	return status;
}

int lane_seek(struct lane *l, uint64_t first, struct tf_error *error)
{
	const struct section *s = find_chunk(l, first);
	int status;

	l->ordinal = first;
	if (!s || s->first >= first)
		return 0;
	l->next_chunk++;
	status = begin_chunk(l, s, s->first + s->count == first ? CHUNK_EVENTS : parts_needed(l), error);
	l->open = true;
	if (status == 0)
		status = replay_to(l, first, error);
	if (status == 0)
		enter_path(l, first);
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

int chunk_check(struct tf_reader *r, uint32_t thread, size_t k, struct tf_totals *totals,
		struct tf_error *error)
{
	struct lane *l = lane_new(r, thread, TF_VIEW_BLOCKS, TF_ADDRESSES | TF_EVENTS);
	const struct section *s = &r->sections.at[r->chunks.at[thread].sections.at[k]];
	struct tf_item item;
	int status;

	if (!l)
		return fail_memory(error);
	*totals = (struct tf_totals){ 0 };
	l->next_chunk = k;
	l->chunk_limit = k + 1;
	l->ordinal = s->first;
	while ((status = lane_next(l, UINT64_MAX, &item, error)) > 0) {
		totals->events += item.kind == TF_ITEM_EVENT;
		totals->instructions += item.instructions;
		for (size_t i = 0; item.kind == TF_ITEM_BLOCKS && i < item.count; i++)
			count_block(&item.blocks[i], totals);
	}
	totals->paths = l->n_paths;
	lane_free(l);
	return status;
}
