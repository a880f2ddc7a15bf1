/* SPDX-License-Identifier: MIT */
/* Files that are no traces, and traces that a later version may write: FORMAT.md 8 and 9. */
#include <xxhash.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

static void put16(uint8_t *p, uint16_t v) { memcpy(p, &v, 2); }
static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static void put64(uint8_t *p, uint64_t v) { memcpy(p, &v, 8); }

/* An unfinished trace of one thread, and all its instructions. */
struct fixture {
	struct random_trace *trace;
	int fd;
	uint32_t n_sections;
};

static struct fixture begin(void)
{
	struct random_options options = small_options(600);
	struct tf_section_info info;
	struct tf_reader *reader;
	struct fixture f = { 0 };

	options.n_threads = 1;
	f.trace = random_trace_new(&options);
	f.fd = file_of_trace(f.trace, false);
	reader = open_file(f.fd);
	while (tf_section(reader, f.n_sections, &info))
		f.n_sections++;
	tf_close(reader);
	return f;
}

static void end(struct fixture *f)
{
	close(f->fd);
	random_trace_free(f->trace);
}

/* True if the trace hands out all of its instructions and events. */
static bool reads_whole(struct fixture *f, char *why, size_t why_size)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader = open_file(f->fd);
	struct tf_error error = { .text = "" };
	struct tf_cursor *cursor;
	struct truth truth;
	bool same = false;

	options.columns = TF_ADDRESSES | TF_EVENTS;
	truth = truth_thread(f->trace, 0, options.view, options.columns);
	if (tf_cursor_open(reader, &options, &cursor, &error) < 0) {
		snprintf(why, why_size, "%s", error.text);
	} else {
		same = truth_cursor(cursor, &truth, 0, truth.items.count, options.columns, why, why_size);
		tf_cursor_close(cursor);
	}
	free(truth.items.at);
	tf_close(reader);
	return same;
}

static void check_whole(struct fixture *f)
{
	char why[1024] = "";

	ck_assert_msg(reads_whole(f, why, sizeof(why)), "%s", why);
}

/* ---- no traces ----------------------------------------------------------------------------- */

static void check_open(const char *path, enum tf_status expected, const char *words)
{
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;

	ck_assert_int_eq(tf_open(path, &reader, &error), expected);
	ck_assert_int_eq(error.status, expected);
	ck_assert_ptr_nonnull(strstr(error.text, path));
	ck_assert_ptr_nonnull(strstr(error.text, words));
}

START_TEST(no_traces)
{
	static const char text[] =
		"#!/bin/sh\nexec true # and more, so that it is as long as a header is\n";
	int fd = new_file(), ends[2];
	struct tf_reader *reader;

	check_open("/nowhere", TF_E_IO, "No such file");
	check_open("/tmp", TF_E_IO, "not a regular file");
	check_open("/dev/null", TF_E_IO, "not a regular file");
	check_open("/proc/self/exe", TF_E_FOREIGN, "not a trace");
	check_open(file_path(fd), TF_E_TRUNCATED, "ends inside the file header");
	write_at(fd, "\x89TRC", 4, 0);
	check_open(file_path(fd), TF_E_TRUNCATED, "ends inside the file header");
	write_at(fd, text, sizeof(text), 0);
	check_open(file_path(fd), TF_E_FOREIGN, "not a trace");
	write_at(fd, "\x89TRC\n\x1a\n\n", 8, 0);	/* as a text transfer leaves it */
	check_open(file_path(fd), TF_E_FOREIGN, "not a trace");
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(tf_open_fd(ends[0], "pipe", &reader, NULL), TF_E_IO);
	ck_assert_int_eq(tf_open_fd(-1, "none", &reader, NULL), TF_E_IO);
	close(fd);
}
END_TEST

/* ---- the file header ----------------------------------------------------------------------- */

/* Opens the trace with a changed header whose hash is right. */
static int open_changed(struct fixture *f, const uint8_t *header, struct tf_info *info)
{
	uint8_t bytes[64];
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;
	int status;

	memcpy(bytes, header, 64);
	put64(bytes + 56, XXH3_64bits(bytes, 56));
	write_at(f->fd, bytes, 64, 0);
	status = tf_open_fd(f->fd, "changed", &reader, &error);
	if (status < 0) {
		ck_assert_ptr_nonnull(strstr(error.text, "changed"));
		return status;
	}
	ck_assert_int_eq(tf_get_info(reader, info, NULL), 0);
	tf_close(reader);
	return 0;
}

START_TEST(header_versions)
{
	struct fixture f = begin();
	struct tf_info info;
	uint8_t h[64];

	read_at(f.fd, h, 64, 0);
	put16(h + 10, 7);
	ck_assert_int_eq(open_changed(&f, h, &info), 0);	/* written by 1.7 */
	ck_assert(info.major == 1 && info.minor == 7);
	put16(h + 8, 2);
	ck_assert_int_eq(open_changed(&f, h, &info), 0);	/* by 2.7, for readers of 1.1 */
	put16(h + 14, 0);
	ck_assert_int_eq(open_changed(&f, h, &info), 0);
	put16(h + 14, TF_FORMAT_MINOR + 1);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_VERSION);
	put16(h + 12, 2);
	put16(h + 14, 0);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_VERSION);
	put16(h + 12, 1);
	put32(h + 28, 0x80000002);	/* an unknown compatible feature */
	ck_assert_int_eq(open_changed(&f, h, &info), 0);
	ck_assert(info.order_exact && info.has_addresses);
	put32(h + 24, 4);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_VERSION);
	put32(h + 24, 0);
	put32(h + 20, 0x0d0c0b0a);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_DAMAGED);
	put32(h + 20, 0x0a0b0c0d);
	put32(h + 16, 128);
	ck_assert_int_eq(open_changed(&f, h, &info), TF_E_DAMAGED);
	end(&f);
}
END_TEST

/* ---- sections ------------------------------------------------------------------------------ */

struct section {
	uint16_t kind;
	uint8_t version, flags;
	uint32_t thread, codec;
	uint64_t first, count;
};

/* Appends a section with right hashes. table: how much of the payload its hash covers. */
static void append_section(struct fixture *f, const struct section *s, const uint8_t *payload,
			   size_t size, size_t table)
{
	static const uint8_t zero[8];
	uint8_t h[80] = "\xf3TRCSEC\n";
	size_t at = file_size(f->fd);

	put16(h + 8, s->kind);
	h[10] = s->version;
	h[11] = s->flags;
	put32(h + 12, s->thread);
	put32(h + 16, f->n_sections++);
	put32(h + 20, s->codec);
	put64(h + 24, size);
	put64(h + 32, s->codec == 2 ? 0 : size);
	put64(h + 40, s->first);
	put64(h + 48, s->count);
	put64(h + 64, XXH3_64bits(payload, table));
	put64(h + 72, XXH3_64bits(h, 72));
	write_at(f->fd, h, 80, at);
	write_at(f->fd, payload, size, at + 80);
	write_at(f->fd, zero, -size & 7, at + 80 + size);
}

enum { CRITICAL = 1, SAFE_TO_COPY = 2, UNKNOWN_KIND = 0x8001 };
enum { CHUNK = 16, THREADS = 5, MAPPINGS = 6 };

START_TEST(skipped_sections)
{
	static const struct section skipped[] = {
		{ UNKNOWN_KIND, 0, 0, TF_NONE, 0, 0, 1 },
		{ UNKNOWN_KIND, 3, SAFE_TO_COPY, TF_NONE, 0, 0, 1 },
		{ UNKNOWN_KIND, 0, 0, 0, 9, 5, 5 },	/* a codec of its own */
		{ 40, 0, 0, TF_NONE, 0, 0, 1 },
		{ MAPPINGS, 1, 0, TF_NONE, 0, 3, 1 },	/* a later version of its payload */
		{ MAPPINGS, 0, 4, TF_NONE, 0, 3, 1 },	/* a flag */
	};
	struct fixture f = begin();
	struct tf_reader *reader;
	struct tf_info info;

	append_section(&f, &skipped[_i], (const uint8_t *)"not for you", 11, 11);
	check_whole(&f);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 1);	/* unfinished */
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.n_sections, f.n_sections);
	ck_assert_uint_eq(info.n_sections_lost, 0);
	tf_close(reader);
	end(&f);
}
END_TEST

/* What is no line of META is skipped. */
START_TEST(meta_lines)
{
	static const struct section meta = { 1, 0, SAFE_TO_COPY, TF_NONE, 0, 0, 6 };
	static const char text[] = "no colon\nbad key: 1\n: 2\n\xc3\xa4: 3\nenv.Good_Key-1: 4\ncut: of";
	struct fixture f = begin();
	struct tf_reader *reader = open_file(f.fd);
	const char *key, *value;
	size_t before = 0;

	while (tf_meta_at(reader, before, &value))
		before++;
	tf_close(reader);
	append_section(&f, &meta, (const uint8_t *)text, sizeof(text) - 1, sizeof(text) - 1);
	check_whole(&f);
	reader = open_file(f.fd);
	key = tf_meta_at(reader, before, &value);
	ck_assert_str_eq(key, "env.Good_Key-1");
	ck_assert_str_eq(value, "4");
	ck_assert_ptr_null(tf_meta_at(reader, before + 1, &value));
	tf_close(reader);
	end(&f);
}
END_TEST

START_TEST(refused_sections)
{
	static const struct section refused[] = {
		{ UNKNOWN_KIND, 0, CRITICAL, TF_NONE, 0, 0, 1 },
		{ THREADS, 1, CRITICAL, TF_NONE, 0, 1, 1 },
		{ CHUNK, 1, CRITICAL, 0, 2, 0, 1 },
	};
	struct fixture f = begin();
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;
	struct tf_cursor *cursor;

	append_section(&f, &refused[_i], (const uint8_t *)"must know", 9, 9);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_load(reader, &error), TF_E_VERSION);
	ck_assert_uint_eq(error.section, f.n_sections - 1);
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, &error), TF_E_VERSION);
	ck_assert_ptr_nonnull(strstr(error.text, "newer"));
	tf_close(reader);
	end(&f);
}
END_TEST

/* A rewriting program copies unknown sections that are safe to copy, and drops others. */
START_TEST(repair_of_unknown)
{
	struct section s = { UNKNOWN_KIND, 0, SAFE_TO_COPY, TF_NONE, 0, 0, 1 };
	struct fixture f = begin();
	int to = new_file();
	struct tf_section_info info;
	struct tf_reader *reader;
	unsigned copied = 0;

	append_section(&f, &s, (const uint8_t *)"take me along", 13, 13);
	s.flags = 0;
	append_section(&f, &s, (const uint8_t *)"leave me here", 13, 13);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_repair(reader, file_path(to), NULL), 1);
	tf_close(reader);
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	for (uint32_t i = 0; tf_section(reader, i, &info); i++)
		if (info.kind == UNKNOWN_KIND) {
			char text[14] = "";

			read_at(to, text, 13, info.offset + 80);
			ck_assert_str_eq(text, "take me along");
			copied++;
		}
	ck_assert_uint_eq(copied, 1);
	tf_close(reader);
	close(to);
	end(&f);
}
END_TEST

/* ---- columns ------------------------------------------------------------------------------- */

/* Takes the last section, a chunk, off the file. Returns its payload's size. */
static size_t cut_chunk(struct fixture *f, struct section *s, uint8_t *payload, size_t room)
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

static uint32_t exits_needed(struct fixture *f)
{
	struct tf_reader *reader = open_file(f->fd);
	uint32_t n;

	ck_assert_int_eq(tf_load(reader, NULL), 0);
	n = tf_n_exits(reader);
	tf_close(reader);
	return n;
}

/* append_section for a chunk, whose header says how many exits it needs. */
static void append_chunk(struct fixture *f, const struct section *s, const uint8_t *payload,
			 size_t size)
{
	size_t at = file_size(f->fd);
	uint8_t h[80];

	append_section(f, s, payload, size, 8 + 32 * payload[0]);
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
	static const struct { uint16_t id; uint8_t codec; bool refused; } columns[] = {
		{ 99, 0, false }, { 99, 7, false }, { 0x8063, 0, true },
	};
	struct fixture f = begin();
	uint8_t payload[1 << 16];
	struct tf_reader *reader;
	char why[1024] = "";
	struct section s;
	size_t size = cut_chunk(&f, &s, payload, sizeof(payload));

	size = add_column(payload, size, columns[_i].id, columns[_i].codec);
	append_chunk(&f, &s, payload, size);
	ck_assert_msg(reads_whole(&f, why, sizeof(why)) != columns[_i].refused, "%s", why);
	if (columns[_i].refused)
		ck_assert_ptr_nonnull(strstr(why, "newer"));
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 1 + columns[_i].refused);
	tf_close(reader);
	/* damage of a column is found, whether it is known or not */
	write_at(f.fd, "E", 1, file_size(f.fd) - ((8 - size % 8) % 8) - 5);
	reader = open_file(f.fd);
	ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 2);
	tf_close(reader);
	end(&f);
}
END_TEST

/* A known column in an unknown coding: its chunk is refused, others are read. */
START_TEST(unknown_coding)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct fixture f = begin();
	uint8_t payload[1 << 16];
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	struct section s;
	size_t size = cut_chunk(&f, &s, payload, sizeof(payload));
	uint64_t instructions = 0;
	int status;

	payload[8 + 32 * 4 + 2] = 2;	/* slot-hits */
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
	end(&f);
}
END_TEST

/* ---- events -------------------------------------------------------------------------------- */

/* An event of a later kind, and one whose payload has grown. */
START_TEST(later_events)
{
	static const uint8_t events[] = {
		0, 0xe8, 0x07, 3, 'n', 'e', 'w',	/* kind 1000 */
		0, TF_EVENT_TIME, 4, 42, 'e', 'n', 'd',
	};
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	uint8_t payload[8 + 32 * 2 + 12 + sizeof(events)] = { 2 }, *d = payload + 8;
	struct section s = { CHUNK, 0, CRITICAL, 0, 2, 0, 0 };
	struct fixture f = begin();
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t end_ordinal = 0;
	unsigned n = 0;

	for (size_t i = 0; i < f.trace->streams[0].execs.count; i++)
		end_ordinal += f.trace->streams[0].execs.at[i].executed;
	s.first = end_ordinal;
	put16(d, 1);			/* head: 2 events, all else 0 */
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
	end(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat versions");
	TCase *tests = tcase_create("versions");

	tcase_add_test(tests, no_traces);
	tcase_add_test(tests, header_versions);
	tcase_add_loop_test(tests, skipped_sections, 0, 6);
	tcase_add_test(tests, meta_lines);
	tcase_add_loop_test(tests, refused_sections, 0, 3);
	tcase_add_test(tests, repair_of_unknown);
	tcase_add_loop_test(tests, unknown_columns, 0, 3);
	tcase_add_test(tests, unknown_coding);
	tcase_add_test(tests, later_events);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
