/* SPDX-License-Identifier: MIT */
#include "recorder/sample/queue.h"

#include <stdlib.h>

bool queue_add(struct queue *q, uint64_t time, const uint8_t *record, size_t size)
{
	if (q->count == q->room) {
		size_t room = q->room ? 2 * q->room : 1024;
		struct queued *grown = reallocarray(q->at, room, sizeof(*grown));

		if (!grown)
			return false;
		q->at = grown;
		q->room = room;
	}
	q->at[q->count++] = (struct queued){ time, q->bytes.size };
	put_bytes(&q->bytes, record, size);
	return !q->bytes.failed;
}

static int compare(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static size_t size_at(const struct queue *q, size_t place)
{
	return get_le16(q->bytes.data + place + 6);
}

/* Makes a queue of the records from the first one on. */
static bool keep_from(struct queue *q, size_t first)
{
	struct queue kept = { 0 };
	bool whole = true;

	for (size_t i = first; i < q->count && whole; i++)
		whole = queue_add(&kept, q->at[i].time, q->bytes.data + q->at[i].place,
				  size_at(q, q->at[i].place));
	queue_free(q);
	*q = kept;
	return whole;
}

int queue_take(struct queue *q, uint64_t before,
	       int (*take)(void *opaque, const uint8_t *record, size_t size), void *opaque)
{
	size_t i = 0;
	int status = 0;

	if (q->count)
		qsort(q->at, q->count, sizeof(*q->at), compare);
	for (; i < q->count && q->at[i].time < before && status >= 0; i++)
		status = take(opaque, q->bytes.data + q->at[i].place, size_at(q, q->at[i].place));
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
