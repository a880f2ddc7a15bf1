/* SPDX-License-Identifier: MIT */
/* Adds the ends of intervals (FORMAT.md 4.6). */
#include "traceformat/common/error.h"
#include "traceformat/file/format.h"
#include "traceformat/writer/writer.h"

static const char *fault_of_marker(const struct tf_writer *w, const struct tf_marker *m)
{
	const struct compiled_block *block;

	if (m->block == TF_NONE)
		return NULL;
	if (m->block >= w->blocks.count)
		return "its marker is no block";
	block = *(struct compiled_block **)fixed_vector_at(&w->blocks, m->block);
	if (m->insn >= block->block.n_insns)
		return "its marker is no instruction of the block";
	return m->thread < w->threads.count ? NULL : "its marker has no thread";
}

static const char *fault_of(const struct tf_writer *w, const struct tf_interval *v)
{
	if (v->filtered > v->instructions)
		return "more instructions are filtered than there are";
	for (size_t i = 0; i < v->n_excluded; i++)
		if (v->excluded[i].block >= w->blocks.count ||
		    (i && v->excluded[i].block <= v->excluded[i - 1].block))
			return "its excluded blocks are not in order";
	return fault_of_marker(w, &v->marker);
}

static void put_marker(struct buffer *b, const struct tf_marker *m)
{
	put_index(b, m->block);
	if (m->block == TF_NONE)
		return;
	put_varint(b, m->insn);
	put_varint(b, m->thread);
	put_varint(b, m->tier);
}

static void put_excluded(struct buffer *b, const struct tf_interval *v)
{
	uint32_t last = 0;

	put_varint(b, v->n_excluded);
	for (size_t i = 0; i < v->n_excluded; i++) {
		put_varint(b, v->excluded[i].block - last);
		put_varint(b, v->excluded[i].reason);
		last = v->excluded[i].block;
	}
}

int tf_writer_add_interval(struct tf_writer *w, const struct tf_interval *v, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_INTERVALS];
	const char *why;

	pthread_mutex_lock(&w->lock);
	why = fault_of(w, v);
	if (why) {
		pthread_mutex_unlock(&w->lock);
		return fail(error, TF_E_ARGUMENT, "interval %llu: %s",
			    (unsigned long long)v->number, why);
	}
	w->record.size = 0;
	put_varint(&w->record, v->number);
	put_varint(&w->record, v->instructions);
	put_varint(&w->record, v->filtered);
	put_marker(&w->record, &v->marker);
	put_bytes(&w->record, v->hash, sizeof(v->hash));
	put_excluded(&w->record, v);
	put_varint(&p->bytes, w->record.size);
	put_bytes(&p->bytes, w->record.data, w->record.size);
	p->bytes.failed |= w->record.failed;
	return writer_added(w, p, &(uint32_t){ 0 }, NULL, error);
}
