/* SPDX-License-Identifier: MIT */
/* Chunks that a later version may write, with unknown columns, codings and events. */
#include <xxhash.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traceformat/later.h"

/* ---- columns ------------------------------------------------------------------------------- */

/* Removes the last section, a chunk, from the file. Returns its payload's size. */
static size_t cut_chunk(struct later *f, struct section *s, uint8_t *payload, size_t room)
{
	struct tf_reader *reader = open_file(f->fd);
	struct tf_section_info info;
	size_t size;

	ck_assert(tf_section(reader, f->n_sections - 1, &info));
	ck_assert_int_eq(info.kind, CHUNK);
	tf_close(reader);
	size = info.stored_size;
	ck_assert_uint_lt(size + 100, room);
	read_at(f->fd, payload, size, info.offset + 80);
	*s = (struct section){ CHUNK, 0, CRITICAL, 0, 2, info.first_ordinal, info.instructions };
	ck_assert_int_eq(ftruncate(f->fd, (off_t)info.offset), 0);
	f->n_sections--;
	return size;
}

static uint32_t exits_needed(struct later *f)
{
	struct tf_reader *reader = open_file(f->fd);
	uint32_t n;

	ck_assert_int_eq(tf_load(reader, NULL), 0);
	n = tf_n_exits(reader);
	tf_close(reader);
	return n;
}

/* Appends a chunk with later_append. The header has the number of exits that the chunk needs. */
static void append_chunk(struct later *f, const struct section *s, const uint8_t *payload,
			 size_t size)
{
	size_t at = file_size(f->fd);
	uint8_t h[80];

	later_append(f, s, payload, size, 8 + 32 * payload[0]);
	read_at(f->fd, h, 80, at);
	put32(h + 56, exits_needed(f));
	put64(h + 72, XXH3_64bits(h, 72));
	write_at(f->fd, h, 80, at);
}

/* Adds a column of 5 bytes to a chunk's payload; returns its new size. */
static size_t add_column(uint8_t *payload, size_t size, uint16_t id, uint8_t codec)
{
	size_t table = 8 + 32u * payload[0];
	uint8_t *d = payload + table;

	memmove(d + 32, d, size - table);
	memset(d, 0, 32);
	put16(d, id);
	d[3] = codec;
	put64(d + 8, 5);
	put64(d + 16, 5);
	memcpy(payload + size + 32, "extra", 5);
	put64(d + 24, XXH3_64bits("extra", 5));
	payload[0]++;
	return size + 37;
}

START_TEST(unknown_columns)
{
	static const struct {
		uint16_t id;
		uint8_t codec;
		bool refused;
	} columns[] = {
		{ 99, 0, false },
		{ 99, 7, false },
		{ 0x8063, 0, true },
	};
	struct later f = later_begin();
	uint8_t payload[1 << 16];
	struct tf_reader *reader;
	char why[1024] = "";
	struct section s;
	size_t size = cut_chunk(&f, &s, payload, sizeof(payload));

	size = add_column(payload, size, columns[_i].id, columns[_i].codec);
	append_chunk(&f, &s, payload, size);
	ck_assert_msg(later_reads_whole(&f, why, sizeof(why)) != columns[_i].refused, "%s", why);
	if (columns[_i].refused)
		ck_assert_ptr_nonnull(strstr(why, "newer"));
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 1 + columns[_i].refused);
	tf_close(reader);
	/* damage is found in known and unknown columns */
	write_at(f.fd, "E", 1, file_size(f.fd) - ((8 - size % 8) % 8) - 5);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 2);
	tf_close(reader);
	later_end(&f);
}
END_TEST

/* A known column in an unknown coding: its chunk is refused, others are read. */
START_TEST(unknown_coding)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct later f = later_begin();
	uint8_t payload[1 << 16];
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	struct section s;
	size_t size = cut_chunk(&f, &s, payload, sizeof(payload));
	uint64_t instructions = 0;
	int status;

	payload[8 + 32 * 4 + 2] = 2; /* slot-hits */
	append_chunk(&f, &s, payload, size);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
	while ((status = tf_next(cursor, &item, &error)) > 0)
		instructions += item.instructions;
	ck_assert_int_eq(status, TF_E_VERSION);
	ck_assert_uint_eq(instructions, s.first);
	ck_assert_uint_eq(error.section, f.n_sections - 1);
	ck_assert_int_eq(tf_next(cursor, &item, &error), 1);
	ck_assert(item.kind == TF_ITEM_EVENT && item.event->kind == TF_EVENT_GAP);
	ck_assert_uint_eq(item.event->gap.instructions, s.count);
	ck_assert_int_eq(tf_next(cursor, &item, &error), 0);
	tf_cursor_close(cursor);
	tf_close(reader);
	later_end(&f);
}
END_TEST

/* ---- events -------------------------------------------------------------------------------- */

/* An event of a later kind, and one whose payload has grown. */
START_TEST(later_events)
{
	static const uint8_t events[] = { 0, 0xe8,          0x07, 3,  'n', 'e', 'w', /* kind 1000 */
					  0, TF_EVENT_TIME, 4,    42, 'e', 'n', 'd' };
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	uint8_t payload[8 + 32 * 2 + 12 + sizeof(events)] = { 2 }, *d = payload + 8;
	struct section s = { CHUNK, 0, CRITICAL, 0, 2, 0, 0 };
	struct later f = later_begin();
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t end_ordinal = 0;
	unsigned n = 0;

	for (size_t i = 0; i < f.trace->streams[0].execs.count; i++)
		end_ordinal += f.trace->streams[0].execs.at[i].executed;
	s.first = end_ordinal;
	put16(d, 1); /* head: 2 events, all else 0 */
	put64(d + 8, 12);
	put64(d + 16, 12);
	payload[8 + 64 + 11] = 2;
	put64(d + 24, XXH3_64bits(payload + 8 + 64, 12));
	d += 32;
	memset(d, 0, 32);
	put16(d, 32);
	put64(d + 8, sizeof(events));
	put64(d + 16, sizeof(events));
	put64(d + 24, XXH3_64bits(events, sizeof(events)));
	memcpy(payload + 8 + 64 + 12, events, sizeof(events));
	append_chunk(&f, &s, payload, sizeof(payload));

	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 1);
	options.columns = TF_EVENTS;
	options.first = end_ordinal;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0) {
		ck_assert(item.kind == TF_ITEM_EVENT);
		if (item.event->kind == 1000) {
			ck_assert_uint_eq(item.event->payload_size, 3);
			ck_assert_mem_eq(item.event->payload, "new", 3);
			n |= 1;
		} else if (item.event->kind == TF_EVENT_TIME && item.event->time.time_ns == 42) {
			ck_assert_uint_eq(item.event->payload_size, 4);
			n |= 2;
		}
	}
	ck_assert_uint_eq(n, 3);
	tf_cursor_close(cursor);
	tf_close(reader);
	later_end(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat later chunks");
	TCase *tests = tcase_create("later chunks");

	tcase_add_loop_test(tests, unknown_columns, 0, 3);
	tcase_add_test(tests, unknown_coding);
	tcase_add_test(tests, later_events);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
