/* SPDX-License-Identifier: MIT */
/*
 * Damaged traces: cut at every byte, every bit flipped, parts overwritten, removed or inserted.
 * Losses must be reported, returned data must be right, and a repair keeps the rest.
 */
#include "tests/fuzz/loose_trace.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traceformat/original.h"
#include "traceformat/file/section.h"

/* Replaces the content of the file. */
static void put_file(int fd, const uint8_t *bytes, size_t size)
{
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	write_at(fd, bytes, size, 0);
}

/* Reads the damaged trace in a merged view, which may return anything but must come to an end. */
static void walk_merged(struct tf_reader *reader, enum tf_view view)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;

	options.view = view;
	options.columns = TF_EVENTS;
	if (tf_cursor_open(reader, &options, &cursor, NULL) < 0)
		return;
	while (tf_next(cursor, &item, NULL) != 0)
		;
	tf_cursor_close(cursor);
}

static bool lacks_paths(const struct tf_reader *reader)
{
	bool lacks = false;

	for (uint32_t i = 0; i < tf_n_paths(reader); i++)
		lacks |= !tf_path(reader, i);
	return lacks;
}

/*
 * Repairs the trace into a file, which must be faultless and hold the same rest. A reader returns
 * the part of a chunk that precedes the execution of a lost path; a repair leaves out the chunk.
 */
static void check_repair(const struct original *o, struct tf_reader *damaged, int to)
{
	struct rest before = rest_read(o, damaged, TF_ADDRESSES | TF_EVENTS), after;
	struct tf_error error = { .text = "" };
	struct tf_reader *reader;
	struct tf_info info;

	ck_assert_msg(tf_repair(damaged, file_path(to), &error) >= 0, "%s", error.text);
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(info.complete);
	after = rest_read(o, reader, TF_ADDRESSES | TF_EVENTS);
	ck_assert_uint_eq(after.errors, 0);
	ck_assert(
		rest_holds(before.insns.at, before.insns.count, after.insns.at, after.insns.count));
	ck_assert(rest_holds(before.events.at, before.events.count, after.events.at,
			     after.events.count));
	if (!lacks_paths(damaged)) {
		ck_assert_uint_eq(before.insns.count, after.insns.count);
		ck_assert_uint_eq(before.events.count, after.events.count);
	}
	ck_assert_uint_eq(info.totals.instructions, after.insns.count);
	rest_free(&before);
	rest_free(&after);
	tf_close(reader);
}

START_TEST(truncation)
{
	struct original o = original_new(500);
	struct tf_section_info section;
	int fd = new_file(), to = new_file();
	struct tf_error error;
	struct tf_reader *reader;

	put_file(fd, o.bytes, o.size);
	for (size_t size = o.size - 1; size < o.size; size -= is_quick() ? 5 : 1) {
		uint64_t expected = 0;
		struct tf_info info;
		struct rest rest;

		ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
		if (size < 64) {
			ck_assert_int_eq(tf_open_fd(fd, "cut", &reader, &error), TF_E_TRUNCATED);
			continue;
		}
		reader = open_file(fd);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert(!info.complete);
		for (uint32_t i = 0; tf_section(reader, i, &section); i++) {
			ck_assert_uint_le(section.offset + 80 + section.stored_size, size);
			expected += section.instructions;
		}
		rest = rest_read(&o, reader, TF_ADDRESSES | TF_EVENTS);
		ck_assert_uint_eq(rest.errors, 0);
		ck_assert_uint_eq(rest.gaps, 0);
		ck_assert_uint_eq(rest.insns.count, expected);
		ck_assert_uint_eq(info.totals.instructions, expected);
		ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), 1);
		walk_merged(reader, TF_VIEW_BLOCKS);
		rest_free(&rest);
		if (size % 7 == 0)
			check_repair(&o, reader, to);
		tf_close(reader);
	}
	close(fd);
	close(to);
	original_free(&o);
}
END_TEST

/* A file that a killed recorder left: its sections are whole, but END, INDEX and trailer
 * missing. */
START_TEST(unfinished)
{
	struct original o = original_new(501);
	int fd = file_of_trace(o.trace, false), to = new_file();
	struct tf_reader *reader = open_file(fd);
	struct rest rest = rest_read(&o, reader, TF_ADDRESSES | TF_EVENTS);
	struct tf_info info;

	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(!info.complete && !info.n_sections_lost && !info.bytes_lost);
	ck_assert_str_eq(info.stop_reason, "");
	ck_assert_uint_eq(rest.insns.count, o.insns[0].items.count + o.insns[1].items.count);
	ck_assert_uint_eq(rest.events.count, info.totals.events);
	check_repair(&o, reader, to);
	rest_free(&rest);
	tf_close(reader);
	reader = open_file(to);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_str_eq(info.stop_reason, "unfinished");
	ck_assert(info.order_exact);
	tf_close(reader);
	original_free(&o);
}
END_TEST

/* Returns whether the byte at an offset of the file is part of a chunk. */
static bool in_chunk(struct tf_reader *reader, size_t offset)
{
	enum { CHUNK = 16 };
	struct tf_section_info s;

	for (uint32_t i = 0; tf_section(reader, i, &s); i++)
		if (offset >= s.offset && offset < s.offset + 80 + s.stored_size)
			return s.kind == CHUNK;
	return false;
}

/* Damage inside a dictionary section is found when the dictionary is loaded. */
START_TEST(info_after_load)
{
	enum { BLOCKS = 9 };
	struct original o = original_new(503);

	original_without_copies(&o);

	struct tf_section_info section = { .kind = 0 };
	int fd = new_file();
	struct tf_reader *reader;
	struct tf_info info;

	put_file(fd, o.bytes, o.size);
	reader = open_file(fd);
	for (uint32_t i = 0; section.kind != BLOCKS; i++)
		ck_assert(tf_section(reader, i, &section));
	write_at(fd, (uint8_t[1]){ (uint8_t)~o.bytes[section.offset + 80] }, 1,
		 section.offset + 80);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(info.complete && info.n_sections_lost == 0);
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(!info.complete);
	ck_assert_uint_eq(info.n_sections_lost, 1);
	ck_assert_uint_eq(info.bytes_lost, 80 + ((section.stored_size + 7) & ~UINT64_C(7)));
	tf_close(reader);
	close(fd);
	original_free(&o);
}
END_TEST

/* Flips bit _i of every byte, or of one byte in 24. */
START_TEST(bit_flips)
{
	struct original o = original_new(502);
	int fd = new_file(), to = new_file();
	unsigned unnoticed = 0;
	size_t step = is_quick() ? 24 : 1;

	put_file(fd, o.bytes, o.size);
	for (size_t i = is_quick() ? 3 * (unsigned)_i : 0; i < o.size; i += step) {
		uint8_t flipped = (uint8_t)(o.bytes[i] ^ 1u << _i);
		struct tf_error error = { .text = "" };
		struct tf_reader *reader;
		struct rest rest;
		int faults;

		write_at(fd, &flipped, 1, i);
		if (tf_open_fd(fd, "flipped", &reader, &error) < 0) {
			ck_assert_uint_lt(i, 64);
			ck_assert_ptr_nonnull(strstr(error.text, "flipped"));
			write_at(fd, &o.bytes[i], 1, i);
			continue;
		}
		rest = rest_read(&o, reader, TF_ADDRESSES | TF_EVENTS);
		faults = tf_verify(reader, ignore_fault, NULL, NULL);
		if (in_chunk(reader, i)) /* told once: not by the totals as well */
			ck_assert_int_eq(faults, 1);
		if (faults == 0) {
			ck_assert_uint_eq(rest.errors, 0);
			ck_assert_uint_eq(rest.gaps, 0);
			ck_assert_uint_eq(rest.insns.count,
					  o.insns[0].items.count + o.insns[1].items.count);
			ck_assert_uint_eq(fingerprint_of(reader), o.print);
			unnoticed++;
		}
		rest_free(&rest);
		rest = rest_read(&o, reader, 0);
		rest_free(&rest);
		if ((i / step + (unsigned)_i) % 8 == 0)
			check_repair(&o, reader, to);
		tf_close(reader);
		write_at(fd, &o.bytes[i], 1, i);
	}
	ck_assert_uint_lt(unnoticed, o.size / 10); /* only the padding of sections */
	close(fd);
	close(to);
	original_free(&o);
}
END_TEST

/* Makes a damaged copy: a range overwritten, removed, doubled or shifted. Returns its size. */
static size_t damage(const struct original *o, uint64_t *state, uint8_t *bytes)
{
	size_t at = random_below(state, (unsigned)o->size);
	size_t size = 1 +
		      random_below(state, random_chance(state, 50) ? 16 : (unsigned)o->size / 2);

	if (size > o->size - at)
		size = o->size - at;
	memcpy(bytes, o->bytes, o->size);
	switch (random_below(state, 5)) {
	case 0: memset(bytes + at, random_chance(state, 50) ? 0 : 0xff, size); return o->size;
	case 1:
		for (size_t i = 0; i < size; i++)
			bytes[at + i] = (uint8_t)random_u64(state);
		return o->size;
	case 2: memmove(bytes + at, bytes + at + size, o->size - at - size); return o->size - size;
	case 3: /* as if a part had been written twice */
		memcpy(bytes + at + size, o->bytes + at, o->size - at);
		return o->size + size;
	default: /* parts change places */
		memcpy(bytes + at, o->bytes + o->size - size, size);
		memcpy(bytes + o->size - size, o->bytes + at, size);
		return o->size;
	}
}

START_TEST(random_damage)
{
	struct original o = original_new(510 + (uint64_t)_i);
	uint8_t *bytes = malloc(2 * o.size);

	if (_i % 2)
		original_without_copies(&o);

	int fd = new_file(), to = new_file();
	uint64_t state = (uint64_t)_i;

	for (unsigned n = 0; n < (is_quick() ? 100 : 300); n++) {
		struct tf_reader *reader;
		size_t size = damage(&o, &state, bytes);
		struct rest rest;

		put_file(fd, bytes, size);
		if (tf_open_fd(fd, "damaged", &reader, NULL) < 0)
			continue;
		rest = rest_read(&o, reader, TF_ADDRESSES);
		if (tf_verify(reader, ignore_fault, NULL, NULL) == 0)
			ck_assert_uint_eq(fingerprint_of(reader), o.print);
		walk_merged(reader, n % 2 ? TF_VIEW_INSNS : TF_VIEW_PATHS);
		check_repair(&o, reader, to);
		rest_free(&rest);
		tf_close(reader);
	}
	free(bytes);
	close(fd);
	close(to);
	original_free(&o);
}
END_TEST

/* Overwrites a part of the file. */
static void overwrite(int fd, const struct original *o, uint64_t *state, size_t at, size_t size)
{
	uint8_t *bytes = malloc(size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(o->bytes[at + i] ^ (1 + random_below(state, 255)));
	write_at(fd, bytes, size, at);
	free(bytes);
}

/* Counts the instructions of the chunks that a stretch does not hit. */
static uint64_t spared(const struct tf_section_info *chunks, size_t n, size_t at, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (chunks[i].offset + 80 + chunks[i].stored_size <= at ||
		    chunks[i].offset >= at + size)
			sum += chunks[i].instructions;
	return sum;
}

static size_t list_chunks(struct tf_reader *reader, struct tf_section_info *chunks, size_t room)
{
	struct tf_section_info s;
	size_t n = 0;

	for (uint32_t i = 0; tf_section(reader, i, &s); i++)
		if (!strcmp(tf_section_kind_name(s.kind), "CHUNK") && n < room)
			chunks[n++] = s;
	return n;
}

/* Returns the offset of the first section with copies, or 0. */
static uint64_t copies_offset(struct tf_reader *reader)
{
	struct tf_section_info s;

	for (uint32_t i = 0; tf_section(reader, i, &s); i++)
		if (!strcmp(tf_section_kind_name(s.kind), "COPIES"))
			return s.offset;
	return 0;
}

/*
 * Overwriting a stretch of the trace loses only the chunks that it hits: the reader returns all
 * other chunks, and META and the dictionary are whole. A stretch that hits them, all chunks behind
 * them and their copies may lose everything.
 */
START_TEST(any_stretch)
{
	static const size_t sizes[] = { 1, 4, 16, 80, 200, 500, 1000, 2000, 4000, 8000 };
	enum { MAX_CHUNKS = 64 };
	struct original o = original_new(540);
	struct tf_section_info chunks[MAX_CHUNKS];
	int fd = new_file(), to = new_file();
	struct tf_reader *reader;
	uint64_t state = (uint64_t)_i, print, copies;
	size_t n, size = sizes[_i], step = (is_quick() ? 7 : 1) * (size < 64 ? 4 : size / 16);

	put_file(fd, o.bytes, o.size);
	reader = open_file(fd);
	n = list_chunks(reader, chunks, MAX_CHUNKS);
	print = dictionary_print(reader);
	copies = copies_offset(reader);
	tf_close(reader);
	ck_assert_uint_gt(n, 2);
	ck_assert_uint_gt(copies, chunks[n - 1].offset);
	for (size_t at = 0; at < o.size && size < o.size; at += step) {
		size_t hit = size < o.size - at ? size : o.size - at;
		struct tf_error error = { .text = "" };
		struct rest rest;

		overwrite(fd, &o, &state, at, hit);
		if (tf_open_fd(fd, "stretch", &reader, &error) <
		    0) { /* the header, and what leads to its copy */
			ck_assert_uint_eq(spared(chunks, n, at, hit), 0);
			write_at(fd, o.bytes + at, hit, at);
			continue;
		}
		rest = rest_read(&o, reader, TF_ADDRESSES | TF_EVENTS);
		ck_assert_msg(rest.insns.count >= spared(chunks, n, at, hit),
			      "%zu bytes at %zu: %zu instructions", hit, at,
			      (size_t)rest.insns.count);
		ck_assert_msg(dictionary_print(reader) == print ||
				      (at < chunks[0].offset && at + hit > copies),
			      "%zu bytes at %zu", hit, at);
		if (at / step % 16 == 0)
			check_repair(&o, reader, to);
		rest_free(&rest);
		tf_close(reader);
		write_at(fd, o.bytes + at, hit, at);
	}
	close(fd);
	close(to);
	original_free(&o);
}
END_TEST

/* tf_get_info() must report a lost META, since no other function reads META. */
START_TEST(lost_meta)
{
	struct original o = original_new(530);
	struct tf_section_info section = { .kind = 0 };
	int fd = new_file();
	struct tf_reader *reader;
	struct tf_info info;

	original_without_copies(&o);
	put_file(fd, o.bytes, o.size);
	reader = open_file(fd);
	ck_assert(tf_section(reader, 0, &section));
	ck_assert_str_eq(tf_section_kind_name(section.kind), "META");
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);

	uint32_t n_sections = info.n_sections;

	tf_close(reader);
	o.bytes[section.offset + 80] ^= 1;
	put_file(fd, o.bytes, o.size);
	reader = open_file(fd);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(!info.complete);
	ck_assert_uint_eq(info.n_sections_lost, 1);
	ck_assert_uint_eq(info.n_sections, n_sections - 1);
	ck_assert_uint_eq(info.bytes_lost, 80 + ((section.stored_size + 7) & ~UINT64_C(7)));
	ck_assert_uint_eq(info.totals.instructions,
			  o.insns[0].items.count + o.insns[1].items.count);
	tf_close(reader);
	close(fd);
	original_free(&o);
}
END_TEST

/* Repairing a faultless trace makes an equal one. A trace cannot be repaired into its own file. */
START_TEST(repair_of_good)
{
	struct original o = original_new(520);
	int fd = file_of_trace(o.trace, true), to = new_file();
	struct tf_reader *reader = open_file(fd);
	struct tf_error error = { .text = "" };

	ck_assert_int_eq(tf_repair(reader, file_path(to), &error), 0);
	ck_assert_int_eq(tf_repair(reader, file_path(fd), &error), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_repair(reader, "/nowhere/x", &error), TF_E_IO);
	ck_assert_uint_eq(file_size(fd), o.size);
	ck_assert_int_eq(tf_repair(reader, "/dev/full", &error), TF_E_IO);
	tf_close(reader);
	reader = open_file(to);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	ck_assert_ptr_nonnull(tf_meta(reader, "repaired-from"));
	check_repair(&o, reader, fd);
	tf_close(reader);
	close(fd);
	close(to);
	original_free(&o);
}
END_TEST

/* Sets the bytes at `from` in the descriptor of a chunk's first column, and the hash that covers them. */
static void change_descriptor(uint8_t *chunk, size_t from, uint64_t value, size_t size)
{
	uint8_t *payload = chunk + SECTION_HEADER_SIZE, changed[8];
	struct section header;
	uint64_t hash;

	ck_assert(section_header_read(chunk, &header, &hash));
	ck_assert_uint_eq(header.codec, CODEC_COLUMNS);
	put_le64(changed, value);
	memcpy(payload + 8 + from, changed, size);
	hash = payload_hash(CODEC_COLUMNS, payload,
			    8 + (size_t)get_le16(payload) * COLUMN_DESCRIPTOR_SIZE);
	section_header_write(&header, hash, chunk);
}

static void expect_sizes(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	ck_assert_msg(strstr(error->text, "a column's sizes cannot be"), "%s", error->text);
}

/* Invalid column descriptors: reserved bytes are set (0); more bytes than the section has (1). */
START_TEST(bad_descriptors)
{
	struct original o = original_new(530);
	struct tf_section_info chunk;
	struct tf_reader *reader;
	struct rest rest;
	int fd = new_file();

	original_without_copies(&o);
	put_file(fd, o.bytes, o.size);
	reader = open_file(fd);
	ck_assert_uint_eq(list_chunks(reader, &chunk, 1), 1);
	tf_close(reader);
	if (_i == 0)
		change_descriptor(o.bytes + chunk.offset, 4, 1, 4);
	else
		change_descriptor(o.bytes + chunk.offset, 8, chunk.stored_size + 1, 8);
	put_file(fd, o.bytes, o.size);
	reader = open_file(fd);
	rest = rest_read(&o, reader, TF_ADDRESSES | TF_EVENTS);
	ck_assert_uint_gt(rest.errors, 0);
	ck_assert_int_eq(tf_verify(reader, expect_sizes, NULL, NULL), 1);
	rest_free(&rest);
	tf_close(reader);
	close(fd);
	original_free(&o);
}
END_TEST

/* Bits behind the last slot of a chunk are 0. */
START_TEST(bits_behind_the_hits)
{
	struct original o = original_new(531);
	struct loose_trace t = { 0 };
	struct buffer changed = { 0 };
	struct tf_reader *reader;
	unsigned n_changed = 0;
	int fd = new_file();

	ck_assert(loose_trace_take(&t, o.bytes, o.size, 1 << 20));
	for (unsigned i = 0; i < t.n_sections; i++)
		for (unsigned k = 0; k < t.sections[i].n_parts; k++) {
			struct loose_part *part = &t.sections[i].parts[k];

			if (t.sections[i].header.kind != SECTION_CHUNK ||
			    part->id != COLUMN_SLOT_HITS || !part->bytes.size ||
			    part->bytes.data[part->bytes.size - 1] & 0x80)
				continue;
			part->bytes.data[part->bytes.size - 1] |= 0x80;
			n_changed++;
		}
	ck_assert_uint_gt(n_changed, 0);
	loose_trace_put(&t, &changed);
	put_file(fd, changed.data, changed.size);
	reader = open_file(fd);
	ck_assert_int_ge(tf_verify(reader, ignore_fault, NULL, NULL), (int)n_changed);
	tf_close(reader);
	close(fd);
	buffer_free(&changed);
	loose_trace_free(&t);
	original_free(&o);
}
END_TEST

/* Compressed columns give exactly the bytes that their descriptors state, neither more nor fewer. */
START_TEST(column_sizes)
{
	struct original o = original_new(532);
	struct loose_trace t = { 0 };
	struct buffer changed = { 0 };
	struct tf_reader *reader;
	int fd = new_file();

	ck_assert(loose_trace_take(&t, o.bytes, o.size, 1 << 20));
	struct loose_section *chunk = &t.sections[loose_trace_find(&t, SECTION_CHUNK, 0)];

	ck_assert_uint_eq(chunk->parts[0].id, COLUMN_HEAD);
	chunk->parts[0].compress = true;
	/* A later version may add numbers. These make the column worth compressing. */
	for (int i = 0; i < 200; i++)
		put_u8(&chunk->parts[0].bytes, 0);
	for (int more = -1; more <= 1; more++) {
		chunk->parts[0].raw = chunk->parts[0].bytes.size + (uint64_t)more;
		changed.size = 0;
		loose_trace_put(&t, &changed);
		put_file(fd, changed.data, changed.size);
		reader = open_file(fd);
		ck_assert_int_eq(tf_verify(reader, ignore_fault, NULL, NULL), more != 0);
		tf_close(reader);
	}
	close(fd);
	buffer_free(&changed);
	loose_trace_free(&t);
	original_free(&o);
}
END_TEST

/* A trailer belongs to its file: its hash covers the file's UUID. Without it, the sections are walked. */
START_TEST(trailers)
{
	struct original o = original_new(533);
	int fd = new_file();
	struct tf_reader *reader;
	struct tf_info info;

	for (unsigned changed = 0; changed < 2; changed++) {
		o.bytes[o.size - TRAILER_SIZE + 16] ^= (uint8_t)changed;
		put_file(fd, o.bytes, o.size);
		reader = open_file(fd);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert_int_eq(info.complete, !changed);
		tf_close(reader);
	}
	close(fd);
	original_free(&o);
}
END_TEST

/* Adds a block of n_insns instructions with 255 operands each. */
static void add_large_block(struct loose_trace *t, unsigned n_insns)
{
	uint64_t n_blocks = 0;
	struct loose_section *section;
	struct buffer *b;

	for (unsigned i = 0; i < t->n_sections; i++)
		if (t->sections[i].header.kind == SECTION_BLOCKS)
			n_blocks += t->sections[i].header.count;
	section = loose_trace_add(t, SECTION_BLOCKS, 0);
	section->header.first = n_blocks;
	section->header.count = 1;
	b = &section->parts[0].bytes;
	put_bytes(b, "\0\0\0\0", 4); /* pc, no module, no bias, an end without a target */
	put_varint(b, n_insns);
	for (unsigned i = 0; i < n_insns; i++) {
		put_u8(b, 0x41); /* one byte long, with operands */
		put_varint(b, UINT8_MAX);
		for (unsigned k = 0; k < UINT8_MAX; k++)
			put_bytes(b, "\1\0\1", 3); /* load, no flags, one byte */
	}
	for (unsigned i = 0; i < n_insns; i++)
		put_u8(b, 0x90);
	loose_trace_swap(t, t->n_sections - 1, t->n_sections - 2);
}

/* A block has at most 1024 operands; the sections of others count as lost. */
START_TEST(operands_of_a_block)
{
	static const unsigned n_insns[] = { 4, 5, 200 };
	struct tf_error error;

	for (unsigned i = 0; i < 3; i++) {
		struct original o = original_new(534);
		struct loose_trace t = { 0 };
		struct buffer changed = { 0 };
		struct tf_reader *reader;
		struct tf_info info;
		int fd = new_file();

		ck_assert(loose_trace_take(&t, o.bytes, o.size, 1 << 20));
		add_large_block(&t, n_insns[i]);
		loose_trace_put(&t, &changed);
		put_file(fd, changed.data, changed.size);
		reader = open_file(fd);
		ck_assert_int_eq(tf_load(reader, &error), 0);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert_uint_eq(info.n_sections_lost, n_insns[i] * UINT8_MAX > 1024);
		tf_close(reader);
		close(fd);
		buffer_free(&changed);
		loose_trace_free(&t);
		original_free(&o);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat damage");
	TCase *tests = tcase_create("damage");

	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, truncation);
	tcase_add_test(tests, unfinished);
	tcase_add_loop_test(tests, bit_flips, 0, 8);
	tcase_add_test(tests, info_after_load);
	tcase_add_loop_test(tests, random_damage, 0, 5);
	tcase_add_loop_test(tests, any_stretch, 0, 10);
	tcase_add_loop_test(tests, bad_descriptors, 0, 2);
	tcase_add_test(tests, bits_behind_the_hits);
	tcase_add_test(tests, column_sizes);
	tcase_add_test(tests, trailers);
	tcase_add_test(tests, operands_of_a_block);
	tcase_add_test(tests, lost_meta);
	tcase_add_test(tests, repair_of_good);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
