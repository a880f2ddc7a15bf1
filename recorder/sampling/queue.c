/* SPDX-License-Identifier: MIT */
#include "recorder/sampling/queue.h"

#include <stdlib.h>

#include "traceformat/common/array.h"

bool queue_add(struct queue *q, uint64_t time, const uint8_t *record, size_t size)
{
	if (!RESERVE(*q, q->count + 1))
		return false;
	q->at[q->count++] = (struct queued){ .time = time, .offset = q->bytes.size };
	put_bytes(&q->bytes, record, size);
	return !q->bytes.failed;
}

static int compare(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static size_t size_at(const struct queue *q, size_t offset)
{
	return get_le16(q->bytes.data + offset + 6);
}

void queue_place(struct queue *q,
		 struct program_place (*find)(void *opaque, const uint8_t *record, size_t size),
		 void *opaque)
{
	for (size_t i = q->count; i-- && !q->at[i].is_placed;) {
		size_t offset = q->at[i].offset;

		q->at[i].place = find(opaque, q->bytes.data + offset, size_at(q, offset));
		q->at[i].is_placed = true;
	}
}

/* Makes a queue of the records from the first one on. */
static bool keep_from(struct queue *q, size_t first)
{
	struct queue kept = { 0 };
	bool whole = true;

	for (size_t i = first; i < q->count && whole; i++) {
		struct queued at = q->at[i];

		whole = queue_add(&kept, at.time, q->bytes.data + at.offset, size_at(q, at.offset));
		if (!whole)
			break;
		at.offset = kept.at[kept.count - 1].offset;
		kept.at[kept.count - 1] = at;
	}
	queue_free(q);
	*q = kept;
	return whole;
}

int queue_take(struct queue *q, uint64_t before,
	       int (*take)(void *opaque, const uint8_t *record, size_t size,
			   const struct program_place *place),
	       void *opaque)
{
	size_t i = 0;
	int status = 0;

	if (q->count)
		qsort(q->at, q->count, sizeof(*q->at), compare);
	for (; i < q->count && q->at[i].time < before && status >= 0; i++)
		status = take(opaque, q->bytes.data + q->at[i].offset, size_at(q, q->at[i].offset),
			      &q->at[i].place);
	if (status >= 0 && !keep_from(q, i))
		return TF_E_MEMORY;
	return status < 0 ? status : 0;
}

void queue_free(struct queue *q)
{
	buffer_free(&q->bytes);
	free(q->at);
	*q = (struct queue){ 0 };
}
