/* SPDX-License-Identifier: MIT */
/* Adds samplers and samples (FORMAT.md 4.1 and 4.4). */
#include "traceformat/common/error.h"
#include "traceformat/file/format.h"
#include "traceformat/writer/writer.h"

int tf_writer_add_sampler(struct tf_writer *w, const struct tf_sampler *s, uint32_t *index,
			  struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_SAMPLERS];

	pthread_mutex_lock(&w->lock);
	put_string(&p->bytes, s->event);
	put_string(&p->bytes, s->pmu);
	put_varint(&p->bytes, s->origin);
	put_varint(&p->bytes, s->caps);
	put_varint(&p->bytes, s->attr_size);
	put_bytes(&p->bytes, s->attr, s->attr_size);
	return writer_added(w, p, &w->n_samplers, index, error);
}

static void put_chain(struct buffer *b, const struct tf_sample *s)
{
	uint64_t last = s->ip;

	put_varint(b, s->n_chain);
	for (uint64_t i = 0; i < s->n_chain; i++) {
		put_svarint(b, (int64_t)(s->chain[i] - last));
		last = s->chain[i];
	}
}

static void put_fields(struct buffer *b, const struct tf_sample *s)
{
	const struct {
		uint32_t field;
		uint64_t value;
	} numbers[] = {
		{ TF_SAMPLE_ADDRESS, s->address },
		{ TF_SAMPLE_PHYSICAL_ADDRESS, s->physical_address },
		{ TF_SAMPLE_PERIOD, s->period },
		{ TF_SAMPLE_WEIGHT, s->weight },
		{ TF_SAMPLE_DATA_SOURCE, s->data_source },
		{ TF_SAMPLE_DATA_PAGE_SIZE, s->data_page_size },
		{ TF_SAMPLE_CODE_PAGE_SIZE, s->code_page_size },
		{ TF_SAMPLE_RAW, s->raw_size },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (s->fields & numbers[i].field)
			put_varint(b, numbers[i].value);
	if (s->fields & TF_SAMPLE_RAW)
		put_bytes(b, s->raw, s->raw_size);
	if (s->fields & TF_SAMPLE_PROGRAM_IP)
		put_svarint(b, (int64_t)(s->program_ip - s->ip));
	if (s->fields & TF_SAMPLE_CHAIN)
		put_chain(b, s);
}

static void put_sample(struct tf_writer *w, struct buffer *b, const struct tf_sample *s)
{
	put_index(b, s->cpu);
	put_u8(b, (uint8_t)((s->mode & SAMPLE_MODE) | (s->exact_ip ? SAMPLE_EXACT_IP : 0) |
			    (s->is_overhead ? SAMPLE_OVERHEAD : 0)));
	put_svarint(b, (int64_t)(s->ip - w->last_ip));
	put_varint(b, s->fields & TF_SAMPLE_ALL_FIELDS);
	put_fields(b, s);
	w->last_ip = s->ip;
}

static void put_mapping(struct buffer *b, const struct tf_sample *s)
{
	put_varint(b, s->mapping);
	put_varint(b, s->bias);
}

int tf_writer_add_sample(struct tf_writer *w, const struct tf_sample *s, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_SAMPLES];
	struct buffer *b = &w->sample;

	if ((s->sampler != TF_NONE && s->sampler >= w->n_samplers) ||
	    (s->thread != TF_NONE && s->thread >= w->threads.count))
		return fail(error, TF_E_ARGUMENT, "no sampler %u, or no thread %u", s->sampler,
			    s->thread);
	pthread_mutex_lock(&w->lock);
	b->size = 0;
	put_index(b, s->sampler);
	put_index(b, s->thread);
	put_svarint(b, (int64_t)(s->time_ns - w->last_time));
	w->last_time = s->time_ns;
	if (s->kind == TF_SAMPLE)
		put_sample(w, b, s);
	else if (s->kind == TF_SAMPLES_LOST)
		put_varint(b, s->lost);
	else if (s->kind == TF_SAMPLES_MAPPING)
		put_mapping(b, s);
	else if (s->kind == TF_SAMPLES_NAME)
		put_string(b, s->name);
	put_varint(&p->bytes, s->kind);
	put_varint(&p->bytes, b->size);
	put_bytes(&p->bytes, b->data, b->size);
	p->bytes.failed |= b->failed;
	return writer_added(w, p, &(uint32_t){ 0 }, NULL, error);
}
