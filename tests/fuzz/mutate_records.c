/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/mutate_records.h"

#include <string.h>

#include "tests/fuzz/mutate_trace.h"

enum { MOST_FILE = 1 << 20, MOST_RECORDS = 4096, HEADER_BYTES = 104, PIPE_HEADER_BYTES = 16 };

struct range {
	size_t at, size;
};

static void replace(struct buffer *file, struct range s, const void *by, size_t by_size)
{
	struct buffer made = { 0 };

	if (file->size + by_size > MOST_FILE)
		return;
	put_bytes(&made, file->data, s.at);
	put_bytes(&made, by, by_size);
	put_bytes(&made, file->data + s.at + s.size, file->size - s.at - s.size);
	buffer_reserve(&made, 8);
	buffer_free(file);
	*file = made;
}

/* Returns the range of the records: the rest of a pipe's file, or the section in the header. */
static struct range records_of(const struct buffer *file)
{
	struct range s = { PIPE_HEADER_BYTES, 0 };

	if (file->size < HEADER_BYTES || memcmp(file->data, "PERFILE2", 8))
		return (struct range){ 0, 0 };
	if (get_le64(file->data + 8) == PIPE_HEADER_BYTES)
		s.size = file->size - s.at;
	else
		s = (struct range){ get_le64(file->data + 40), get_le64(file->data + 48) };
	if (s.at > file->size || s.size > file->size - s.at)
		s.size = 0;
	return s;
}

/* Picks one of the first MOST_RECORDS records. The returned size is 0 if there is none. */
static struct range any_record(const struct buffer *file, uint64_t *state)
{
	struct range all = records_of(file), found[MOST_RECORDS];
	size_t n = 0, end = all.at + all.size;

	for (size_t at = all.at, size; all.size && at + 8 <= end && n < MOST_RECORDS; at += size) {
		size = (size_t)file->data[at + 6] | (size_t)file->data[at + 7] << 8;
		if (size < 8 || size > end - at)
			break;
		found[n++] = (struct range){ at, size };
	}
	return n ? found[random_under(state, n)] : (struct range){ 0, 0 };
}

/* Makes the header's size of the records fit again after they have grown. */
static void fit(struct buffer *file, int64_t more)
{
	if (get_le64(file->data + 8) != PIPE_HEADER_BYTES)
		put_le64(file->data + 48, get_le64(file->data + 48) + (uint64_t)more);
}

static void repeat_record(struct buffer *file, uint64_t *state)
{
	struct range record = any_record(file, state);
	uint64_t times = random_under(state, 8) ? random_under(state, 3)
						: random_under(state, 2000);
	struct buffer records = { 0 };
	size_t before = file->size;

	if (!record.size)
		return;
	for (; times && records.size < MOST_FILE; times--)
		put_bytes(&records, file->data + record.at, record.size);
	replace(file, record, records.data, records.size);
	if (random_under(state, 8))
		fit(file, (int64_t)file->size - (int64_t)before);
	buffer_free(&records);
}

static uint64_t edge(uint64_t *state, uint64_t near)
{
	static const uint64_t edges[] = { 0,
					  1,
					  7,
					  8,
					  15,
					  16,
					  63,
					  64,
					  80,
					  81,
					  127,
					  255,
					  256,
					  4095,
					  4096,
					  65527,
					  65528,
					  65535,
					  65536,
					  INT32_MAX,
					  UINT32_MAX,
					  UINT64_C(1) << 32,
					  UINT64_C(1) << 47,
					  INT64_MAX,
					  UINT64_C(1) << 63,
					  UINT64_MAX - 7,
					  UINT64_MAX };

	switch (random_under(state, 3)) {
	case 0: return near + random_under(state, 17) - 8;
	case 1: return near ^ UINT64_C(1) << random_under(state, 64);
	default: return edges[random_under(state, sizeof(edges) / sizeof(*edges))];
	}
}

/* Overwrites an aligned number of 1, 2, 4 or 8 bytes. */
static void set_number(struct buffer *file, size_t from, size_t size, uint64_t *state)
{
	size_t width = (size_t)1 << random_under(state, 4), at;
	uint8_t bytes[8];
	uint64_t old = 0;

	if (size < width)
		return;
	at = from + random_under(state, size / width) * width;
	for (size_t i = 0; i < width; i++)
		old |= (uint64_t)file->data[at + i] << 8 * i;
	put_le64(bytes, edge(state, old));
	memcpy(file->data + at, bytes, width);
}

static void change_record(struct buffer *file, uint64_t *state)
{
	struct range record = any_record(file, state);

	if (record.size)
		set_number(file, record.at, record.size, state);
}

/* Changes the header or an attribute, which say how the rest is read. */
static void change_head(struct buffer *file, uint64_t *state)
{
	set_number(file, 0, file->size < 1024 ? file->size : 1024, state);
}

static void change_any(struct buffer *file, uint64_t *state)
{
	set_number(file, 0, file->size, state);
}

static void drop_bytes(struct buffer *file, uint64_t *state)
{
	struct range s = { file->size ? random_under(state, file->size) : 0, 0 };

	s.size = random_under(state, file->size - s.at + 1);
	if (random_under(state, 4))
		s.size %= 64;
	replace(file, s, NULL, 0);
}

static void insert_bytes(struct buffer *file, uint64_t *state)
{
	static const char text[] = "\nperf: Woken up 1 times to write data\n[ perf record: ]\n";
	struct range s = { random_under(state, file->size + 1), 0 };

	replace(file, s, text, random_under(state, sizeof(text)));
}

static void cut_off(struct buffer *file, uint64_t *state)
{
	if (random_under(state, 4) == 0 && file->size)
		file->size = random_under(state, file->size);
}

void mutate_records(struct buffer *file, uint64_t *state)
{
	static void (*const changes[])(struct buffer *, uint64_t *) = {
		change_record, change_record, change_record, change_record, repeat_record,
		repeat_record, change_head,   change_head,   change_any,    change_any,
		drop_bytes,    insert_bytes,  cut_off
	};

	for (uint64_t n = 1 + random_under(state, random_under(state, 4) ? 3 : 10); n; n--)
		changes[random_under(state, sizeof(changes) / sizeof(*changes))](file, state);
}
