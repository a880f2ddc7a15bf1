/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/mutate_cells.h"

#include <string.h>

#include "tests/fuzz/mutate_records.h"
#include "tests/fuzz/mutate_trace.h"

enum { MOST_RECORD = 64 };

/* Returns a record of the file, of which there is at least one. */
static uint8_t *any_record(struct buffer *file, size_t size, uint64_t *state)
{
	return file->data + random_under(state, file->size / size) * size;
}

/* Changes a field of one or two bytes, or adds a little to a longer number. */
static void change_field(struct buffer *file, size_t size, uint64_t *state)
{
	uint8_t *at = any_record(file, size, state) + random_under(state, size);

	if (random_under(state, 2))
		*at = (uint8_t)random_under(state, random_under(state, 2) ? 50 : 256);
	else
		*at = (uint8_t)(*at + random_under(state, 5) - 2);
}

static void swap_records(struct buffer *file, size_t size, uint64_t *state)
{
	uint8_t *a = any_record(file, size, state), *b = any_record(file, size, state);
	uint8_t kept[MOST_RECORD];

	memcpy(kept, a, size);
	memmove(a, b, size);
	memcpy(b, kept, size);
}

static void copy_record(struct buffer *file, size_t size, uint64_t *state)
{
	uint8_t *from = any_record(file, size, state);

	memmove(any_record(file, size, state), from, size);
}

/* Puts a record into another place, some times. */
static void insert_record(struct buffer *file, size_t size, uint64_t *state)
{
	size_t to = random_under(state, file->size / size) * size;
	uint64_t times = random_under(state, 8) ? 1 : random_under(state, 3000);
	uint8_t kept[MOST_RECORD];

	memcpy(kept, any_record(file, size, state), size);
	if (!buffer_reserve(file, times * size))
		return;
	memmove(file->data + to + times * size, file->data + to, file->size - to);
	for (uint64_t i = 0; i < times; i++)
		memcpy(file->data + to + i * size, kept, size);
	file->size += times * size;
}

static void drop_records(struct buffer *file, size_t size, uint64_t *state)
{
	size_t count = file->size / size, at = random_under(state, count);
	size_t n = 1 + random_under(state, random_under(state, 4) ? 1 : count - at);

	if (n == count)
		return;
	memmove(file->data + at * size, file->data + (at + n) * size, file->size - (at + n) * size);
	file->size -= n * size;
}

void mutate_cells(struct buffer *file, size_t record_size, uint64_t *state)
{
	static void (*const changes[])(struct buffer *, size_t,
				       uint64_t *) = { change_field, change_field, change_field,
						       swap_records, copy_record,  insert_record,
						       drop_records };

	for (uint64_t n = 1 + random_under(state, random_under(state, 4) ? 4 : 30); n; n--) {
		if (file->size < record_size)
			break;
		changes[random_under(state, sizeof(changes) / sizeof(*changes))](file, record_size,
										 state);
	}
	if (random_under(state, 4) == 0)
		mutate_records(file, state);
}
