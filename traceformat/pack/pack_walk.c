/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_walk.h"

static bool begin_slots(struct walk *w, const struct chunk *chunk)
{
	struct slot_decoder *d = &w->decoder;

	d->n_bits = chunk->n_slots;
	d->hits = chunk->hits.data;
	residuals_decode_begin(&d->residuals, chunk->slot_residuals);
	if (!slot_states_reset(&d->states, w->reader->n_slots))
		return false;
	if (!chunk_sources(w->reader, chunk, &d->states))
		w->status = TF_E_DAMAGED;
	return true;
}

struct walk *walk_new(const struct tf_reader *r, const struct chunk *chunk, bool with_slots)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->reader = r;
	w->left = chunk->totals.paths;
	w->with_slots = with_slots;
	w->partials = span_of(chunk->partials.data, chunk->partials.size);
	w->flow.table = malloc(FLOW_TABLE_SIZE * sizeof(*w->flow.table));
	if (!w->flow.table || (with_slots && !begin_slots(w, chunk))) {
		walk_free(w);
		return NULL;
	}
	flow_decode_begin(&w->flow, span_of(chunk->runs.data, chunk->runs.size),
			  span_of(chunk->residuals.data, chunk->residuals.size),
			  chunk->section.extra);
	w->record.slots = w->slots;
	return w;
}

/* Takes a partial execution. Returns the number of its slots, or UINT32_MAX if it is damaged. */
static uint32_t take_partial(struct walk *w, const struct compiled_path *p)
{
	uint32_t n;

	w->executed = (uint32_t)take_varint_max(&w->partials, p->path.n_insns);
	n = (uint32_t)take_varint_max(&w->partials, p->path.n_slots);
	w->rsp = take_varint(&w->partials);
	return w->partials.bad || !w->executed ? UINT32_MAX : n;
}

bool walk_next(struct walk *w)
{
	const struct exit_entry *e;
	uint32_t exit, n;

	if (w->left == 0 || w->status < 0)
		return false;
	w->left--;
	exit = flow_decode(&w->flow);
	e = exit < w->flow.n_exits ? &w->reader->exits.at[exit] : NULL;
	n = !e || !e->path             ? UINT32_MAX
	    : e->outcome == TF_PARTIAL ? take_partial(w, e->path)
				       : e->n_slots;
	if (n == UINT32_MAX ||
	    (w->with_slots && !slots_decode(&w->decoder, e->slot_base, w->slots, n))) {
		w->status = TF_E_DAMAGED;
		return false;
	}
	w->record.exit = exit;
	w->record.base = e->slot_base;
	w->record.count = n;
	return true;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	slot_states_free(&w->decoder.states);
	free(w->flow.table);
	free(w);
}
