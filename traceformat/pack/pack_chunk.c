/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_chunk.h"

#include "traceformat/common/error.h"
#include "traceformat/pack/pack_flow.h"
#include "traceformat/pack/pack_search.h"

static struct span span_of_buffer(const struct buffer *b)
{
	return span_of(b->data, b->size);
}

static bool same(const struct buffer *a, const struct buffer *b)
{
	return a->size == b->size && (a->size == 0 || !memcmp(a->data, b->data, a->size));
}

static bool same_residuals(const struct chunk *a, const struct chunk *b)
{
	bool equal = true;

	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		equal = equal && same(&a->slot_residuals[i], &b->slot_residuals[i]);
	return equal;
}

static int unpack_flow(struct chunk *c)
{
	if (c->runs.size || c->residuals.size || c->totals.paths > c->section.count)
		return TF_E_DAMAGED;
	return flow_unpack(span_of_buffer(&c->flow), c->totals.paths, c->section.extra, &c->runs,
			   &c->residuals);
}

/* Unpacks the slots of all executions and encodes them anew. */
static int unpack_records(struct chunk *c, struct walk *w, struct slot_coder *coder,
			  struct slot_encoder *e)
{
	struct slot_record record;

	while (walk_next(w)) {
		if (w->record.count > c->n_slots - e->n_slots || !slots_unpack(coder, &w->record) ||
		    slots_encoded(e) > MAX_CHUNK_SIZE)
			return TF_E_DAMAGED;
		record = (struct slot_record){ w->record.base, (uint16_t)w->record.count,
					       w->record.count, w->slots };
		if (!slots_encode(e, &record, 1))
			return TF_E_MEMORY;
	}
	if (w->status == 0 && (e->n_slots != c->n_slots || !coder_used_up(slot_coder_bits(coder))))
		return TF_E_DAMAGED;
	slots_encode_end(e);
	return w->status;
}

static int unpack_slots(const struct tf_reader *r, struct chunk *c)
{
	struct span packed = span_of_buffer(&c->slots);
	uint64_t limit = span_left(&packed) * DECISIONS_PER_BYTE;
	unsigned cell_bits = take_u8(&packed);
	struct slot_encoder e = { .hits = c->hits };
	struct slot_model model = { 0 };
	struct slot_coder *coder = NULL;
	struct walk *w = NULL;
	int status;

	memcpy(e.residuals, c->slot_residuals, sizeof(e.residuals));
	if (c->hits.size || c->slot_residuals[0].size || c->n_slots > limit ||
	    c->n_slots > MAX_RAW_SIZE * 8 || cell_bits < MIN_CELL_BITS || cell_bits > MAX_CELL_BITS)
		return TF_E_DAMAGED;
	status = slot_model_read(&model, span_of_buffer(&c->slot_models), r);
	if (status == 0) {
		coder = slot_coder_new(&model, UNPACK, cell_bits, packed);
		w = walk_new(r, c, false);
		status = coder && w && slot_states_reset(&e.states, r->n_slots) ? 0 : TF_E_MEMORY;
	}
	if (status == 0 && !chunk_sources(r, c, &e.states))
		status = TF_E_DAMAGED;
	if (status == 0)
		status = unpack_records(c, w, coder, &e);
	if (status == 0 && !buffer_reserve(&e.hits, COLUMN_PADDING))
		status = TF_E_MEMORY;
	if (status == 0)
		memset(e.hits.data + e.hits.size, 0, COLUMN_PADDING);
	c->hits = e.hits;
	memcpy(c->slot_residuals, e.residuals, sizeof(e.residuals));
	slot_states_free(&e.states);
	slot_coder_free(coder);
	slot_model_free(&model);
	walk_free(w);
	return status;
}

int chunk_unpack(struct tf_reader *r, unsigned parts, struct chunk *c, struct tf_error *error)
{
	int status = 0;

	if ((parts & CHUNK_FLOW) && c->flow.size)
		status = unpack_flow(c);
	if (status == TF_E_DAMAGED)
		return fail_section(r, &c->section, error, "its control flow is damaged");
	if (status == 0 && (parts & CHUNK_SLOTS) && c->slots.size)
		status = unpack_slots(r, c);
	if (status == TF_E_DAMAGED)
		return fail_section(r, &c->section, error, "its slots are damaged");
	return status < 0 ? fail_memory(error) : 0;
}

static int pack_slots(const struct tf_reader *r, const struct chunk *c, struct chunk *packed)
{
	unsigned cell_bits = coder_cell_bits(c->n_slots);
	struct slot_coder *coder = NULL;
	struct slot_model model;
	struct walk *w = NULL;
	int status = slot_model_search(r, c, &model);

	if (status == 0) {
		coder = slot_coder_new(&model, PACK, cell_bits, span_of(NULL, 0));
		w = walk_new(r, c, true);
		status = coder && w ? 0 : TF_E_MEMORY;
	}
	while (status == 0 && walk_next(w))
		slots_pack(coder, &w->record);
	if (status == 0)
		status = w->status;
	if (status == 0) {
		struct coder *bits = slot_coder_bits(coder);

		coder_write_end(bits);
		slot_model_write(&model, r, &packed->slot_models);
		put_u8(&packed->slots, (uint8_t)cell_bits);
		put_bytes(&packed->slots, bits->out.data, bits->out.size);
		status = bits->out.failed || packed->slots.failed || packed->slot_models.failed
				 ? TF_E_MEMORY
				 : 0;
	}
	slot_coder_free(coder);
	slot_model_free(&model);
	walk_free(w);
	return status;
}

int chunk_pack(struct tf_reader *r, const struct chunk *c, struct chunk *packed)
{
	int status;

	packed->section = c->section;
	packed->totals = c->totals;
	packed->n_slots = c->n_slots;
	packed->flow.size = packed->slots.size = packed->slot_models.size = 0;
	packed->runs.size = packed->residuals.size = packed->hits.size = 0;
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		packed->slot_residuals[i].size = 0;
	packed->partials.size = packed->slot_sources.size = 0;
	put_bytes(&packed->partials, c->partials.data, c->partials.size);
	/* Unpacking needs the same sources to give the same columns again. */
	put_bytes(&packed->slot_sources, c->slot_sources.data, c->slot_sources.size);
	if (packed->partials.failed || packed->slot_sources.failed)
		return TF_E_MEMORY;
	if (c->totals.paths == 0)
		return 0;
	status = flow_pack(span_of_buffer(&c->runs), span_of_buffer(&c->residuals), c->totals.paths,
			   c->section.extra, &packed->flow);
	if (status == 0)
		status = unpack_flow(packed);
	if (status == TF_E_MEMORY)
		return status;
	if (status < 0 || !same(&c->runs, &packed->runs) ||
	    !same(&c->residuals, &packed->residuals)) {
		packed->flow.size = 0;
		return 0;
	}
	if (c->n_slots == 0)
		return 0;
	status = pack_slots(r, c, packed);
	if (status == 0)
		status = unpack_slots(r, packed);
	if (status == TF_E_MEMORY)
		return status;
	if (status < 0 || !same(&c->hits, &packed->hits) || !same_residuals(c, packed))
		packed->slots.size = packed->slot_models.size = 0;
	return 0;
}
